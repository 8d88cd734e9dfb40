package io.whence.grpc;

/**
 * A unary call that is worked on in turns. Thread safety: single-writer; one thread after the
 * other.
 *
 * @param <R> the answer
 */
interface TurnCall<R> extends TurnWork, AutoCloseable {
  /** Returns the answer, when all is done. It is good until the call is closed. */
  R answer();

  /** Gives back what it works with, when it is answered or has failed. */
  @Override
  void close();
}
