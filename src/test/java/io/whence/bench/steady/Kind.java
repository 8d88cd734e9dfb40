package io.whence.bench.steady;

import io.grpc.Channel;
import io.whence.bench.Caller;

/** A kind of call. Thread safety: immutable. */
enum Kind {
  /** Lookups by time. */
  LOOKUP("lookups", 4) {
    @Override
    Caller caller(Channel channel, int number) {
      return new Lookups(channel);
    }
  },
  /** Appends of records. */
  APPEND("appends", 2) {
    @Override
    Caller caller(Channel channel, int number) {
      return new Appends(channel, number);
    }
  },
  /** Commits of offsets. */
  COMMIT("commits", 2) {
    @Override
    Caller caller(Channel channel, int number) {
      return new Commits(channel, number);
    }
  };

  private final String title;
  private final int callers;

  Kind(String title, int callers) {
    this.title = title;
    this.callers = callers;
  }

  /** Returns a caller, by its number. */
  abstract Caller caller(Channel channel, int number);

  /** Returns the name for tables. */
  String title() {
    return title;
  }

  /** Returns how many callers there are. */
  int callers() {
    return callers;
  }
}
