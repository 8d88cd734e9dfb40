// Load by k6 on a running server: SERVER (default localhost:9000), SCENARIO (default single), QUICK=1 for 2 seconds.
//   k6 run -e SCENARIO=hundred load-tests/k6/load.ts
// The server is one of the profile bench, which has the method that does nothing. For cold-start it has just been
// started; for overload it has whence.limits.calls-in-flight=64.
import { fail } from "k6";
import { Counter } from "k6/metrics";
import grpc from "k6/net/grpc";
import { appended, committed, found } from "./answers.ts";
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

const REQUEST = request(SHAPE.partitions);
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
    // A run before may have ended while it filled the topic.
    const all = client.invoke(RESOLVE, request(PARTITIONS));
    if (!found(all.message, PARTITIONS, RECORDS / 2, RECORDS)) {
      fail(`topic ${TOPIC} doesn't hold ${RECORDS} records in each of ${PARTITIONS} partitions; delete it`);
    }
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
  const answer = client.invoke(RESOLVE, REQUEST);
  count(answer.status, isRight(answer.message));
}

export function noop(): void {
  connect();
  if (client.invoke(ANSWER, REQUEST).status !== grpc.StatusOK) {
    failed.add(1);
  }
}

export function commits(): void {
  connect();
  const answer = client.invoke("whence.v1.GroupOffsetsService/CommitOffset", COMMIT);
  if (answer.status !== grpc.StatusOK || !committed(answer.message, COMMITTED)) {
    failed.add(1);
  }
}

/** Sends all requests of a stream at once, and counts the right answers. */
export function stream(): void {
  connect();
  const messages = SHAPE.messages ?? 1;
  let answers = 0;
  const call = new grpc.Stream(client, "whence.v1.ResolverService/StreamResolveTimestamp");
  call.on("data", (data) => {
    if (isRight((data as { response?: unknown } | undefined)?.response)) {
      answers++;
    }
  });
  call.on("error", () => {
    failed.add(1);
  });
  call.on("end", () => {
    count(grpc.StatusOK, answers === messages);
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
  const answer = client.invoke("whence.v1.LogService/Append", { source: "embedded", entries });
  if (answer.status !== grpc.StatusOK || !appended(answer.message, PARTITIONS)) {
    fail(`Append: ${JSON.stringify(answer.error)}; delete topic ${TOPIC}`);
  }
}

/** Asks for the record in the middle of so many partitions. JSON has no 64-bit numbers: they are strings. */
function request(partitions: number): object {
  const position = { at_or_after: { epoch_ms: String(BEGIN_MS + (RECORDS / 2) * STEP_MS) } };
  return { source: "embedded", queries: [{ topic: TOPIC, partitions: numbers(partitions), position }] };
}

function isRight(message: unknown): boolean {
  return found(message, SHAPE.partitions, RECORDS / 2, RECORDS);
}

function count(status: number, right: boolean): void {
  if (status === grpc.StatusOK && right) {
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
