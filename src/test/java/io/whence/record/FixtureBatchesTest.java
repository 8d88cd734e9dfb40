package io.whence.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.testkit.FixtureArchive;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The segments of a real broker read as Kafka's classes read them. */
class FixtureBatchesTest {
  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "codecs",
        "compacted",
        "log-append-time",
        "no-timestamp-mtime",
        "outliers",
        "transactions",
        "consumer-offsets"
      })
  void segmentsOfBroker_readTheSame(String fixture) throws Exception {
    FixtureArchive.unpack(fixture, directory);
    List<Path> segments;
    try (Stream<Path> paths = Files.walk(directory)) {
      segments = paths.filter(path -> path.toString().endsWith(".log")).toList();
    }

    assertThat(segments).isNotEmpty();
    for (Path segment : segments) {
      ByteBuffer buffer = ByteBuffer.wrap(Files.readAllBytes(segment));
      assertThat(ReadRecord.byCursor(buffer))
          .as("%s", segment.getFileName())
          .isEqualTo(ReadRecord.byKafka(buffer));
      assertNoFaults(buffer);
    }
  }

  private static void assertNoFaults(ByteBuffer buffer) {
    RecordBatch batch = new RecordBatch();
    long lastOffset = -1;
    for (int at = 0; at < buffer.limit(); at += (int) batch.sizeInBytes()) {
      batch.wrap(buffer, at);
      assertThat(BatchValidator.fault(batch, buffer.limit() - at, lastOffset)).isEmpty();
      lastOffset = batch.lastOffset();
    }
  }
}
