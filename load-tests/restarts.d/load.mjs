// Load by the client in TypeScript: calls until standard input ends, then prints what became of them, as JSON.
// Uses the calls, the retries and the errors of clients/node: its built files are in the directory that CLIENT names.
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";

const home = process.env["CLIENT"];
const grpc = createRequire(join(home, "package.json"))("@grpc/grpc-js");
const built = (name) => import(pathToFileURL(join(home, "dist", name)).href);
const { serviceConfig, unary } = await built("src/connection.js");
const { retrying } = await built("src/retry.js");
const { Failure } = await built("src/errors.js");
const { Outcome } = await built("gen/whence/v1/common_pb.js");
const { ErrorReasonSchema } = await built("gen/whence/v1/errors_pb.js");
const { CommitOutcome, GroupOffsetsService } = await built("gen/whence/v1/group_offsets_service_pb.js");
const { ResolverService } = await built("gen/whence/v1/resolver_service_pb.js");

const SHOWN = 20;
const plan = JSON.parse(process.argv[2]);

class Wrong extends Error {}

/** A commit was refused, or a partition has no answer. */
class Refused extends Error {
  constructor(error) {
    super(`${ErrorReasonSchema.value[error?.reason]?.name}: ${error?.message}`);
  }
}

// ---- the connection: as in clients/node/src/connection.ts, with addresses and interceptors of our own ----

const tally = { calls: {}, failures: {}, shown: [], wrong: 0, wrong_shown: [], sent_again: 0, made_before: 0, missed: 0 };
const micros = { one: [], hundred: [], window: [], commit: [] };

// grpc-js says in the headers of an answer how often it had sent the request before.
function countingAttempts(options, next) {
  return new grpc.InterceptingCall(next(options), {
    start(metadata, listener, start) {
      start(metadata, {
        onReceiveMetadata(headers, receive) {
          tally.sent_again += Number(headers.get("grpc-previous-rpc-attempts")[0] ?? 0);
          receive(headers);
        },
      });
    },
  });
}

// grpc-js doesn't look at health. It is told the addresses of nodes that are ready, as by the names of a headless
// service, and asks again each half second.
class ReadyNodes {
  constructor(target, listener) {
    this.listener = listener;
    this.known = undefined;
  }

  updateResolution() {
    this.timer ??= setInterval(() => this.look(), 500);
    this.known = undefined;
    setImmediate(() => this.look());
  }

  look() {
    const text = readFileSync(plan.endpoints, "utf8");
    if (text === this.known || this.timer === undefined) {
      return;
    }
    this.known = text;
    const ports = JSON.parse(text);
    const endpoints = ports.map((port) => ({ addresses: [{ host: "127.0.0.1", port }] }));
    const details = "no node is ready";
    const error = { code: grpc.status.UNAVAILABLE, details, metadata: new grpc.Metadata() };
    this.listener(ports.length > 0 ? { ok: true, value: endpoints } : { ok: false, error }, {}, null, "");
  }

  destroy() {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  static getDefaultAuthority() {
    return "whence";
  }
}

grpc.experimental.registerResolver("ready", ReadyNodes);

const client = new grpc.Client("ready:nodes", grpc.credentials.createInsecure(), {
  "grpc.service_config": JSON.stringify(serviceConfig),
  "grpc.keepalive_time_ms": 30_000,
  "grpc.max_receive_message_length": 16 << 20,
  interceptors: [countingAttempts],
});

// ---- the calls; record i of partition p was made at start + p + i * step ----

const below = (bound) => Math.floor(Math.random() * bound);

function atOrAfter(partition, moment) {
  const index = Math.ceil((moment - plan.start_ms - partition) / plan.step_ms);
  return Math.min(Math.max(index, 0), plan.records);
}

function requireAnswers(result) {
  const failed = [result, ...result.answers].find((one) => one.error !== undefined);
  if (failed !== undefined) {
    throw new Refused(failed.error);
  }
}

async function resolve(partitions) {
  const moment = plan.start_ms + below((plan.records + 2) * plan.step_ms) - plan.step_ms;
  const position = { kind: { case: "atOrAfter", value: { form: { case: "epochMs", value: BigInt(moment) } } } };
  const request = { source: plan.source, queries: [{ topic: plan.topic, partitions, position }] };
  const { results } = await unary(client, ResolverService.method.resolveTimestamp, request, plan.timeout);
  requireAnswers(results[0]);
  const answers = results[0].answers;
  if (answers.length !== partitions.length) {
    throw new Wrong(`${moment} ms: ${answers.length} answers for ${partitions.length} partitions`);
  }
  answers.forEach((answer, i) => {
    const wanted = atOrAfter(partitions[i], moment);
    const good =
      wanted < plan.records
        ? answer.outcome === Outcome.FOUND && answer.offset === BigInt(wanted)
        : answer.outcome === Outcome.AFTER_END;
    if (!good || answer.partition !== partitions[i]) {
      throw new Wrong(`${moment} ms lies at ${wanted} of partition ${partitions[i]}, not: ${text(answer)}`);
    }
  });
}

async function resolveWindow() {
  const partition = below(plan.partitions);
  const first = plan.start_ms + below(plan.records / 2) * plan.step_ms;
  const last = first + (1 + below(plan.records / 2 - 1)) * plan.step_ms;
  const moment = (ms) => ({ form: { case: "epochMs", value: BigInt(ms) } });
  const query = { topic: plan.topic, partitions: [partition], from: moment(first), to: moment(last) };
  const request = { source: plan.source, queries: [query] };
  const { results } = await unary(client, ResolverService.method.resolveWindow, request, plan.timeout);
  requireAnswers(results[0]);
  const answer = results[0].answers[0];
  const [start, end] = [BigInt(atOrAfter(partition, first)), BigInt(atOrAfter(partition, last))];
  const { startOffset, endOffset } = answer.range ?? {};
  const good = answer.outcome === Outcome.FOUND && startOffset === start && endOffset === end;
  if (!good || answer.recordCount !== end - start) {
    throw new Wrong(`[${first}, ${last}) ms is ${start}..${end} of partition ${partition}, not: ${text(answer)}`);
  }
}

// The next offset of the next partition, guarded by the one that was acknowledged before.
async function commit(caller) {
  const partition = caller.commits % plan.partitions;
  const before = caller.committed[partition];
  const nextOffset = BigInt((before ?? 0) + 1);
  const guard = before === undefined ? { expectNoOffset: true } : { expectedOffset: BigInt(before) };
  const entry = { topic: plan.topic, partition, nextOffset, ...guard };
  const request = { source: plan.source, group: caller.group, entries: [entry], requestId: randomUUID() };
  let tries = 0;
  const send = (left) => {
    tries++;
    return unary(client, GroupOffsetsService.method.commitOffset, request, left);
  };
  let result;
  try {
    result = (await retrying(send, plan.timeout)).results[0];
  } finally {
    tally.sent_again += tries - 1;
  }
  const committed = result.outcome === CommitOutcome.COMMITTED;
  if (!committed && !(tries > 1 && result.offsetNow === nextOffset)) {
    throw new Refused(result.error);
  }
  tally.made_before += committed ? 0 : 1;
  caller.committed[partition] = Number(nextOffset);
  caller.commits++;
}

const text = (message) => JSON.stringify(message, (_, value) => (typeof value === "bigint" ? `${value}` : value));

const CALLS = {
  one: () => resolve([below(plan.partitions)]),
  hundred: () => resolve([...Array(plan.partitions).keys()]),
  window: resolveWindow,
  commit,
};

// ---- the load ----

function anyLookup() {
  const die = below(10);
  return die < 6 ? "one" : die < 7 ? "hundred" : "window";
}

async function call(kind, caller) {
  const began = performance.now();
  tally.calls[kind] = (tally.calls[kind] ?? 0) + 1;
  try {
    await CALLS[kind](caller);
    micros[kind].push(Math.round((performance.now() - began) * 1000));
  } catch (error) {
    if (error instanceof Wrong) {
      tally.wrong++;
      tally.wrong_shown.push(`${kind}: ${error.message}`);
      return;
    }
    const refused = error instanceof Refused;
    const failure = refused ? { status: "REFUSED", reason: error.message.split(":")[0] } : Failure.of(error);
    const key = `${kind} ${failure.status} ${failure.reason}`.trim();
    tally.failures[key] = (tally.failures[key] ?? 0) + 1;
    tally.shown.push(`${kind} after ${Math.round(performance.now() - began)} ms: ${refused ? error.message : failure}`);
  }
}

let stopped = false;

// At fixed times; what is late by more than a second isn't sent.
async function keepCalling(caller, kind, intervalMs) {
  let due = performance.now() + Math.random() * intervalMs;
  while (!stopped) {
    const early = due - performance.now();
    if (early > 0) {
      await sleep(early);
      continue;
    }
    await call(kind(), caller);
    due += intervalMs;
    const late = performance.now() - due;
    if (late > 1000) {
      const missed = Math.floor(late / intervalMs);
      due += missed * intervalMs;
      tally.missed += missed;
    }
  }
}

const callers = (count) =>
  Array.from({ length: count }, (_, i) => ({ group: `${plan.run}-node-${i}`, commits: 0, committed: {} }));
const looking = callers(plan.callers);
const committing = callers(plan.committers);
const running = [
  ...looking.map((caller) => keepCalling(caller, anyLookup, (1000 * looking.length) / plan.lookups)),
  ...committing.map((caller) => keepCalling(caller, () => "commit", (1000 * committing.length) / plan.commits)),
];
process.stdin.resume().on("end", () => (stopped = true));
await Promise.all(running);
client.close();
tally.shown.splice(SHOWN);
tally.wrong_shown.splice(SHOWN);
const committed = Object.fromEntries(committing.map((caller) => [caller.group, caller.committed]));
process.stdout.write(`${JSON.stringify({ ...tally, micros, committed })}\n`);
