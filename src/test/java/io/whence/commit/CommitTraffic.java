package io.whence.commit;

import io.whence.commit.RecordedOp.Answer;
import io.whence.commit.RecordedOp.Ask;
import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Calls to group offsets, recorded: who called when, what was asked and what was answered. Thread
 * safety: thread-safe.
 */
final class CommitTraffic implements InstantSource {
  private static final int REMEMBERED_REQUESTS = 40;

  private final long startMs;
  private final List<String> groups;
  private final AtomicLong sequence = new AtomicLong();
  private final AtomicLong ids = new AtomicLong();
  private final AtomicLong writerEpoch = new AtomicLong();
  private final ThreadLocal<Long> callId = ThreadLocal.withInitial(() -> 0L);
  private final ConcurrentLinkedQueue<RecordedOp> recorded = new ConcurrentLinkedQueue<>();
  private final AtomicReferenceArray<CommitRequest> requests =
      new AtomicReferenceArray<>(REMEMBERED_REQUESTS);

  CommitTraffic(long startMs, List<String> groups) {
    this.startMs = startMs;
    this.groups = groups;
  }

  /** Each call has a time of its own, so that its records can be told. */
  @Override
  public long millis() {
    return startMs + callId.get();
  }

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(millis());
  }

  List<RecordedOp> recorded() {
    return List.copyOf(recorded);
  }

  /** A call that is under way. */
  private record Open(long id, long call, Ask ask, CompletionStage<Answer> answer) {}

  /** Makes a call and waits for its answer. */
  Answer call(GroupOffsets offsets, Ask ask) {
    return end(begin(offsets, ask));
  }

  private Open begin(GroupOffsets offsets, Ask ask) {
    long id = ids.incrementAndGet();
    callId.set(id);
    long call = sequence.incrementAndGet();
    CompletionStage<Answer> answer;
    try {
      answer = answer(offsets, ask);
    } catch (WhenceException e) {
      answer = CompletableFuture.failedStage(e);
    }
    return new Open(id, call, ask, answer);
  }

  private static CompletionStage<Answer> answer(GroupOffsets offsets, Ask ask) {
    if (ask instanceof RecordedOp.Commit commit) {
      CommitReply reply = offsets.commit(commit.request(), Cancellation.NONE);
      Answer results =
          new RecordedOp.Results(
              reply.results().stream().map(RecordedOp.Verdict::of).toList(), reply.replayed());
      return reply.durable().thenApply(done -> results);
    }
    if (ask instanceof RecordedOp.Delete delete) {
      return offsets
          .deleteOffsets(delete.group(), delete.partitions(), Cancellation.NONE)
          .thenApply(
              all -> new RecordedOp.Deleted(all.stream().map(DeletedOffset::before).toList()));
    }
    if (ask instanceof RecordedOp.DeleteGroup delete) {
      return offsets
          .deleteGroup(delete.group(), Cancellation.NONE)
          .thenApply(RecordedOp.DeletedAll::new);
    }
    return CompletableFuture.completedStage(new RecordedOp.Seen(offsetsOf(offsets, ask.group())));
  }

  /** Returns what a group has committed. */
  static Map<TopicPartition, CommittedOffset> offsetsOf(GroupOffsets offsets, String group) {
    Map<TopicPartition, CommittedOffset> seen = new HashMap<>();
    offsets
        .group(group)
        .ifPresent(
            found ->
                found.forEach(
                    (topic, partition, offset) ->
                        seen.put(new TopicPartition(topic, partition), offset)));
    return seen;
  }

  private Answer end(Open open) {
    Answer answer;
    try {
      answer = open.answer().toCompletableFuture().join();
    } catch (CompletionException e) {
      ErrorReason reason = ((WhenceException) e.getCause()).reason();
      answer =
          reason == ErrorReason.STORAGE_ERROR
              ? new RecordedOp.DiskFailed()
              : new RecordedOp.Refused(reason);
    }
    recorded.add(
        new RecordedOp(open.id(), open.call(), sequence.incrementAndGet(), open.ask(), answer));
    return answer;
  }

  /** One caller: makes calls at random until there are enough. */
  void run(GroupOffsets offsets, Random random, int wanted) {
    Map<TopicPartition, CommittedOffset> seen = Map.of();
    while (ids.get() < wanted) {
      String group = groups.get(random.nextInt(groups.size()));
      List<Ask> asks = asks(group, seen, random);
      List<Open> open = new ArrayList<>();
      asks.forEach(ask -> open.add(begin(offsets, ask)));
      open.forEach(this::end);
      if (random.nextInt(3) == 0) {
        Answer answer = call(offsets, new RecordedOp.Read(group));
        seen = ((RecordedOp.Seen) answer).offsets();
      }
    }
  }

  /** Returns calls to be made at once: mostly one, or the same request a few times. */
  private List<Ask> asks(String group, Map<TopicPartition, CommittedOffset> seen, Random random) {
    int kind = random.nextInt(100);
    if (kind < 3) {
      return List.of(new RecordedOp.DeleteGroup(group));
    }
    if (kind < 7) {
      int partition = random.nextInt(4);
      return List.of(
          new RecordedOp.Delete(
              group, List.of(partition(partition), partition((partition + 1) % 4))));
    }
    if (kind < 17) {
      CommitRequest known = requests.get(random.nextInt(REMEMBERED_REQUESTS));
      return known == null ? List.of() : List.of(new RecordedOp.Commit(known));
    }
    CommitRequest request = new RandomCommits(random, seen, writerEpoch).request(group, "");
    if (kind < 50) {
      return List.of(new RecordedOp.Commit(request));
    }
    request = named(request, "request-" + ids.get() + "-" + random.nextInt(1_000));
    requests.set(random.nextInt(REMEMBERED_REQUESTS), request);
    List<Ask> asks = new ArrayList<>();
    for (int i = 0; i < (kind < 80 ? 1 : 3); i++) {
      asks.add(new RecordedOp.Commit(request));
    }
    if (kind >= 98) {
      CommitRequest other = new RandomCommits(random, seen, writerEpoch).request(group, "");
      asks.add(new RecordedOp.Commit(named(other, request.requestId())));
    }
    return asks;
  }

  private static CommitRequest named(CommitRequest request, String requestId) {
    return new CommitRequest(
        request.group(),
        request.entries(),
        requestId,
        request.atomic(),
        request.dryRun(),
        request.writer(),
        request.cause());
  }

  private static TopicPartition partition(int number) {
    return new TopicPartition(GroupsDir.TOPIC, number);
  }
}
