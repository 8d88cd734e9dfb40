package io.whence.k8s;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What is wrong with manifests, in sentences. Thread safety: single-writer. */
final class Problems {
  private final List<String> found = new ArrayList<>();

  /** Notes a problem unless a condition holds. */
  void unless(boolean good, String problem, Object... facts) {
    if (!good) {
      found.add(String.format(Locale.ROOT, problem, facts));
    }
  }

  List<String> found() {
    return List.copyOf(found);
  }
}
