package io.whence.resolve;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.log.FollowedEnds;
import io.whence.log.FollowedLog;
import io.whence.log.FollowedLogOptions;
import io.whence.log.LogConfig;
import io.whence.log.LogEnvironment;
import io.whence.log.LogEvents;
import io.whence.log.LogSnapshot;
import io.whence.model.IsolationLevel;
import io.whence.testkit.Fixture.Partition;
import io.whence.testkit.Fixtures;
import io.whence.testkit.LeaderHistory;
import io.whence.testkit.ManualClock;
import io.whence.testkit.OracleRecord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Followed logs of what real brokers have answer as a brute-force scan of it does. */
class FollowedFixturesTest {
  /** So many take the oracle long: they are compared once. */
  private static final int MANY_RECORDS = 20_000;

  private static final int LENGTH = 8;
  private static final int UNCOUNTED_BYTES = 12;

  @TempDir private Path directory;

  static List<String> fixtures() {
    return Fixtures.names();
  }

  @ParameterizedTest
  @MethodSource("fixtures")
  void everyQuestion_answeredAsByBruteForce(String fixture) throws IOException {
    Path broker = Fixtures.unpack(fixture, directory.resolve("broker"));
    long seed = System.nanoTime();
    System.out.println("FollowedFixturesTest " + fixture + " seed " + seed);
    Random random = new Random(seed);
    long questions = 0;
    for (Partition partition : Fixtures.load(fixture).partitions()) {
      List<byte[]> batches = batches(broker.resolve(partition.dir()), partition.highWatermark());
      Path followed = directory.resolve("followed-" + partition.dir());
      FollowedLog log = open(followed, partition);

      follow(log, batches, partition, random);
      if (log.snapshot().highWatermark() < MANY_RECORDS) {
        questions += compare(log.snapshot(), fixture, partition, random);
      }
      log.close();
      log = open(followed, partition);
      questions += compare(log.snapshot(), fixture, partition, random);

      assertThat(log.position().nextOffset()).isEqualTo(partition.highWatermark());
      log.close();
    }
    assertThat(questions).isGreaterThan(300);
  }

  private static FollowedLog open(Path directory, Partition partition) throws IOException {
    LogEnvironment environment =
        new LogEnvironment(
            new ManualClock(1), Runnable::run, deletion -> {}, 2_000, LogEvents.NOOP);
    return FollowedLog.open(
        directory,
        partition.topicPartition(),
        LogConfig.of(Map.of("segment.bytes", "4000", "index.interval.bytes", "500")),
        environment,
        FollowedLogOptions.startingAt(partition.logStartOffset()));
  }

  private static void follow(
      FollowedLog log, List<byte[]> batches, Partition partition, Random random)
      throws IOException {
    FollowedEnds ends =
        new FollowedEnds(
            partition.logStartOffset(), partition.highWatermark(), partition.lastStableOffset());
    log.confirm(ends);
    int at = 0;
    while (at < batches.size()) {
      int end = Math.min(batches.size(), at + 1 + random.nextInt(12));
      List<byte[]> portion = batches.subList(at, end);
      ByteBuffer bytes =
          ByteBuffer.allocate(portion.stream().mapToInt(batch -> batch.length).sum());
      portion.forEach(bytes::put);
      log.append(bytes.flip(), ends);
      at = end;
    }
  }

  /** Returns the batches of a partition that its leader has after a start. */
  private static List<byte[]> batches(Path partition, long endOffset) throws IOException {
    List<byte[]> batches = new ArrayList<>();
    List<Path> logs;
    try (Stream<Path> files = Files.list(partition)) {
      logs = files.filter(file -> file.toString().endsWith(".log")).sorted().toList();
    }
    for (Path log : logs) {
      ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(log));
      while (bytes.remaining() > UNCOUNTED_BYTES && bytes.getLong(bytes.position()) < endOffset) {
        byte[] batch = new byte[UNCOUNTED_BYTES + bytes.getInt(bytes.position() + LENGTH)];
        bytes.get(batch);
        if (LeaderHistory.lastOffset(batch) < endOffset) {
          batches.add(batch);
        }
      }
    }
    return batches;
  }

  private static long compare(LogSnapshot log, String fixture, Partition partition, Random random) {
    assertThat(log.logStartOffset()).isEqualTo(partition.logStartOffset());
    assertThat(log.highWatermark()).isEqualTo(partition.highWatermark());
    assertThat(log.lastStableOffset()).isEqualTo(partition.lastStableOffset());
    for (IsolationLevel isolation : IsolationLevel.values()) {
      assertThat(log.timelines(isolation)).as("%s in memory", isolation).isNotNull();
    }
    List<OracleRecord> records = Fixtures.records(fixture, partition.dir());
    RandomLog asked =
        new RandomLog(
            List.of(new RandomLog.Segment(partition.logStartOffset())),
            records,
            partition.logStartOffset(),
            partition.highWatermark(),
            partition.highWatermark(),
            partition.lastStableOffset(),
            500);
    return new RandomQuestions(log, Fixtures.oracle(fixture, partition), asked, random.nextLong())
        .askAll();
  }
}
