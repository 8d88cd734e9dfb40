package io.whence.commit;

import io.whence.log.LogEvents;
import io.whence.log.LogMemory;
import io.whence.model.Cancellation;
import io.whence.model.TopicPartition;
import io.whence.source.embedded.EmbeddedOptions;
import io.whence.source.embedded.EmbeddedSource;
import io.whence.testkit.ManualClock;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/**
 * Measures many groups: how long it takes to read them at the start, what they take of the heap,
 * how fast one is found, and what is left of groups that expired. Prints a table. Run it by hand:
 *
 * <pre>
 *   java -Xmx2g -cp ... io.whence.commit.GroupScale &lt;empty directory&gt; 100000 10
 * </pre>
 *
 * <p>Thread safety: single-writer.
 */
final class GroupScale implements AutoCloseable {
  private static final String TOPIC = "orders";
  private static final int LOOKUPS = 200_000;
  private static final int UNDER_WAY = 1_000;

  private final ManualClock clock = new ManualClock(1_700_000_000_000L);
  private final ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(1);
  private final ExecutorService flusher = Executors.newFixedThreadPool(2);
  private final ExecutorService reader = Executors.newFixedThreadPool(2);
  private final Path data;
  private final int groups;
  private final int offsetsEach;
  private EmbeddedSource source;
  private EmbeddedGroupOffsets offsets;

  /**
   * What was measured.
   *
   * @param openMs to open the source and read all groups
   * @param emptyHeap of the process before it opened anything, in bytes
   * @param heap with all groups
   * @param p50Nanos of a lookup
   * @param p99Nanos of a lookup
   * @param expireMs to remove as many groups again, which committed once
   * @param heapAfter when these are gone
   * @param liveAfter how many offsets there are then
   * @param logBytes of the offsets topic, after compaction
   */
  record Result(
      long openMs,
      long emptyHeap,
      long heap,
      long p50Nanos,
      long p99Nanos,
      long expireMs,
      long heapAfter,
      long liveAfter,
      long logBytes) {}

  private GroupScale(Path data, int groups, int offsetsEach) {
    this.data = data;
    this.groups = groups;
    this.offsetsEach = offsetsEach;
  }

  /**
   * Measures and prints.
   *
   * @param args an empty directory, how many groups, and how many offsets each of them has
   */
  public static void main(String[] args) throws IOException {
    measure(Path.of(args[0]), Integer.parseInt(args[1]), Integer.parseInt(args[2]));
  }

  /** Measures and prints. */
  static Result measure(Path data, int groups, int offsetsEach) throws IOException {
    try (GroupScale scale = new GroupScale(data, groups, offsetsEach)) {
      Result result = scale.measure();
      System.out.printf(
          "%d groups of %d offsets%n"
              + "| start, to read them all | %d ms |%n"
              + "| heap before, with them | %.1f MiB, %.1f MiB |%n"
              + "| heap for each offset | %.0f bytes |%n"
              + "| lookup of one offset, p50, p99 | %d ns, %d ns |%n"
              + "| to expire as many one-shot groups | %d ms |%n"
              + "| heap after that | %.1f MiB |%n"
              + "| log on disk, compacted | %.1f MiB |%n",
          groups,
          offsetsEach,
          result.openMs(),
          mib(result.emptyHeap()),
          mib(result.heap()),
          (result.heap() - result.emptyHeap()) / ((double) groups * offsetsEach),
          result.p50Nanos(),
          result.p99Nanos(),
          result.expireMs(),
          mib(result.heapAfter()),
          mib(result.logBytes()));
      return result;
    }
  }

  private static double mib(long bytes) {
    return bytes / (double) (1 << 20);
  }

  private Result measure() throws IOException {
    final long emptyHeap = usedHeap();
    open();
    source.createTopic(TOPIC, offsetsEach, Map.of());
    commitAll("group-", offsetsEach);
    close(source);
    long startNanos = System.nanoTime();
    open();
    final long openMs = (System.nanoTime() - startNanos) / 1_000_000;
    final long heap = usedHeap();
    long[] lookups = lookups();
    // The groups of the first kind are renewed; those that commit once are not, and expire.
    commitAll("one-shot-", 1);
    clock.advance(Duration.ofDays(6).toMillis());
    commitAll("group-", offsetsEach);
    clock.advance(Duration.ofDays(2).toMillis());
    startNanos = System.nanoTime();
    int expired = offsets.expire().toCompletableFuture().join();
    final long expireMs = (System.nanoTime() - startNanos) / 1_000_000;
    if (expired != groups) {
      throw new IllegalStateException(expired + " offsets expired, not " + groups);
    }
    offsets.compact();
    return new Result(
        openMs,
        emptyHeap,
        heap,
        lookups[lookups.length / 2],
        lookups[lookups.length * 99 / 100],
        expireMs,
        usedHeap(),
        offsets.figures().offsets(),
        logBytes());
  }

  private void open() throws IOException {
    source =
        EmbeddedSource.open(
            "local",
            new EmbeddedOptions(
                data,
                clock,
                flusher,
                Runnable::run,
                scheduler,
                Duration.ofDays(1),
                Duration.ofDays(1),
                LogEvents.NOOP,
                LogMemory.usual()));
    GroupOptions options =
        new GroupOptions(
            clock, Duration.ofDays(7), 1, Duration.ofMinutes(15), 1_000, 4_096, 8 << 20);
    offsets = EmbeddedGroupOffsets.open(source, options, reader);
  }

  /** Commits for all groups, many at once. */
  private void commitAll(String prefix, int partitions) {
    Deque<CompletionStage<Void>> underWay = new ArrayDeque<>();
    for (int i = 0; i < groups; i++) {
      List<CommitEntry> entries = new ArrayList<>(partitions);
      for (int partition = 0; partition < partitions; partition++) {
        entries.add(
            new CommitEntry(
                new TopicPartition(TOPIC, partition),
                1_000_000L + i,
                -1,
                "",
                Expected.ANYTHING,
                -1,
                null,
                false,
                true));
      }
      CommitRequest request =
          new CommitRequest(prefix + i, entries, "", false, false, "scale", ChangeCause.COMMIT);
      underWay.add(offsets.commit(request, Cancellation.NONE).durable());
      if (underWay.size() > UNDER_WAY) {
        underWay.remove().toCompletableFuture().join();
      }
    }
    underWay.forEach(commit -> commit.toCompletableFuture().join());
  }

  private long[] lookups() {
    Random random = new Random(1);
    long[] nanos = new long[LOOKUPS];
    long sum = 0;
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < LOOKUPS; i++) {
        String group = "group-" + random.nextInt(groups);
        int partition = random.nextInt(offsetsEach);
        long start = System.nanoTime();
        sum +=
            offsets.group(group).orElseThrow().offset(TOPIC, partition).orElseThrow().nextOffset();
        nanos[i] = System.nanoTime() - start;
      }
    }
    if (sum < 2L * LOOKUPS * 1_000_000) {
      throw new IllegalStateException("wrong offsets: sum " + sum);
    }
    Arrays.sort(nanos);
    return nanos;
  }

  private long logBytes() {
    long bytes = 0;
    for (int i = 0; i < OffsetsTopic.PARTITION_COUNT; i++) {
      bytes += source.snapshot(new TopicPartition(OffsetsTopic.NAME, i)).sizeBytes();
    }
    return bytes;
  }

  private static long usedHeap() {
    for (int i = 0; i < 3; i++) {
      System.gc();
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  private static void close(EmbeddedSource source) throws IOException {
    source.close();
  }

  @Override
  public void close() throws IOException {
    if (source != null) {
      source.close();
    }
    scheduler.shutdownNow();
    flusher.shutdownNow();
    reader.shutdownNow();
  }
}
