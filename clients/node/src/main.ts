// The command line: window, commit, lag, watch, health, conformance.
import { parseArgs } from "node:util";
import type * as grpc from "@grpc/grpc-js";
import { Health, HealthCheckResponse_ServingStatus } from "../gen/health_pb.js";
import { Different, run } from "./conformance.js";
import { open, unary } from "./connection.js";
import { Failure } from "./errors.js";
import { commit, lag, Refused, type Session, watch, window } from "./jobs.js";

const USAGE = `usage: whence-example COMMAND [OPTIONS] ARGUMENTS
  window TOPIC START END [--records N]
  commit GROUP TOPIC PARTITION NEXT_OFFSET [--expect OFFSET|none] [--request-id ID] [--metadata TEXT] [--rewind]
  lag GROUP
  watch TOPIC TIME
  health
  conformance FILE_OR_DIRECTORY...
--server HOST:PORT --source NAME --timeout SECONDS --tls --tls-ca FILE --tls-cert FILE --tls-key FILE`;

function parse(args: string[]) {
  const text = { type: "string" } as const;
  return parseArgs({
    args,
    allowPositionals: true,
    options: {
      server: { ...text, default: process.env["WHENCE_SERVER"] ?? "localhost:9000" },
      source: { ...text, default: "" },
      timeout: { ...text, default: "10" },
      tls: { type: "boolean", default: false },
      "tls-ca": text,
      "tls-cert": text,
      "tls-key": text,
      records: { ...text, default: "2" },
      expect: text,
      "request-id": text,
      metadata: { ...text, default: "" },
      rewind: { type: "boolean", default: false },
    },
  });
}

type Options = ReturnType<typeof parse>["values"];

function lines(s: Session, name: string | undefined, args: string[], o: Options): AsyncIterable<string> | undefined {
  const [a = "", b = "", c = "", d = ""] = args;
  switch (`${name} ${args.length}`) {
    case "window 3":
      return window(s, a, b, c, Number(o.records));
    case "commit 4":
      return commit(s, a, entry(b, c, d, o), o["request-id"]);
    case "lag 1":
      return lag(s, a);
    case "watch 2":
      return watch(s, a, b);
    case "health 0":
      return health(s);
  }
  return name === "conformance" && args.length > 0 ? run(s, args) : undefined;
}

// Offsets go from text to bigint: Number would round them beyond 2^53. BigInt alone would take "" as 0.
function int(text: string, bits: number): bigint {
  const value = /^-?[0-9]+$/.test(text) ? BigInt(text) : undefined;
  if (value === undefined || BigInt.asIntN(bits, value) !== value) {
    throw new RangeError(`'${text}' is no whole number of ${bits} bits`);
  }
  return value;
}

function entry(topic: string, partition: string, nextOffset: string, o: Options) {
  return {
    topic,
    partition: Number(int(partition, 32)),
    nextOffset: int(nextOffset, 64),
    metadata: o.metadata,
    allowRewind: o.rewind,
    expectNoOffset: o.expect === "none",
    ...(o.expect === undefined || o.expect === "none" ? {} : { expectedOffset: int(o.expect, 64) }),
  };
}

async function* health(s: Session) {
  const request = { service: "whence.v1.ResolverService" };
  const { status } = await unary(s.client, Health.method.check, request, s.seconds);
  yield HealthCheckResponse_ServingStatus[status]!;
  if (status !== HealthCheckResponse_ServingStatus.SERVING) {
    throw new Refused();
  }
}

/** What the command line asks for; undefined if it is wrong. */
function command(args: string[]): { client: grpc.Client; output: AsyncIterable<string> } | undefined {
  try {
    const { values: o, positionals } = parse(args);
    const { "tls-ca": tlsCa, "tls-cert": tlsCert, "tls-key": tlsKey } = o;
    const client = open({ server: o.server, tls: o.tls, tlsCa, tlsCert, tlsKey });
    const session = { client, source: o.source, seconds: Number(o.timeout) };
    const output = lines(session, positionals[0], positionals.slice(1), o);
    return output && { client, output };
  } catch (error) {
    console.error(`whence-example: ${error instanceof Error ? error.message : error}`);
    return undefined;
  }
}

async function main(): Promise<number> {
  const asked = command(process.argv.slice(2));
  if (asked === undefined) {
    console.error(USAGE);
    return 2;
  }
  try {
    for await (const line of asked.output) {
      console.log(line);
    }
    return 0;
  } catch (error) {
    if (!(error instanceof Refused || error instanceof Different)) {
      console.error(`whence-example: ${Failure.of(error)}`);
    }
    return 1;
  } finally {
    asked.client.close();
  }
}

process.exitCode = await main();
