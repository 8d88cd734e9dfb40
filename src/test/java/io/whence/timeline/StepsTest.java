package io.whence.timeline;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;

/** Packed rows against an array of them. */
class StepsTest {
  private static final int ROWS = 3_000;

  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);

  @Test
  void evenSteps_found() {
    check(ascending(step -> 1));
    check(ascending(step -> 1_000));
  }

  @Test
  void unevenSteps_found() {
    for (int i = 0; i < 20; i++) {
      // From one row to the next a millisecond or thirty years: the guess is far off.
      check(ascending(step -> 1 + (random.nextInt(50) == 0 ? random.nextLong(1L << 40) : step)));
      check(ascending(step -> 1 + (long) Math.exp(random.nextDouble() * 20)));
    }
  }

  @Test
  void quietBeginningOrEnd_found() {
    check(ascending(row -> row < ROWS - 2 ? 1 : 1L << 41));
    check(ascending(row -> row > 2 ? 1 : 1L << 41));
    check(ascending(row -> row == ROWS / 2 ? 1L << 50 : 1));
  }

  @Test
  void timesUpToTheLargest_found() {
    long[] times = new long[ROWS];
    for (int row = 0; row < ROWS; row++) {
      times[row] = Long.MAX_VALUE - ROWS + 1 + row;
    }
    check(times);
    times[0] = 0;
    check(times);
    long[] steep = new long[600];
    for (int row = 0; row < steep.length; row++) {
      steep[row] = Long.MAX_VALUE / steep.length * row;
    }
    check(steep);
  }

  @Test
  void fewRows_found() {
    for (int rows = 0; rows <= 2 * Steps.FRAME_ROWS + 1; rows++) {
      check(Arrays.copyOf(ascending(step -> 1 + random.nextInt(3)), rows));
    }
  }

  private long[] ascending(LongUnaryOperator stepOfRow) {
    long[] times = new long[ROWS];
    long ms = random.nextInt(1_000_000);
    for (int row = 0; row < ROWS; row++) {
      times[row] = ms;
      ms += stepOfRow.applyAsLong(row);
    }
    return times;
  }

  private void check(long[] times) {
    StepsWriter writer = new StepsWriter(Timeline.Columns.ASCENDING);
    for (int row = 0; row < times.length; row++) {
      writer.add(times[row], offset(row));
    }
    Steps steps = reread(writer.toSteps());
    TreeSet<Long> targets = new TreeSet<>();
    targets.add(0L);
    targets.add(Long.MAX_VALUE);
    for (int row = 0; row < times.length; row++) {
      assertThat(steps.value(row, Steps.TIMESTAMP)).as("row %d", row).isEqualTo(times[row]);
      assertThat(steps.value(row, Steps.OFFSET)).as("row %d", row).isEqualTo(offset(row));
      targets.add(times[row]);
      targets.add(Math.max(0, times[row] - 1));
      targets.add(times[row] == Long.MAX_VALUE ? times[row] : times[row] + 1);
      targets.add(random.nextLong(Long.MAX_VALUE));
    }
    for (long target : targets) {
      int place = Arrays.binarySearch(times, target);
      assertThat(steps.firstAtOrAfter(target))
          .as("at or after %d, seed %d", target, seed)
          .isEqualTo(place < 0 ? -place - 1 : place);
    }
  }

  /** Gaps of all sizes between offsets. */
  private static long offset(int row) {
    return 3L * row + (row % 7 == 0 ? 1 : 0) + (row > ROWS / 2 ? 1L << 35 : 0);
  }

  private static Steps reread(Steps steps) {
    ByteBuffer bytes = ByteBuffer.allocate(steps.writtenBytes());
    steps.writeTo(bytes);
    bytes.flip();
    return Steps.readFrom(bytes);
  }
}
