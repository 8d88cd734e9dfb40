package io.whence.app;

import io.whence.source.LogSource;

/**
 * Opens a source and closes it again. Called by one thread at a time: open once, then close once,
 * also when opening failed half-way.
 */
public interface SourceLifecycle extends AutoCloseable {
  /** Returns the name of the source. */
  String name();

  /** Returns the setting that says where the source is; a failure to open is put down to it. */
  String setting();

  /** Opens the source and loads its logs. May take long and read much. */
  LogSource open() throws Exception;

  /** Closes the source; its logs are durable when it returns. */
  @Override
  void close() throws Exception;
}
