// A channel with a retry policy and TLS, and calls on it. The messages are those of protobuf-es: 64-bit fields are
// bigint, so that offsets beyond 2^53 stay exact.
import { readFileSync } from "node:fs";
import {
  create,
  fromBinary,
  toBinary,
  type DescMessage,
  type DescMethodBiDiStreaming,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import * as grpc from "@grpc/grpc-js";

// Lookups change nothing, so gRPC itself repeats them on UNAVAILABLE; of several addresses, each gets its share. In an
// outage that ends after 50 repetitions, until there are answers again. Commits and watches we repeat, since gRPC
// doesn't look for a request id, nor does it know what a watch has told (see retry.ts).
export const serviceConfig = {
  loadBalancingConfig: [{ round_robin: {} }],
  retryThrottling: { maxTokens: 100, tokenRatio: 0.1 },
  methodConfig: [
    {
      name: [
        { service: "whence.v1.ResolverService" },
        ...["Read", "ListTopics", "DescribeTopic"].map((method) => ({ service: "whence.v1.LogService", method })),
        ...["FetchOffset", "GetGroupLag", "ListGroups"].map((method) => ({
          service: "whence.v1.GroupOffsetsService",
          method,
        })),
      ],
      retryPolicy: {
        maxAttempts: 4,
        initialBackoff: "0.2s",
        maxBackoff: "2s",
        backoffMultiplier: 2,
        retryableStatusCodes: ["UNAVAILABLE"],
      },
    },
    { name: [{ service: "whence.v1.ResolverService", method: "WatchTimestamp" }] },
  ],
};

/**
 * Where the server is, and how TLS is spoken: the CA of the server if it is none that everybody knows, and a certificate
 * of our own for mutual TLS, all PEM files. Any of them turns TLS on.
 */
export interface Target {
  server: string;
  tls?: boolean;
  tlsCa?: string | undefined;
  tlsCert?: string | undefined;
  tlsKey?: string | undefined;
}

export function open(target: Target): grpc.Client {
  const read = (path: string | undefined) => (path === undefined ? null : readFileSync(path));
  if ((target.tlsCert === undefined) !== (target.tlsKey === undefined)) {
    throw new Error("--tls-cert and --tls-key need each other");
  }
  const tls = target.tls || target.tlsCa !== undefined || target.tlsCert !== undefined;
  const credentials = tls
    ? grpc.credentials.createSsl(read(target.tlsCa), read(target.tlsKey), read(target.tlsCert))
    : grpc.credentials.createInsecure();
  return new grpc.Client(target.server, credentials, {
    "grpc.service_config": JSON.stringify(serviceConfig),
    "grpc.keepalive_time_ms": 30_000,
    "grpc.max_receive_message_length": 16 << 20,
  });
}

function codec<I extends DescMessage, O extends DescMessage>(method: { input: I; output: O }) {
  return {
    serialize: (request: MessageShape<I>) => Buffer.from(toBinary(method.input, request)),
    deserialize: (bytes: Buffer) => fromBinary(method.output, bytes),
  };
}

function path(method: { parent: { typeName: string }; name: string }): string {
  return `/${method.parent.typeName}/${method.name}`;
}

// grpc-js takes this from metadata, not from the service config: a call waits for a connection, up to its deadline.
function metadata(): grpc.Metadata {
  return new grpc.Metadata({ waitForReady: true });
}

function deadlineIn(seconds: number): number {
  return Date.now() + seconds * 1000;
}

// A server that gives up at the deadline cancels the call. When that arrives before our own timer has run, grpc-js
// tells of CANCELLED; other languages look at the clock, as we do here.
function atDeadline(error: unknown, deadline: number): unknown {
  if (error instanceof Error && "code" in error && error.code === grpc.status.CANCELLED && Date.now() >= deadline) {
    return Object.assign(error, { code: grpc.status.DEADLINE_EXCEEDED, details: "the deadline passed" });
  }
  return error;
}

async function* until<T>(deadline: number, answers: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* answers;
  } catch (error) {
    throw atDeadline(error, deadline);
  }
}

/** One request, one answer, within so many seconds. */
export function unary<I extends DescMessage, O extends DescMessage>(
  client: grpc.Client,
  method: DescMethodUnary<I, O>,
  request: MessageInitShape<I>,
  seconds: number,
): Promise<MessageShape<O>> {
  const { serialize, deserialize } = codec(method);
  const deadline = deadlineIn(seconds);
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(
      path(method),
      serialize,
      deserialize,
      create(method.input, request),
      metadata(),
      { deadline },
      (error, answer) => (error ? reject(atDeadline(error, deadline)) : resolve(answer!)),
    );
  });
}

/** One request, many answers: to be read with `for await`. */
export function serverStream<I extends DescMessage, O extends DescMessage>(
  client: grpc.Client,
  method: DescMethodServerStreaming<I, O>,
  request: MessageInitShape<I>,
  seconds: number,
): AsyncIterable<MessageShape<O>> {
  const { serialize, deserialize } = codec(method);
  const deadline = deadlineIn(seconds);
  const call = client.makeServerStreamRequest(
    path(method),
    serialize,
    deserialize,
    create(method.input, request),
    metadata(),
    { deadline },
  );
  return until(deadline, call);
}

/** Many requests, many answers. */
export function bidi<I extends DescMessage, O extends DescMessage>(
  client: grpc.Client,
  method: DescMethodBiDiStreaming<I, O>,
  requests: MessageInitShape<I>[],
  seconds: number,
): AsyncIterable<MessageShape<O>> {
  const { serialize, deserialize } = codec(method);
  const deadline = deadlineIn(seconds);
  const call = client.makeBidiStreamRequest(path(method), serialize, deserialize, metadata(), { deadline });
  for (const request of requests) {
    call.write(create(method.input, request));
  }
  call.end();
  return until(deadline, call);
}
