// The jobs: a window and its records, a guarded commit, lag in time, a watch. Each yields lines of text.
import { randomUUID } from "node:crypto";
import type { DescEnum, MessageInitShape } from "@bufbuild/protobuf";
import type * as grpc from "@grpc/grpc-js";
import { type OffsetRange, OutcomeSchema, Outcome, type PartitionError, type TimePointSchema } from "../gen/whence/v1/common_pb.js";
import { ErrorReason, ErrorReasonSchema } from "../gen/whence/v1/errors_pb.js";
import {
  type CommitEntrySchema,
  CommitOutcomeSchema,
  type CommitResult,
  GroupOffsetsService,
  LagStatusSchema,
  type PartitionLag,
} from "../gen/whence/v1/group_offsets_service_pb.js";
import { LogService } from "../gen/whence/v1/log_service_pb.js";
import { ResolverService, type WatchTimestampResponse } from "../gen/whence/v1/resolver_service_pb.js";
import { serverStream, unary } from "./connection.js";
import { Failure } from "./errors.js";
import { lookup, retrying, waitToRetry } from "./retry.js";

/** Some partition failed; the lines say which and why. */
export class Refused extends Error {}

/** A connection, and what all jobs on it have in common. */
export interface Session {
  client: grpc.Client;
  source: string;
  seconds: number;
}

/** RFC 3339 with an offset, or digits: epoch milliseconds. The server refuses what looks like seconds. */
export function moment(text: string): MessageInitShape<typeof TimePointSchema> {
  return /^[0-9]+$/.test(text) && BigInt(text) < 2n ** 63n
    ? { form: { case: "epochMs", value: BigInt(text) } }
    : { form: { case: "rfc3339", value: text } };
}

/** Tells where the records of [from, to) lie in all partitions, and reads the first of each from there. */
export async function* window(s: Session, topic: string, from: string, to: string, records: number) {
  const query = { topic, from: moment(from), to: moment(to) };
  const request = { source: s.source, queries: [query] };
  const method = ResolverService.method.resolveWindow;
  const response = await lookup((left) => unary(s.client, method, request, left), s.seconds);
  const result = response.results[0]!;
  if (result.error) {
    yield `${topic} ${failed(result.error)}`;
    throw new Refused();
  }
  yield `${topic}: [${result.fromMs}, ${result.toMs}) ms`;
  let [count, found, refused] = [0n, 0, false];
  for (const answer of result.answers) {
    const name = `${topic}-${answer.partition}`;
    if (answer.outcome === Outcome.FOUND) {
      const { startOffset, endOffset } = answer.range!;
      found++;
      count += answer.recordCount;
      const counts = `${answer.recordCount} records, ${answer.outsideCount} outside`;
      yield `${name} FOUND ${startOffset}..${endOffset}: ${counts}`;
      yield* read(s, topic, answer.partition, answer.range!, records);
    } else if (answer.outcome === Outcome.FAILED) {
      refused = true;
      yield `${name} ${failed(answer.error!)}`;
    } else {
      yield `${name} ${word(OutcomeSchema, answer.outcome)}`;
    }
  }
  yield `sum: ${count} records in ${found} of ${result.partitionCount} partitions`;
  if (refused) {
    throw new Refused();
  }
}

/** Starts at the start of a range, and stops at its end or after so many records. */
async function* read(s: Session, topic: string, partition: number, span: OffsetRange, records: number) {
  let offset = span.startOffset;
  while (records > 0 && offset < span.endOffset) {
    const request = { source: s.source, topic, partition, offset, maxRecords: Math.min(records, 1000) };
    const page = await lookup((left) => unary(s.client, LogService.method.read, request, left), s.seconds);
    for (const record of page.records) {
      const { offset: at, timestampMs } = record.info!;
      if (at < span.endOffset) {
        yield `  ${at} at ${timestampMs} ms: ${utf8(record.key)}=${utf8(record.value)}`;
      }
    }
    if (page.nextOffset === offset) {
      return;
    }
    records -= page.records.length;
    offset = page.nextOffset;
  }
}

/**
 * Commits one offset. With the request id, sending it again after a lost answer commits nothing twice, where the same
 * server gets it. In front of a followed cluster each server remembers only what it answered itself: send what you
 * expect, too, and another one refuses with CONFLICT what is done already.
 */
export async function* commit(
  s: Session,
  group: string,
  entry: MessageInitShape<typeof CommitEntrySchema>,
  requestId: string = randomUUID(),
) {
  const request = { source: s.source, group, entries: [entry], requestId };
  let sent = 0;
  const response = await retrying((left) => {
    sent++;
    return unary(s.client, GroupOffsetsService.method.commitOffset, request, left);
  }, s.seconds);
  const result = response.results[0]!;
  const name = `${result.topic}-${result.partition}`;
  if (sent > 1 && isDone(entry, result)) {
    yield `${name} COMMITTED -> ${result.offsetNow} (sent before)`;
    return;
  }
  if (result.error) {
    yield `${name} ${failed(result.error)}`;
    throw new Refused();
  }
  const change = `${result.offsetBefore ?? "none"} -> ${result.offsetNow}`;
  yield `${name} ${word(CommitOutcomeSchema, result.outcome)} ${change}${response.replayed ? " (sent before)" : ""}`;
}

/** Whether a commit that was sent again is refused because the one before did its work. */
function isDone(entry: MessageInitShape<typeof CommitEntrySchema>, result: CommitResult): boolean {
  const refused = result.error?.reason === ErrorReason.CONFLICT;
  return refused && result.offsetNow !== undefined && result.offsetNow === entry.nextOffset;
}

/** Tells how far a group is behind, in records and in time. */
export async function* lag(s: Session, group: string) {
  const request = { source: s.source, queries: [{ group }] };
  const method = GroupOffsetsService.method.getGroupLag;
  const response = await lookup((left) => unary(s.client, method, request, left), s.seconds);
  const result = response.results[0]!;
  if (result.error) {
    yield `${group} ${failed(result.error)}`;
    throw new Refused();
  }
  if (!result.exists) {
    yield `${group} has committed nothing`;
    throw new Refused();
  }
  for (const part of result.partitions) {
    yield `${part.topic}-${part.partition} ${lagOf(part)}`;
  }
  const sum = result.sum!;
  yield `sum: ${sum.recordLag} records in ${sum.partitionCount} partitions, span ${sum.maxSpanMs ?? 0} ms`;
}

function lagOf(part: PartitionLag): string {
  if (part.error) {
    return failed(part.error);
  }
  const records = part.recordLag === undefined ? "" : `: ${part.recordLag} records`;
  const span = part.spanMs === undefined ? "" : `, span ${part.spanMs} ms`;
  const waiting = part.stalenessMs === undefined ? "" : `, waiting for ${part.stalenessMs} ms`;
  return `${word(LagStatusSchema, part.status)}${records}${span}${waiting}`;
}

/**
 * Tells, per partition and then for all, that a moment has been reached. The deadline ends the wait. A connection that
 * grows too old does not, nor does a server that stops: asked again, it tells of all partitions again, and those that we
 * told of are left out.
 */
export async function* watch(s: Session, topic: string, time: string) {
  const end = Date.now() + s.seconds * 1000;
  const told = new Set<string>();
  const query = { topic, time: moment(time) };
  for (let attempt = 1; ; attempt++) {
    const request = { source: s.source, queries: [query] };
    const left = (end - Date.now()) / 1000;
    try {
      for await (const { event } of serverStream(s.client, ResolverService.method.watchTimestamp, request, left)) {
        const [name, text] = toldBy(event);
        if (event.case === "started") {
          attempt = 1;
          query.time = { form: { case: "epochMs", value: event.value.targetTimestampMs[0]! } };
        }
        if (name !== "" && !told.has(name)) {
          told.add(name);
          yield text;
        }
        if (event.case === "done" && event.value.failedCount > 0) {
          throw new Refused();
        }
      }
      return;
    } catch (error) {
      if (error instanceof Refused || !(await waitToRetry(Failure.of(error), attempt, end))) {
        throw error;
      }
    }
  }
}

/** What an event is about, and the line that tells of it. */
function toldBy(event: WatchTimestampResponse["event"]): [name: string, text: string] {
  switch (event.case) {
    case "started":
      return [event.case, `watching ${event.value.partitionCount} partitions for ${event.value.targetTimestampMs[0]} ms`];
    case "partition": {
      const answer = event.value.answer!;
      const name = `${event.value.topic}-${answer.partition}`;
      return [name, `${name} ${answer.error ? failed(answer.error) : `reached at ${answer.offset}`}`];
    }
    case "done":
      return [event.case, `done: ${event.value.reachedCount} reached, ${event.value.failedCount} failed`];
  }
  return ["", ""];
}

function utf8(bytes: Uint8Array | undefined): string {
  return new TextDecoder().decode(bytes);
}

function failed(error: PartitionError): string {
  return `FAILED ${word(ErrorReasonSchema, error.reason)}: ${error.message}`;
}

/** The name of an enum's value, without its prefix; a number for one that is newer than this client. */
function word(desc: DescEnum, number: number): string {
  const prefix = desc.value[0]!.name.replace(/UNSPECIFIED$/, "");
  return desc.value[number]?.name.slice(prefix.length) ?? String(number);
}
