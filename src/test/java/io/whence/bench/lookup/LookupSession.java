package io.whence.bench.lookup;

import io.whence.bench.Session;
import java.util.List;

/**
 * Callers of one peer. Thread safety: immutable.
 *
 * @param callers what runs side by side
 * @param release closes what they use
 */
record LookupSession(List<LookupCaller> callers, Runnable release) implements Session {
  LookupSession {
    callers = List.copyOf(callers);
  }

  @Override
  public void verify() {
    callers.forEach(LookupCaller::requireChecked);
  }

  @Override
  public void close() {
    release.run();
  }
}
