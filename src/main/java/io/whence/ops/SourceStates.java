package io.whence.ops;

import io.whence.source.SourceHealth;
import java.util.Map;

/** What health needs to know of the sources. Thread safety: implementations are thread-safe. */
public interface SourceStates {
  /** Returns whether all sources were opened and the server is not about to stop. */
  boolean isServing();

  /** Returns for each source how well it answers, by name. */
  Map<String, SourceHealth> healthByName();
}
