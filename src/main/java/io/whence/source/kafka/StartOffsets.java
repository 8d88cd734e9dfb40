package io.whence.source.kafka;

import io.whence.model.IsolationLevel;
import io.whence.model.Position;
import io.whence.model.TopicPartition;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/** At which offsets partitions begin by a {@link StartPoint}. Thread safety: thread-safe. */
final class StartOffsets {
  private final Leaders leaders;
  private final StartPoint point;
  private final InstantSource clock;
  private final Duration limit;

  /**
   * Makes a rule.
   *
   * @param limit how long one question may take
   */
  StartOffsets(Leaders leaders, StartPoint point, InstantSource clock, Duration limit) {
    this.leaders = leaders;
    this.point = point;
    this.clock = clock;
    this.limit = limit;
  }

  /**
   * Where a partition begins.
   *
   * @param offset the first offset to follow, inclusive
   * @param provenMs no record below is at or after this, in epoch milliseconds; empty if none such
   *     is known
   */
  record Begin(long offset, OptionalLong provenMs) {}

  /** Returns whether all that the cluster has is followed. */
  boolean isEarliest() {
    return point instanceof StartPoint.Earliest;
  }

  /** Asks the leaders, all partitions of each at once. */
  Map<TopicPartition, CompletableFuture<Begin>> of(Collection<TopicPartition> partitions) {
    if (point instanceof StartPoint.Ago ago) {
      return since(partitions, Math.max(0, clock.instant().minus(ago.span()).toEpochMilli()));
    }
    Position position =
        point instanceof StartPoint.Latest ? new Position.Latest() : new Position.Earliest();
    Map<TopicPartition, CompletableFuture<Begin>> begins = new HashMap<>();
    ask(partitions, position)
        .forEach(
            (partition, answer) ->
                begins.put(
                    partition,
                    answer.thenApply(told -> new Begin(told.offset(), OptionalLong.empty()))));
    return begins;
  }

  /** The ends come first: what is written behind them meanwhile is found by its time. */
  private Map<TopicPartition, CompletableFuture<Begin>> since(
      Collection<TopicPartition> partitions, long sinceMs) {
    Map<TopicPartition, CompletableFuture<LeaderOffset>> ends =
        ask(partitions, new Position.Latest());
    CompletionStage<Map<TopicPartition, CompletableFuture<LeaderOffset>>> hits =
        ended(ends.values())
            .thenApply(
                done ->
                    ask(
                        partitions.stream()
                            .filter(partition -> !of(partition, ends).isCompletedExceptionally())
                            .toList(),
                        new Position.AtOrAfter(sinceMs)));
    Map<TopicPartition, CompletableFuture<Begin>> begins = new HashMap<>();
    ends.forEach(
        (partition, end) ->
            begins.put(
                partition,
                end.thenCompose(
                    told ->
                        hits.thenCompose(all -> of(partition, all))
                            .thenApply(hit -> begin(hit, told, sinceMs)))));
    return begins;
  }

  private static Begin begin(LeaderOffset hit, LeaderOffset end, long sinceMs) {
    return hit.isFound()
        ? new Begin(hit.offset(), OptionalLong.of(sinceMs))
        : new Begin(end.offset(), OptionalLong.empty());
  }

  private Map<TopicPartition, CompletableFuture<LeaderOffset>> ask(
      Collection<TopicPartition> partitions, Position position) {
    return leaders.ask(
        partitions.stream()
            .collect(Collectors.toMap(partition -> partition, partition -> position)),
        IsolationLevel.READ_UNCOMMITTED,
        limit);
  }

  private static CompletableFuture<LeaderOffset> of(
      TopicPartition partition, Map<TopicPartition, CompletableFuture<LeaderOffset>> answers) {
    return Objects.requireNonNull(answers.get(partition), "an answer for each that was asked");
  }

  /** Completes when all have, in whatever way. */
  static CompletionStage<Void> ended(Collection<? extends CompletableFuture<?>> all) {
    return CompletableFuture.allOf(
        all.stream()
            .map(each -> each.handle((value, failure) -> true))
            .toArray(CompletableFuture<?>[]::new));
  }
}
