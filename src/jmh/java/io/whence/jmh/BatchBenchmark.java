package io.whence.jmh;

import io.whence.bench.data.LogPlan;
import io.whence.bench.data.Shape;
import io.whence.record.CompressionCodec;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
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
 * The lookups of one call of 1,000 partitions, without the call: one time in each. Thread safety:
 * single-writer.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class BatchBenchmark {
  private static final int PARTITIONS = 1000;
  private static final LogPlan.Batches BATCHES =
      new LogPlan.Batches(CompressionCodec.LZ4, 100, 1000, 30);

  /** When the records of each partition were made. */
  @Param({"ABOUT_EVERY_MS", "DISORDERED"})
  public Shape shape;

  /** How many records each partition has. */
  @Param("10000")
  public int records;

  private ResolverState logs;

  /** Writes and opens the logs. */
  @Setup(Level.Trial)
  public void open() throws Exception {
    logs = new ResolverState(new LogPlan("many", PARTITIONS, records, shape, BATCHES));
  }

  /** Closes them. */
  @TearDown(Level.Trial)
  public void close() throws IOException {
    logs.close();
  }

  /** Looks up one time in all partitions. */
  @Benchmark
  public long lookupThousand() {
    int target = logs.nextTarget();
    long sum = 0;
    for (int partition = 0; partition < PARTITIONS; partition++) {
      sum += logs.resolve(partition, target);
    }
    return sum;
  }
}
