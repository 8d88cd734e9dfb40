package io.whence.app;

import io.whence.commit.GroupOffsets;
import io.whence.source.LogSource;
import java.util.Optional;

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

  /**
   * Returns what the groups of the opened source have committed; nothing if it keeps no offsets.
   * Opened after the source, closed before it.
   */
  default Optional<GroupOffsets> groupOffsets() {
    return Optional.empty();
  }

  /** Closes the source; its logs are durable when it returns. */
  @Override
  void close() throws Exception;
}
