package io.whence.log;

/** A wish to be told of new records of a log. Thread safety: implementations are thread-safe. */
@FunctionalInterface
public interface LogWatch extends AutoCloseable {
  /** Ends it; a call back that has begun may still go on. Does nothing the second time. */
  @Override
  void close();
}
