package io.whence.jmh;

import io.whence.bench.data.LogPlan;
import io.whence.bench.data.Shape;
import io.whence.model.TimestampType;
import io.whence.record.CompressionCodec;
import io.whence.timeline.SegmentTimeline;
import io.whence.timeline.SegmentTimelineBuilder;
import io.whence.timeline.TimelineHit;
import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * One lookup in one partition, at random times: by the resolver, by the timeline alone, and by a
 * plain binary search over an array of the timestamps. Thread safety: single-writer.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class LookupBenchmark {
  private static final LogPlan.Batches BATCHES =
      new LogPlan.Batches(CompressionCodec.LZ4, 1000, 10_000, 0);
  private static final int TARGETS = 1 << 16;
  private static final long SEED = 5;

  /** By the resolver. */
  @Benchmark
  public long lookup(Ordered logs) {
    return logs.resolve();
  }

  /** By the resolver, where timestamps are up to 5 s late. */
  @Benchmark
  public long lookupDisordered(Disordered logs) {
    return logs.resolve();
  }

  /** By the timeline of one segment. */
  @Benchmark
  public long timelineAlone(Alone alone) {
    alone.timeline.firstAtOrAfter(alone.nextMs(), alone.hit);
    return alone.hit.offset();
  }

  /** The yardstick. */
  @Benchmark
  public int plainBinarySearch(Plain plain) {
    return Arrays.binarySearch(plain.timestamps, plain.nextMs());
  }

  /** A partition. */
  @State(Scope.Thread)
  public abstract static class Partition {
    /** How many records the partition has. */
    @Param("10000000")
    public int records;

    private ResolverState logs;

    abstract Shape shape();

    /** Writes and opens the log. */
    @Setup(Level.Trial)
    public void open() throws Exception {
      logs = new ResolverState(new LogPlan("long", 1, records, shape(), BATCHES));
    }

    /** Closes it. */
    @TearDown(Level.Trial)
    public void close() throws IOException {
      logs.close();
    }

    long resolve() {
      return logs.resolve(0, logs.nextTarget());
    }
  }

  /** A partition whose timestamps never go back. */
  public static class Ordered extends Partition {
    @Override
    Shape shape() {
      return Shape.ABOUT_EVERY_MS;
    }
  }

  /** A partition whose timestamps are up to 5 s late. */
  public static class Disordered extends Partition {
    @Override
    Shape shape() {
      return Shape.DISORDERED;
    }
  }

  /** Times to look up, without a log. */
  @State(Scope.Thread)
  public abstract static class Times {
    /** How many records there are. */
    @Param("10000000")
    public int records;

    private final long[] targetMs = new long[TARGETS];
    private int next;

    /** Makes records and times to look up. */
    @Setup(Level.Trial)
    public void make() {
      Random random = new Random(SEED);
      for (int i = 0; i < TARGETS; i++) {
        targetMs[i] = ms(random.nextInt(records));
      }
      addRecords();
    }

    abstract void addRecords();

    static long ms(int record) {
      return Shape.ABOUT_EVERY_MS.timestampMs(record);
    }

    long nextMs() {
      return targetMs[next++ & (TARGETS - 1)];
    }
  }

  /** The timeline of one segment. */
  public static class Alone extends Times {
    private SegmentTimeline timeline = SegmentTimeline.EMPTY;
    private final TimelineHit hit = new TimelineHit();

    @Override
    void addRecords() {
      SegmentTimelineBuilder builder = new SegmentTimelineBuilder();
      builder.beginBatch(0, TimestampType.CREATE_TIME, 0);
      for (int i = 0; i < records; i++) {
        builder.addRecord(i, ms(i));
      }
      timeline = builder.build().compacted();
    }
  }

  /** An array of timestamps. */
  public static class Plain extends Times {
    private long[] timestamps = {};

    @Override
    void addRecords() {
      timestamps = IntStream.range(0, records).mapToLong(Times::ms).toArray();
    }
  }
}
