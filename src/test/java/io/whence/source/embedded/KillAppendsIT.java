package io.whence.source.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.log.LogSnapshot;
import io.whence.model.TopicPartition;
import io.whence.testkit.Directories;
import io.whence.testkit.ExactAnswers;
import io.whence.testkit.KafkaRecords;
import io.whence.testkit.KillHarness;
import io.whence.testkit.OracleRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills a server that appends, again and again: {@code -Dwhence.kill.rounds=200} for a long run.
 * What was acknowledged must be there, and all answers must be those of a scan of the files with
 * Kafka's own classes.
 */
class KillAppendsIT {
  private static final int ROUNDS = Integer.getInteger("whence.kill.rounds", 20);
  private static final int ROUNDS_PER_DIRECTORY = 10;

  /** On a slow machine time alone would let the server do next to nothing. */
  private static final int MOST_LINES = 80;

  private static final long MOST_NANOS = Duration.ofMillis(100).toNanos();

  @TempDir private Path given;

  /** What a partition was acknowledged to hold. */
  private static final class Acknowledged {
    final TreeMap<Long, Long> timestamps = new TreeMap<>();
    long trimmedTo;
  }

  @Test
  void server_killedWhileItAppends_keepsWhatItAcknowledged() throws IOException {
    long seed = Long.getLong("whence.seed", System.nanoTime());
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    Map<TopicPartition, Acknowledged> acknowledged = new HashMap<>();
    long appends = 0;
    long trims = 0;
    for (int round = 0; round < ROUNDS; round++) {
      Path data = given.resolve("data-" + round / ROUNDS_PER_DIRECTORY);
      if (round % ROUNDS_PER_DIRECTORY == 0) {
        acknowledged.clear();
        Directories.delete(given.resolve("data-" + (round / ROUNDS_PER_DIRECTORY - 1)));
      }
      KillHarness child =
          new KillHarness(
              AppendingServer.class,
              List.of(data.toString(), String.valueOf(random.nextLong())),
              given.resolve("errors"));
      KillHarness.Round killed =
          child.killAfterLines(
              1 + random.nextInt(MOST_LINES), Duration.ofNanos(random.nextLong(MOST_NANOS)));
      assertThat(killed.killed()).isTrue();
      for (String line : killed.lines()) {
        appends += line.startsWith("appended") ? 1 : 0;
        trims += line.startsWith("trimmed") ? 1 : 0;
        note(line, acknowledged);
      }
      check(data, acknowledged, random);
    }
    System.out.printf(
        "%d kills, %d acknowledged appends, %d acknowledged trims%n", ROUNDS, appends, trims);
    assertThat(appends).isPositive();
  }

  /** Reads {@code appended <topic> <partition> <start> <times>} or {@code trimmed <...> <to>}. */
  private static void note(String line, Map<TopicPartition, Acknowledged> acknowledged) {
    List<String> words = List.of(line.split(" "));
    if (words.size() < 4) {
      return; // "ready"
    }
    TopicPartition partition = new TopicPartition(words.get(1), Integer.parseInt(words.get(2)));
    Acknowledged known = acknowledged.computeIfAbsent(partition, p -> new Acknowledged());
    long offset = Long.parseLong(words.get(3));
    if (words.get(0).equals("trimmed")) {
      known.trimmedTo = Math.max(known.trimmedTo, offset);
      return;
    }
    for (String timestamp : words.get(4).split(",")) {
      Long other = known.timestamps.put(offset, Long.parseLong(timestamp));
      assertThat(other).as("offset %s given out twice", offset).isNull();
      offset++;
    }
  }

  /** Opens a copy: the next child shall find what the kill left. */
  private void check(Path data, Map<TopicPartition, Acknowledged> acknowledged, Random random)
      throws IOException {
    Path copy = given.resolve("copy");
    Directories.copy(data, copy);
    try (DataDir dir = new DataDir();
        EmbeddedSource source = dir.open(copy)) {
      assertThat(source.warnings()).isEmpty();
      for (TopicPartition partition : AppendingServer.PARTITIONS) {
        LogSnapshot log = source.snapshot(partition);
        List<OracleRecord> records = KafkaRecords.read(copy.resolve(partition.toString()));
        checkWhole(copy.resolve(partition.toString()), log, records);
        if (acknowledged.containsKey(partition)) {
          checkAcknowledged(log, records, acknowledged.get(partition));
        }
        ExactAnswers.assertExact(log, records, random);
      }
    } finally {
      Directories.delete(copy);
    }
  }

  private static void checkWhole(Path directory, LogSnapshot log, List<OracleRecord> records)
      throws IOException {
    assertThat(log.damages()).isEmpty();
    long bytes = 0;
    try (var files = Files.list(directory)) {
      for (Path file : files.filter(name -> name.toString().endsWith(".log")).toList()) {
        bytes += Files.size(file);
      }
    }
    assertThat(bytes).isEqualTo(log.sizeBytes());
    if (!records.isEmpty()) {
      long first = records.get(0).offset();
      assertThat(first).isLessThanOrEqualTo(log.logStartOffset());
      assertThat(log.highWatermark()).isEqualTo(first + records.size());
    }
  }

  private static void checkAcknowledged(
      LogSnapshot log, List<OracleRecord> records, Acknowledged known) {
    assertThat(log.logStartOffset()).isGreaterThanOrEqualTo(known.trimmedTo);
    assertThat(log.highWatermark()).isGreaterThanOrEqualTo(known.trimmedTo);
    Map<Long, Long> found = new HashMap<>();
    records.forEach(record -> found.put(record.offset(), record.timestampMs()));
    known
        .timestamps
        .tailMap(log.logStartOffset())
        .forEach(
            (offset, timestampMs) ->
                assertThat(found.get(offset)).as("offset %s", offset).isEqualTo(timestampMs));
  }
}
