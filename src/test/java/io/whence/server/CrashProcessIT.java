package io.whence.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.StatusRuntimeException;
import io.whence.testkit.Directories;
import io.whence.v1.AppendEntry;
import io.whence.v1.AppendRequest;
import io.whence.v1.AppendResult;
import io.whence.v1.Position;
import io.whence.v1.ReadRecord;
import io.whence.v1.ReadRequest;
import io.whence.v1.ReadResponse;
import io.whence.v1.RecordData;
import io.whence.v1.ResolveTimestampRequest;
import io.whence.v1.TimePoint;
import io.whence.v1.TimestampAnswer;
import io.whence.v1.TimestampQuery;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A server that is killed while it acknowledges appends, and what the next one finds. */
class CrashProcessIT {
  private static final String TOPIC = "orders";
  private static final int PARTITIONS = 4;
  private static final int ROUNDS = 3;
  private static final long START_MS = 1_717_200_000_000L;
  private static final long SEED = System.nanoTime();

  private final Path data = Directories.temporary("whence-crash");
  private final SplittableRandom random = new SplittableRandom(SEED);

  /** What was acknowledged: timestamps by offset, for each partition. */
  private final List<ConcurrentSkipListMap<Long, Long>> acknowledged = new ArrayList<>();

  @AfterEach
  void delete() {
    Directories.delete(data);
  }

  @Test
  void killDuringAppends_everyAcknowledgedRecordIsThere() throws Exception {
    System.out.println("seed " + SEED);
    for (int partition = 0; partition < PARTITIONS; partition++) {
      acknowledged.add(new ConcurrentSkipListMap<>());
    }
    for (int round = 0; round < ROUNDS; round++) {
      try (ServerProcess server = ServerProcess.start(data)) {
        try (Client client = server.client()) {
          if (round == 0) {
            client.topic(TOPIC, PARTITIONS);
          }
          verify(client);
        }
        appendUntilKilled(server);
      }
    }
    try (ServerProcess server = ServerProcess.start(data);
        Client client = server.client()) {
      verify(client);
      assertThat(acknowledged).allSatisfy(partition -> assertThat(partition).isNotEmpty());
    }
  }

  private void appendUntilKilled(ServerProcess server) throws Exception {
    ExecutorService writers = Executors.newFixedThreadPool(PARTITIONS);
    List<Future<?>> ends = new ArrayList<>();
    try (Client client = server.client()) {
      int before = count();
      for (int partition = 0; partition < PARTITIONS; partition++) {
        int own = partition;
        ends.add(writers.submit(() -> append(client, own, random.split())));
      }
      int wanted = before + 200 + random.nextInt(400);
      Awaitility.await()
          .pollInterval(Duration.ofMillis(1))
          .atMost(Duration.ofSeconds(60))
          .until(() -> count() >= wanted);
      server.kill();
      for (Future<?> end : ends) {
        end.get(60, TimeUnit.SECONDS);
      }
    } finally {
      writers.shutdownNow();
    }
  }

  private int count() {
    return acknowledged.stream().mapToInt(Map::size).sum();
  }

  /** Appends until a call fails. */
  private void append(Client client, int partition, SplittableRandom sizes) {
    Map<Long, Long> offsets = acknowledged.get(partition);
    for (int call = 0; ; call++) {
      List<Long> timestampsMs = new ArrayList<>();
      AppendEntry.Builder entry = AppendEntry.newBuilder().setTopic(TOPIC).setPartition(partition);
      for (int i = 1 + sizes.nextInt(5); i > 0; i--) {
        timestampsMs.add(START_MS + sizes.nextInt(1_000_000));
        entry.addRecords(
            RecordData.newBuilder().setTimestampMs(timestampsMs.get(timestampsMs.size() - 1)));
      }
      try {
        AppendResult result =
            client.log.append(AppendRequest.newBuilder().addEntries(entry).build()).getResults(0);
        assertThat(result.hasError()).as("call %s: %s", call, result.getError()).isFalse();
        for (int i = 0; i < timestampsMs.size(); i++) {
          offsets.put(result.getRange().getStartOffset() + i, timestampsMs.get(i));
        }
      } catch (StatusRuntimeException e) {
        return; // Killed.
      }
    }
  }

  private void verify(Client client) {
    for (int partition = 0; partition < acknowledged.size(); partition++) {
      TreeMap<Long, Long> found = readAll(client, partition);
      assertThat(found)
          .as("partition %s", partition)
          .containsAllEntriesOf(acknowledged.get(partition));
      if (!found.isEmpty()) {
        assertThat(found.firstKey()).isZero();
        assertThat(found.lastKey()).isEqualTo(found.size() - 1L);
        verifyAnswers(client, partition, found);
      }
    }
  }

  private static TreeMap<Long, Long> readAll(Client client, int partition) {
    TreeMap<Long, Long> found = new TreeMap<>();
    long next = 0;
    boolean isMore = true;
    while (isMore) {
      ReadResponse page =
          client.log.read(
              ReadRequest.newBuilder()
                  .setTopic(TOPIC)
                  .setPartition(partition)
                  .setOffset(next)
                  .build());
      for (ReadRecord record : page.getRecordsList()) {
        found.put(record.getInfo().getOffset(), record.getInfo().getTimestampMs());
      }
      next = page.getNextOffset();
      isMore = next < page.getBounds().getEndOffset();
    }
    return found;
  }

  private void verifyAnswers(Client client, int partition, TreeMap<Long, Long> log) {
    for (int i = 0; i < 20; i++) {
      long wantedMs = START_MS + random.nextInt(1_000_000);
      TimestampAnswer answer = ask(client, partition, wantedMs);
      assertThat(answer.hasOffset() ? answer.getOffset() : -1L)
          .as("partition %s at or after %s", partition, wantedMs)
          .isEqualTo(firstAtOrAfter(log, wantedMs));
    }
  }

  private static long firstAtOrAfter(TreeMap<Long, Long> log, long wantedMs) {
    return log.entrySet().stream()
        .filter(record -> record.getValue() >= wantedMs)
        .mapToLong(Map.Entry::getKey)
        .findFirst()
        .orElse(-1);
  }

  private static TimestampAnswer ask(Client client, int partition, long wantedMs) {
    Position position =
        Position.newBuilder().setAtOrAfter(TimePoint.newBuilder().setEpochMs(wantedMs)).build();
    return client
        .resolver
        .resolveTimestamp(
            ResolveTimestampRequest.newBuilder()
                .addQueries(
                    TimestampQuery.newBuilder()
                        .setTopic(TOPIC)
                        .addPartitions(partition)
                        .setPosition(position))
                .build())
        .getResults(0)
        .getAnswers(0);
  }
}
