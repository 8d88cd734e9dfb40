package io.whence.cli;

import io.grpc.StatusRuntimeException;

/** A call that failed as a whole, with the server that it went to. Immutable. */
public final class CallFailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String server;
  private final StatusRuntimeException failure;

  CallFailedException(String server, StatusRuntimeException failure) {
    super(failure);
    this.server = server;
    this.failure = failure;
  }

  /** Returns the server as HOST:PORT. */
  public String server() {
    return server;
  }

  /** Returns the status that the call ended with. */
  public StatusRuntimeException failure() {
    return failure;
  }
}
