package io.whence.bench.lookup;

import io.whence.bench.report.Section;

/** One part of the comparison. */
interface Measurement {
  /** Returns the name by which it is asked for. */
  String name();

  /** Measures. */
  Section measure(Lab lab) throws Exception;
}
