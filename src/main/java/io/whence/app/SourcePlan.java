package io.whence.app;

import java.util.List;

/** Which sources this server has. Thread safety: thread-safe. */
public interface SourcePlan {
  /** Returns the sources to open, in order. */
  List<SourceLifecycle> sources();
}
