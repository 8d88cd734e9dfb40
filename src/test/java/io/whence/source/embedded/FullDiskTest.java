package io.whence.source.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.log.AppendBatch;
import io.whence.model.ErrorReason;
import io.whence.model.OffsetRange;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.record.CompressionCodec;
import io.whence.record.SourceRecord;
import io.whence.source.TopicInfo;
import io.whence.testkit.ExactAnswers;
import io.whence.testkit.OracleRecord;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A disk that is really full: a small file system in memory where the test may mount one, and a
 * limit on the size of files elsewhere.
 */
class FullDiskTest {
  private static final TopicPartition T0 = new TopicPartition("t", 0);
  private static final int LIMIT_BLOCKS = 512;

  @TempDir private Path given;

  @Test
  void append_diskFull_isRefusedReadsGoOnAndFreeingIsEnough() throws Exception {
    Path mount = Files.createDirectories(given.resolve("mount"));
    if (run("mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", mount.toString()) == 0) {
      try {
        fillAndFree(mount);
      } finally {
        run("umount", "--lazy", mount.toString());
      }
    } else {
      String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
      String child = "ulimit -f " + LIMIT_BLOCKS + " && exec \"$0\" -cp \"$1\" \"$2\" \"$3\"";
      String path = System.getProperty("java.class.path");
      assertThat(run("sh", "-c", child, java, path, Child.class.getName(), mount.toString()))
          .isZero();
    }
  }

  /** Fills files up to their limit and reads back what was acknowledged. */
  static final class Child {
    public static void main(String[] args) throws IOException {
      Path data = Path.of(args[0], "data");
      List<OracleRecord> records = new ArrayList<>();
      try (DataDir dir = new DataDir()) {
        try (EmbeddedSource source = dir.open(data)) {
          source.createTopic("t", 1, Map.of());
          fill(source, records);
          ExactAnswers.assertExact(source.snapshot(T0), records, new Random(1));
        }
        try (EmbeddedSource source = dir.open(data)) {
          ExactAnswers.assertExact(source.snapshot(T0), records, new Random(1));
        }
      }
    }
  }

  private static void fillAndFree(Path mount) throws IOException {
    List<OracleRecord> records = new ArrayList<>();
    Path filler = Files.write(mount.resolve("filler"), new byte[512 << 10]);
    Path rest = mount.resolve("rest");
    try (DataDir dir = new DataDir()) {
      try (EmbeddedSource source = dir.open(mount.resolve("data"))) {
        source.createTopic("t", 1, Map.of("segment.bytes", "200000"));
        fill(source, records);
        ExactAnswers.assertExact(source.snapshot(T0), records, new Random(1));
        takeAll(rest);
        assertFull(() -> source.createTopic("u", 3, Map.of()));
        assertThat(source.topics()).extracting(TopicInfo::name).containsExactly("t");
        // What frees room must not need some: there is a little in reserve.
        assertThat(source.trim(T0, 1)).isEqualTo(1);
        ExactAnswers.assertExact(source.snapshot(T0), records, new Random(2));

        Files.delete(rest);
        Files.delete(filler);
        append(source, records);
        source.createTopic("u", 3, Map.of());
        fill(source, records);
        takeAll(rest);
      } catch (IOException e) {
        // The close has no room for its checkpoints; what was acknowledged is on disk long since.
        assertThat(e).hasMessageContaining("No space left");
      }
      Files.delete(rest);
      try (EmbeddedSource source = dir.open(mount.resolve("data"))) {
        ExactAnswers.assertExact(source.snapshot(T0), records, new Random(3));
        assertThat(source.trim(T0, 100)).isEqualTo(100);
        ExactAnswers.assertExact(source.snapshot(T0), records, new Random(4));
      }
      try (EmbeddedSource source = dir.open(mount.resolve("data"))) {
        takeAll(rest);
        source.deleteTopic("t", Optional.empty());
        Files.delete(rest);
        assertThat(source.topics()).extracting(TopicInfo::name).containsExactly("u");
      }
    }
  }

  private static void fill(EmbeddedSource source, List<OracleRecord> records) {
    assertThatThrownBy(
            () -> {
              for (int i = 0; i < 1000; i++) {
                append(source, records);
              }
            })
        .isInstanceOf(CompletionException.class)
        .cause()
        .isInstanceOfSatisfying(
            WhenceException.class, e -> assertThat(e.reason()).isEqualTo(ErrorReason.STORAGE_FULL));
    assertThat(records).hasSizeGreaterThan(10);
  }

  private static void append(EmbeddedSource source, List<OracleRecord> records) {
    long timestampMs = records.size() % 7;
    List<SourceRecord> batch =
        List.of(new SourceRecord(timestampMs, null, new byte[10_000], List.of()));
    OffsetRange range =
        source
            .append(T0, new AppendBatch(batch, CompressionCodec.NONE))
            .toCompletableFuture()
            .join();
    records.add(OracleRecord.data(range.startOffset(), timestampMs));
  }

  private static void assertFull(Runnable call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            WhenceException.class, e -> assertThat(e.reason()).isEqualTo(ErrorReason.STORAGE_FULL));
  }

  private static void takeAll(Path file) {
    assertThatThrownBy(
            () -> {
              try (OutputStream out = Files.newOutputStream(file)) {
                while (true) {
                  out.write(new byte[4096]);
                }
              }
            })
        .hasMessageContaining("No space left");
  }

  private static int run(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).inheritIO().start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return process.exitValue();
  }
}
