package io.whence.bench.follow;

import io.whence.log.LogSnapshot;
import io.whence.model.IsolationLevel;
import io.whence.model.Position;
import io.whence.resolve.LogResolver;
import io.whence.resolve.PositionAnswer;
import io.whence.source.PartitionLogs;
import io.whence.source.kafka.FollowedCluster;
import io.whence.testkit.Directories;
import io.whence.testkit.KafkaBroker;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Lookups in one topic, alone and while the same process follows another one at full speed. */
final class LookupsWhileFollowing {
  private static final int LOOKUPS = 2_000_000;
  private static final int ROUNDS = 3;

  private LookupsWhileFollowing() {}

  static void measure(KafkaBroker broker, BenchTopic asked, BenchTopic followed) throws Exception {
    Path directory = Directories.temporary("whence-bench");
    try (FollowedCluster cluster =
        FollowedCluster.open(directory, broker.bootstrapServers(), asked.name())) {
      SourceReader.awaitReady(cluster.source(), asked);
      PartitionLogs logs = cluster.source().logs(asked.name());
      print("warm-up", lookUp(logs));
      for (int round = 0; round < ROUNDS; round++) {
        print("alone", lookUp(logs));
        AtomicBoolean enough = new AtomicBoolean();
        CompletableFuture<Void> following =
            CompletableFuture.runAsync(() -> followAgainAndAgain(broker, followed, enough));
        print("while another topic is followed", lookUp(logs));
        enough.set(true);
        following.get(1, TimeUnit.MINUTES);
      }
    } finally {
      Directories.delete(directory);
    }
  }

  private static void followAgainAndAgain(
      KafkaBroker broker, BenchTopic topic, AtomicBoolean enough) {
    SourceReader reader = new SourceReader(broker, false);
    try {
      while (!enough.get()) {
        reader.read(topic);
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static long[] lookUp(PartitionLogs logs) {
    LogResolver resolver = new LogResolver();
    PositionAnswer answer = new PositionAnswer();
    SplittableRandom random = new SplittableRandom(1);
    LogSnapshot some = logs.snapshot(0);
    resolver.resolveFromMemory(
        some, new Position.MaxTimestamp(), IsolationLevel.READ_UNCOMMITTED, answer);
    long lastMs = answer.recordMs();
    resolver.resolveFromMemory(
        some, new Position.Earliest(), IsolationLevel.READ_UNCOMMITTED, answer);
    long firstMs = answer.recordMs();
    long[] nanos = new long[LOOKUPS];
    for (int i = 0; i < LOOKUPS; i++) {
      Position position = new Position.AtOrAfter(random.nextLong(firstMs, lastMs + 1));
      long start = System.nanoTime();
      LogSnapshot log = logs.snapshot(i % logs.count());
      boolean known =
          resolver.resolveFromMemory(log, position, IsolationLevel.READ_UNCOMMITTED, answer);
      nanos[i] = System.nanoTime() - start;
      if (!known) {
        throw new IllegalStateException("not in memory: " + position);
      }
    }
    Arrays.sort(nanos);
    return nanos;
  }

  private static void print(String when, long[] nanos) {
    System.out.printf(
        "lookups   %-32s p50 %5d ns, p99 %6d ns, p99.9 %7d ns%n",
        when, nanos[LOOKUPS / 2], nanos[(int) (LOOKUPS * 0.99)], nanos[(int) (LOOKUPS * 0.999)]);
  }
}
