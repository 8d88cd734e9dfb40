// Load by k6 on a running server: SERVER (default localhost:9000), SCENARIO (default single), QUICK=1 for 2 seconds.
//   k6 run -e SCENARIO=hundred load-tests/k6/load.ts
// The server is one of the profile bench, which has the method that does nothing. For cold-start it has just been
// started; for overload it has whence.limits.calls-in-flight=64.
import { fail } from "k6";
import { Counter } from "k6/metrics";
import grpc from "k6/net/grpc";
import { SHAPES, isName, options as optionsOf } from "./scenarios.ts";

const SERVER = __ENV["SERVER"] ?? "localhost:9000";
const SCENARIO = __ENV["SCENARIO"] ?? "single";
if (!isName(SCENARIO)) {
  throw new Error(`no such scenario: ${SCENARIO}; there are ${Object.keys(SHAPES).join(", ")}`);
}
const SHAPE = SHAPES[SCENARIO];

const TOPIC = "k6-orders";
const GROUP = "k6";
const PARTITIONS = 1000;
const BEGIN_MS = 1_700_000_000_000;
const RECORDS = 60;
const RECORDS_PER_CALL = 20;
const STEP_MS = 1000;
const COMMITTED = 10;

const RESOLVE = "whence.v1.ResolverService/ResolveTimestamp";
const ANSWER = "whence.bench.NoOpService/Answer0";

// JSON has no 64-bit numbers: they are strings.
const REQUEST = {
  source: "embedded",
  queries: [
    {
      topic: TOPIC,
      partitions: numbers(SHAPE.partitions),
      position: { at_or_after: { epoch_ms: String(BEGIN_MS + (RECORDS / 2) * STEP_MS) } },
    },
  ],
};
const COMMIT = {
  source: "embedded",
  group: GROUP,
  entries: numbers(COMMITTED).map((partition) => ({
    topic: TOPIC,
    partition,
    next_offset: String(RECORDS),
  })),
};

const failed = new Counter("whence_failed");
const refused = new Counter("whence_refused");
const answered = new Counter("whence_answered");

export const options = optionsOf(SCENARIO, __ENV["QUICK"] === "1");

const client = new grpc.Client();
client.load(
  ["../../proto", "."],
  "whence/v1/resolver_service.proto",
  "whence/v1/log_service.proto",
  "whence/v1/group_offsets_service.proto",
  "noop.proto",
);
let connected = false;

/** Makes the topic, and gives the method that does nothing the answer that it has to give. */
export function setup(): void {
  connect();
  const created = client.invoke("whence.v1.LogService/CreateTopic", {
    source: "embedded",
    topic: TOPIC,
    partition_count: PARTITIONS,
  });
  if (created.status === grpc.StatusOK) {
    for (let first = 0; first < RECORDS; first += RECORDS_PER_CALL) {
      append(first);
    }
  } else if (created.status !== grpc.StatusAlreadyExists) {
    fail(`CreateTopic: ${JSON.stringify(created.error)}`);
  }
  if (SCENARIO !== "cold-start") {
    const answer = client.invoke(RESOLVE, REQUEST);
    const stored = client.invoke("whence.bench.NoOpService/Store0", answer.message);
    if (stored.status !== grpc.StatusOK) {
      fail(`Store0: ${JSON.stringify(stored.error)}; is the server one of the profile bench?`);
    }
  }
  client.close();
}

export function lookup(): void {
  connect();
  count(client.invoke(RESOLVE, REQUEST).status);
}

export function noop(): void {
  connect();
  if (client.invoke(ANSWER, REQUEST).status !== grpc.StatusOK) {
    failed.add(1);
  }
}

export function commits(): void {
  connect();
  count(client.invoke("whence.v1.GroupOffsetsService/CommitOffset", COMMIT).status);
}

/** Sends all requests of a stream at once, and counts the answers. */
export function stream(): void {
  connect();
  const messages = SHAPE.messages ?? 1;
  let answers = 0;
  const call = new grpc.Stream(client, "whence.v1.ResolverService/StreamResolveTimestamp");
  call.on("data", () => {
    answers++;
  });
  call.on("error", () => {
    failed.add(1);
  });
  call.on("end", () => {
    count(answers === messages ? grpc.StatusOK : grpc.StatusUnknown);
  });
  for (let tag = 1; tag <= messages; tag++) {
    call.write({ tag: String(tag), request: REQUEST });
  }
  call.end();
}

function append(first: number): void {
  const records = numbers(RECORDS_PER_CALL).map((number) => ({
    key: "aw==",
    value: "dg==",
    timestamp_ms: String(BEGIN_MS + (first + number) * STEP_MS),
  }));
  const entries = numbers(PARTITIONS).map((partition) => ({ topic: TOPIC, partition, records }));
  const appended = client.invoke("whence.v1.LogService/Append", { source: "embedded", entries });
  if (appended.status !== grpc.StatusOK) {
    fail(`Append: ${JSON.stringify(appended.error)}`);
  }
}

function count(status: number): void {
  if (status === grpc.StatusOK) {
    answered.add(1);
  } else if (status === grpc.StatusResourceExhausted && SHAPE.mayRefuse === true) {
    refused.add(1);
  } else {
    failed.add(1);
  }
}

/** Each virtual user keeps a connection of its own. */
function connect(): void {
  if (!connected) {
    client.connect(SERVER, { plaintext: true });
    connected = true;
  }
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
