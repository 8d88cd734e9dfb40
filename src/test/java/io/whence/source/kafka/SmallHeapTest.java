package io.whence.source.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.record.CompressionCodec;
import io.whence.record.SourceRecord;
import io.whence.source.kafka.fetch.FetchFault;
import io.whence.source.kafka.fetch.FetchedBounds;
import io.whence.testkit.BatchBuilder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A batch for which the heap is too small is why its partition is not followed, and lasts. */
class SmallHeapTest {
  @TempDir private Path directory;

  @Test
  void batchThatTheHeapHasNoRoomFor_failsWithAReasonThatLasts_andThoseWhoWatchLook()
      throws Exception {
    byte[] batch =
        BatchBuilder.batch(0)
            .record(new SourceRecord(5, null, new byte[12 << 20], List.of()))
            .codec(CompressionCodec.ZSTD)
            .build();
    Path file = Files.write(directory.resolve("batch"), batch);
    Path output = directory.resolve("output");
    Process child =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-cp",
                System.getProperty("java.class.path"),
                Following.class.getName(),
                file.toString(),
                directory.resolve("log").toString(),
                output.toString())
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("errors").toFile())
            .start();
    try {
      assertThat(child.waitFor(120, TimeUnit.SECONDS)).isTrue();
      assertThat(child.exitValue()).as(Files.readString(directory.resolve("errors"))).isZero();
    } finally {
      child.destroyForcibly();
    }

    assertThat(Files.readAllLines(output))
        .containsExactly("UNSUPPORTED", "UNSUPPORTED", "UNSUPPORTED", "1 looks");
  }

  /** Follows a batch, in a JVM of its own. */
  static final class Following {
    private Following() {}

    public static void main(String[] args) throws IOException {
      ByteBuffer batch = ByteBuffer.wrap(Files.readAllBytes(Path.of(args[0])));
      Lanes none = new Lanes(List.of());
      StartOffsets rule =
          new StartOffsets(
              new FakeLeaders(),
              new StartPoint.Earliest(),
              InstantSource.system(),
              TestPartitions.LIMIT);
      FollowedPartition partition =
          new TestPartitions(Path.of(args[1]), rule, none).make(new TopicPartition("t", 0));
      AtomicInteger looks = new AtomicInteger();
      partition.log().watch(40, looks::incrementAndGet);
      FetchedBounds bounds = new FetchedBounds(0, 1, 1, 0, System.nanoTime());
      String thrown = reasonOf(() -> partition.fetched(batch, bounds));
      partition.tellOfLastingFault();
      Files.write(
          Path.of(args[2]),
          List.of(
              thrown,
              partition.fault().map(FetchFault::reason).orElseThrow().name(),
              reasonOf(partition::snapshot),
              looks + " looks"));
    }

    private static String reasonOf(Runnable failing) {
      return catchThrowableOfType(WhenceException.class, failing::run).reason().name();
    }
  }
}
