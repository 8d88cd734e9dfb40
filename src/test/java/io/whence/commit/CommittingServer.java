package io.whence.commit;

import io.whence.log.LogEvents;
import io.whence.log.LogMemory;
import io.whence.model.Cancellation;
import io.whence.source.embedded.EmbeddedOptions;
import io.whence.source.embedded.EmbeddedSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Commits and deletes offsets for ever from several threads, and prints a line before everything
 * that it does and one when that was acknowledged. Offsets expire and the log is compacted
 * meanwhile. Made to be killed.
 *
 * <pre>
 *   begin KIND GROUP OFFSET PARTITIONS
 *   end GROUP RESULTS
 * </pre>
 */
final class CommittingServer implements AutoCloseable {
  static final int THREADS = 4;

  /** Groups of this prefix are committed by a clock that is late, so that they expire at once. */
  static final String FLEETING = "fleeting-";

  private static final Duration RETENTION = Duration.ofDays(7);
  private static final int SEGMENT_BYTES = 16_000;

  final EmbeddedSource source;
  final EmbeddedGroupOffsets offsets;
  private final ThreadLocal<Duration> late = ThreadLocal.withInitial(() -> Duration.ZERO);
  private final AtomicLong nextOffset = new AtomicLong();

  private CommittingServer(Path data, Executor flusher, ScheduledExecutorService scheduler)
      throws IOException {
    InstantSource clock = () -> Instant.now().minus(late.get());
    source =
        EmbeddedSource.open(
            "local",
            new EmbeddedOptions(
                data,
                InstantSource.system(),
                flusher,
                Runnable::run,
                scheduler,
                Duration.ofDays(1),
                Duration.ofMillis(20),
                LogEvents.NOOP,
                LogMemory.usual()));
    GroupOptions options =
        new GroupOptions(
            clock, RETENTION, 10, Duration.ofHours(1), 1_000_000, 4_096, SEGMENT_BYTES);
    offsets = EmbeddedGroupOffsets.open(source, options, Runnable::run);
  }

  static CommittingServer open(Path data, Executor flusher, ScheduledExecutorService scheduler)
      throws IOException {
    return new CommittingServer(data, flusher, scheduler);
  }

  /**
   * Runs until it is killed.
   *
   * @param args the data directory, a seed, and an offset that is larger than all that were
   *     committed
   */
  public static void main(String[] args) throws IOException {
    ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(2);
    CommittingServer server = open(Path.of(args[0]), Executors.newFixedThreadPool(2), scheduler);
    server.nextOffset.set(Long.parseLong(args[2]));
    if (server.source.topics().stream().noneMatch(t -> t.name().equals(GroupOp.TOPIC))) {
      server.source.createTopic(GroupOp.TOPIC, GroupOp.PARTITIONS, Map.of());
    }
    System.out.println("ready");
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    Random seeds = new Random(Long.parseLong(args[1]));
    for (int i = 0; i < THREADS; i++) {
      int thread = i;
      long seed = seeds.nextLong();
      threads.execute(() -> server.run(thread, new Random(seed)));
    }
    scheduler.scheduleWithFixedDelay(server::maintain, 20, 20, TimeUnit.MILLISECONDS);
  }

  private void maintain() {
    try {
      offsets.expire().toCompletableFuture().join();
      offsets.compact();
    } catch (IOException e) {
      e.printStackTrace();
      Runtime.getRuntime().halt(1);
    }
  }

  private void run(int thread, Random random) {
    try {
      List<String> kept = GroupOp.groupsOf(thread);
      while (true) {
        if (random.nextInt(6) == 0) {
          late.set(RETENTION.plusDays(1));
          apply(fleeting(thread));
          late.set(Duration.ZERO);
        } else {
          String group = kept.get(random.nextInt(kept.size()));
          apply(GroupOp.random(group, nextOffset.incrementAndGet(), random));
        }
      }
    } catch (RuntimeException e) {
      e.printStackTrace();
      Runtime.getRuntime().halt(1);
    }
  }

  private GroupOp fleeting(int thread) {
    // Without an id: requests of long ago are not remembered.
    long odd = nextOffset.addAndGet(2) | 1;
    return new GroupOp(GroupOp.Kind.COMMIT, FLEETING + thread, odd, List.of(thread, 10 + thread));
  }

  private void apply(GroupOp op) {
    say("begin " + op.toLine());
    String result = "done";
    switch (op.kind()) {
      case DELETE ->
          offsets
              .deleteOffsets(op.group(), op.topicPartitions(), Cancellation.NONE)
              .toCompletableFuture()
              .join();
      case DELETE_GROUP -> {
        if (offsets.group(op.group()).isPresent()) {
          offsets.deleteGroup(op.group(), Cancellation.NONE).toCompletableFuture().join();
        }
      }
      default -> {
        CommitReply reply = offsets.commit(op.request(), Cancellation.NONE);
        reply.durable().toCompletableFuture().join();
        result = GroupOp.textOf(reply);
      }
    }
    say("end " + op.group() + " " + result);
  }

  private static void say(String line) {
    System.out.print(line + "\n");
  }

  @Override
  public void close() {
    try {
      source.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
