package io.whence.bench.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.log.LogSnapshot;
import io.whence.model.Cancellation;
import io.whence.model.IsolationLevel;
import io.whence.model.Position;
import io.whence.model.Resolution;
import io.whence.model.TopicPartition;
import io.whence.record.CompressionCodec;
import io.whence.resolve.LogResolver;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ShapeTest {
  private static final int COUNT = 30_000;
  private static final long SEED = 4;

  @TempDir private Path directory;

  @ParameterizedTest
  @EnumSource
  void firstAtOrAfter_equalsAScan(Shape shape) {
    Random random = new Random(SEED);
    long lastMs = shape.timestampMs(COUNT - 1) - Shape.BASE_MS;
    for (int i = 0; i < 200; i++) {
      long ms = Shape.BASE_MS - 10 + random.nextLong(lastMs + 10_000);
      OptionalLong scanned =
          LongStream.range(0, COUNT).filter(n -> shape.timestampMs(n) >= ms).findFirst();
      assertThat(shape.firstAtOrAfter(ms, COUNT)).as("seed %d, ms %d", SEED, ms).isEqualTo(scanned);
    }
  }

  @ParameterizedTest
  @EnumSource
  void log_hasTheRecordsOfItsPlan(Shape shape) throws Exception {
    LogPlan.Batches batches = new LogPlan.Batches(CompressionCodec.LZ4, 70, 100, 20);
    LogPlan plan = new LogPlan("orders", 3, COUNT, shape, batches);
    Path data = directory.resolve("data");
    DataSet.write(data, java.util.List.of(plan));
    Random random = new Random(SEED);
    DataSet.use(
        data,
        source -> {
          for (int i = 0; i < 60; i++) {
            LogSnapshot log = source.snapshot(new TopicPartition("orders", i % 3));
            assertThat(log.highWatermark()).isEqualTo(COUNT);
            assertThat(log.segments()).hasSize((int) plan.segments());
            long ms = plan.timestampMs(random.nextDouble());
            Resolution found =
                new LogResolver()
                    .resolve(
                        log,
                        new Position.AtOrAfter(ms),
                        IsolationLevel.READ_UNCOMMITTED,
                        Cancellation.NONE);
            assertThat(OptionalLong.of(found.offset()))
                .as("seed %d, ms %d", SEED, ms)
                .isEqualTo(plan.expectedOffset(i % 3, ms));
          }
          return source.topics();
        });
  }
}
