package io.whence.grpc;

import io.grpc.Context;

/** Follows one call, for traces. Thread safety: implementations are thread-safe. */
public interface CallTrace {
  /** Follows nothing. */
  CallTrace NONE = new CallTrace() {};

  /** The call is about a source. */
  default void source(String name) {}

  /** Returns a listener that is to be told in place of another one, and tells that one. */
  default CallListener heard(CallListener listener) {
    return listener;
  }

  /** Returns a context in which a trace follows the call. */
  static Context noted(CallTrace trace, Context context) {
    return context.withValue(NotedTrace.KEY, trace);
  }

  /** Returns what follows the current call; {@link #NONE} where nothing does. */
  static CallTrace ofCurrentCall() {
    CallTrace noted = NotedTrace.KEY.get();
    return noted == null ? NONE : noted;
  }
}
