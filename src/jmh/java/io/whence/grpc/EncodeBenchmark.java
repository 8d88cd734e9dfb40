package io.whence.grpc;

import io.whence.bench.data.Shape;
import io.whence.model.LogBounds;
import io.whence.model.Origin;
import io.whence.model.Outcome;
import io.whence.model.Position;
import io.whence.model.RecordStamp;
import io.whence.model.Resolution;
import io.whence.model.TimestampType;
import io.whence.resolve.PositionAnswer;
import io.whence.v1.PositionKind;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Writing the answers of one call of 1,000 partitions. Thread safety: single-writer. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class EncodeBenchmark {
  private static final int PARTITIONS = 1000;
  private static final long TARGET_MS = Shape.BASE_MS + 500_000;
  private static final Target TARGET =
      new Target(
          PositionKind.POSITION_KIND_AT_OR_AFTER,
          new Position.AtOrAfter(TARGET_MS),
          TARGET_MS,
          true);
  private static final Resolution FOUND =
      new Resolution(
          Outcome.FOUND,
          500_000,
          new RecordStamp(500_000, TARGET_MS, TimestampType.CREATE_TIME, 3),
          0,
          new LogBounds(0, 1_000_000),
          false,
          Origin.MEMORY);

  private final TimestampEncoder encoder = new TimestampEncoder();
  private final PositionAnswer answer = new PositionAnswer();

  /** Writes a response with 1,000 answers. */
  @Benchmark
  public int encodeThousand() {
    answer.set(FOUND);
    encoder.begin("embedded", TARGET_MS + 1_000_000);
    encoder.beginResult(0, "orders", TARGET);
    encoder.partitionCount(PARTITIONS);
    for (int partition = 0; partition < PARTITIONS; partition++) {
      encoder.answer(partition, TARGET, answer, 0);
    }
    encoder.endResult();
    return encoder.response().hashCode();
  }
}
