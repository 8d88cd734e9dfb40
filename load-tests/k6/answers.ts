// What answers have to say, beside their status. Messages as k6 has them: JSON names, 64-bit numbers as strings.

interface PartitionAnswer {
  outcome?: string;
  offset?: string;
  bounds?: { endOffset?: string } | null;
}

interface Lookup {
  results?: { answers?: PartitionAnswer[] }[];
}

interface Commits {
  results?: { outcome?: string }[];
}

interface Appends {
  results?: { error?: unknown; range?: unknown }[];
}

/** Whether so many partitions of one query found this offset, in logs of so many records. */
export function found(message: unknown, partitions: number, offset: number, records: number): boolean {
  const answers = (message as Lookup | null)?.results?.[0]?.answers ?? [];
  return (
    answers.length === partitions &&
    answers.every(
      (one) =>
        one.outcome === "OUTCOME_FOUND" &&
        one.offset === String(offset) &&
        one.bounds?.endOffset === String(records),
    )
  );
}

/** Whether so many entries were committed, or had been before. */
export function committed(message: unknown, entries: number): boolean {
  const results = (message as Commits | null)?.results ?? [];
  return (
    results.length === entries &&
    results.every(
      (one) => one.outcome === "COMMIT_OUTCOME_COMMITTED" || one.outcome === "COMMIT_OUTCOME_UNCHANGED",
    )
  );
}

/** Whether so many batches are on disk. */
export function appended(message: unknown, entries: number): boolean {
  const results = (message as Appends | null)?.results ?? [];
  return results.length === entries && results.every((one) => one.range != null && one.error == null);
}
