import assert from "node:assert/strict";
import { test } from "node:test";
import { create, type JsonValue, toBinary } from "@bufbuild/protobuf";
import { anyPack } from "@bufbuild/protobuf/wkt";
import * as grpc from "@grpc/grpc-js";
import { ErrorInfoSchema, RetryInfoSchema, StatusSchema } from "../gen/rpc_status_pb.js";
import { differences } from "../src/conformance.js";
import { Failure } from "../src/errors.js";
import { lookup, pauseAfter, retrying } from "../src/retry.js";

function failing(code: grpc.status, domain?: string, retryNanos?: number): grpc.ServiceError {
  const details = [];
  if (domain !== undefined) {
    const info = create(ErrorInfoSchema, { domain, reason: "OVERLOADED", metadata: { retry_after_ms: "20" } });
    details.push(anyPack(ErrorInfoSchema, info));
  }
  if (retryNanos !== undefined) {
    details.push(anyPack(RetryInfoSchema, create(RetryInfoSchema, { retryDelay: { nanos: retryNanos } })));
  }
  const metadata = new grpc.Metadata();
  const bytes = toBinary(StatusSchema, create(StatusSchema, { code, details }));
  metadata.set("grpc-status-details-bin", Buffer.from(bytes));
  return Object.assign(new Error("no"), { code, details: "no", metadata });
}

const overloaded = failing(grpc.status.RESOURCE_EXHAUSTED, "whence", 20_000_000);

test("a failure has reason, metadata and retry", () => {
  const text = "RESOURCE_EXHAUSTED OVERLOADED (retry_after_ms=20): no; retry after 20 ms";
  assert.equal(String(Failure.of(overloaded)), text);
});

test("a failure of another domain has no reason", () => {
  const failure = Failure.of(failing(grpc.status.NOT_FOUND, "proxy"));
  assert.deepEqual([failure.reason, failure.maySucceedLater], ["", false]);
});

const away = failing(grpc.status.UNAVAILABLE);
const refused = failing(grpc.status.INVALID_ARGUMENT);
const tooLarge = failing(grpc.status.RESOURCE_EXHAUSTED);
const notReady = failing(grpc.status.UNAVAILABLE, "whence", 20_000_000);
const forGood = Array<grpc.ServiceError>(9).fill(overloaded);
for (const [sending, name, failures, calls] of [
  [retrying, "answered", [], 1],
  [retrying, "overloaded, then answered", [overloaded, overloaded], 3],
  [retrying, "away, then answered", [away], 2],
  [retrying, "refused", [refused], 1],
  [retrying, "too large, without a RetryInfo", [tooLarge], 1],
  [retrying, "overloaded for good", forGood, 5],
  [lookup, "turned away, then answered", [overloaded, overloaded], 3],
  [lookup, "turned away for good", forGood, 5],
  [lookup, "too large, without a RetryInfo", [tooLarge], 1],
  [lookup, "unavailable, as gRPC repeats", [notReady], 1],
] as [typeof retrying, string, grpc.ServiceError[], number][]) {
  test(`${sending.name}: ${name}`, async () => {
    let made = 0;
    const call = async () => {
      if (made++ < failures.length) {
        throw failures[made - 1];
      }
    };
    const result = sending(call, 10);
    await (calls > failures.length ? result : assert.rejects(result));
    assert.equal(made, calls);
  });
}

for (const [said, least] of [[0, 10], [1, 10], [1000, 1000]] as [number, number][]) {
  test(`a pause is as long as the server says, or half as long again: ${said} ms`, () => {
    const failure = new Failure("RESOURCE_EXHAUSTED", "no", "", {}, said);
    const pauses = Array.from({ length: 100 }, () => pauseAfter(failure, 1));
    assert.ok(Math.min(...pauses) >= least && Math.max(...pauses) <= least * 1.5);
    assert.ok(new Set(pauses).size > 1);
  });
}

for (const [wanted, got, count] of [
  [{ a: "9007199254740993" }, { a: "9007199254740993" }, 0],
  [{ a: "9007199254740993" }, { a: "9007199254740992" }, 1],
  [{ a: "$any" }, { a: 5 }, 0],
  [{ a: "$any" }, {}, 1],
  [{}, { a: "0" }, 1],
  [[1, 2], [1], 1],
  [[1, { a: true }], [2, { a: false }], 2],
  ["1", 1, 1],
] as [JsonValue, JsonValue, number][]) {
  test(`differences of ${JSON.stringify(wanted)} and ${JSON.stringify(got)}`, () => {
    assert.equal(differences("value", wanted, got).length, count);
  });
}
