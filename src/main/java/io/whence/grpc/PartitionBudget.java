package io.whence.grpc;

/**
 * Counts what the queries of one call ask for and refuses too much. Thread safety: single-writer.
 */
final class PartitionBudget {
  private final long limit;
  private final String what;
  private long taken;

  PartitionBudget(long limit, String what) {
    this.limit = limit;
    this.what = what;
  }

  /** Counts, or fails the call with {@code LIMIT_EXCEEDED}. */
  void take(int count, FieldPath field) {
    take(count, 1, field);
  }

  /** Counts so many of each of several, or fails the call with {@code LIMIT_EXCEEDED}. */
  void take(int count, int ofEach, FieldPath field) {
    taken += (long) count * ofEach;
    if (taken > limit) {
      throw BadRequests.tooMany(field, taken, limit, what);
    }
  }

  /** Returns how many were asked for so far. */
  int taken() {
    return (int) taken;
  }
}
