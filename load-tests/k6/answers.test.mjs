// Run by load-tests/k6/check: node --test, on what the compiler makes of the scripts.
import assert from "node:assert/strict";
import test from "node:test";

const { appended, committed, found } = await import(`${process.env.COMPILED}/answers.js`);
const { SHAPES, options } = await import(`${process.env.COMPILED}/scenarios.js`);

const right = { outcome: "OUTCOME_FOUND", offset: "30", bounds: { endOffset: "60" } };
const lookup = (...answers) => ({ results: [{ answers }] });

test("a lookup is right where each partition is", () => {
  assert.ok(found(lookup(right, right), 2, 30, 60));
  for (const wrong of [
    { ...right, outcome: "OUTCOME_FAILED", offset: undefined },
    { ...right, offset: "31" },
    { ...right, offset: 30 },
    { ...right, bounds: { endOffset: "40" } },
    { ...right, bounds: null },
  ]) {
    assert.ok(!found(lookup(right, wrong), 2, 30, 60), JSON.stringify(wrong));
  }
  assert.ok(!found(lookup(right), 2, 30, 60));
  for (const none of [null, undefined, {}, { results: [] }]) {
    assert.ok(!found(none, 2, 30, 60));
  }
});

test("commits and appends are right where each entry is", () => {
  const outcomes = (...names) => ({ results: names.map((name) => ({ outcome: `COMMIT_OUTCOME_${name}` })) });
  assert.ok(committed(outcomes("COMMITTED", "UNCHANGED"), 2));
  assert.ok(!committed(outcomes("COMMITTED", "NOT_APPLIED"), 2));
  assert.ok(!committed(outcomes("COMMITTED"), 2));
  assert.ok(!committed(null, 2));
  const range = { beginOffset: "0", endOffset: "20" };
  assert.ok(appended({ results: [{ range, error: null }] }, 1));
  assert.ok(!appended({ results: [{ range: null, error: { reason: "ERROR_REASON_STORAGE_FULL" } }] }, 1));
  assert.ok(!appended({ results: [] }, 1));
});

test("each scenario wants answers, and no failure", () => {
  for (const name of Object.keys(SHAPES)) {
    const { thresholds } = options(name, false);
    assert.deepEqual(thresholds.whence_failed, ["count==0"], name);
    const [least] = thresholds.whence_answered;
    assert.match(least, /^count>=[1-9]/, name);
  }
  assert.deepEqual(options("soak", false).thresholds.whence_answered, ["count>=513000"]);
  assert.ok("dropped_iterations{scenario:soak}" in options("soak", false).thresholds);
  assert.deepEqual(options("cold-start", true).thresholds.whence_answered, ["count>=50"]);
});
