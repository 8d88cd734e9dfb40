package io.whence.bench.steady;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * Whether a figure grows. Thread safety: immutable.
 *
 * @param what the figure and its unit
 * @param first what it is at the beginning, on the line that fits it
 * @param growth by how much it grows until the end, on that line
 * @param bound by how much it may
 */
record Trend(String what, double first, double growth, double bound) {
  /**
   * Fits a line: its slope is the median of those between any two windows, which no single window
   * moves.
   *
   * @param share how much of its median it may grow by
   * @param slack how much it may grow by in any case
   */
  static Trend of(
      String what,
      List<Window> windows,
      ToDoubleFunction<Window> figure,
      double share,
      double slack) {
    int count = windows.size();
    if (count < 2) {
      throw new IllegalArgumentException("a line needs two windows");
    }
    double[] slopes = new double[count * (count - 1) / 2];
    int next = 0;
    for (int i = 0; i < count; i++) {
      for (int j = i + 1; j < count; j++) {
        double rise = figure.applyAsDouble(windows.get(j)) - figure.applyAsDouble(windows.get(i));
        slopes[next++] = rise / (windows.get(j).minutes() - windows.get(i).minutes());
      }
    }
    double minutes = windows.get(count - 1).minutes() - windows.get(0).minutes();
    double growth = median(slopes) * minutes;
    double middle = median(windows.stream().mapToDouble(figure).toArray());
    return new Trend(what, middle - growth / 2, growth, Math.max(share * middle, slack));
  }

  private static double median(double[] figures) {
    double[] sorted = figures.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /** Returns whether it grows by no more than it may. */
  boolean isFlat() {
    return growth <= bound;
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%s: %s: from %.2f by %+.2f over the time that is judged; at most %+.2f",
        isFlat() ? "flat" : "GROWS",
        what,
        first,
        growth,
        bound);
  }
}
