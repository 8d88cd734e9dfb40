package io.whence.grpc;

import io.grpc.Context;

/** Where the context of a call has its trace. Thread safety: immutable. */
final class NotedTrace {
  static final Context.Key<CallTrace> KEY = Context.key("trace");

  private NotedTrace() {}
}
