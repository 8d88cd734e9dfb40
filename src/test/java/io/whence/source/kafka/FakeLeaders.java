package io.whence.source.kafka;

import io.whence.model.IsolationLevel;
import io.whence.model.Position;
import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * Leaders whose logs are maps from offset to timestamp, of one segment each, and that can fail,
 * hang, find nothing and be missing. Thread safety: single-writer.
 */
final class FakeLeaders implements Leaders {
  /** The epoch that a leader tells with its end. */
  static final int EPOCH = 7;

  private final Set<String> createdAnew = new HashSet<>();
  private final Map<String, Throwable> failingIds = new HashMap<>();
  private final Map<TopicPartition, Log> logs = new HashMap<>();
  private final Map<TopicPartition, Throwable> failing = new HashMap<>();
  private final Set<TopicPartition> hanging = new HashSet<>();
  private final Set<TopicPartition> silent = new HashSet<>();
  private final Set<TopicPartition> leaderless = new HashSet<>();
  private final List<Map<TopicPartition, Position>> asked = new ArrayList<>();

  /** The log of a leader; everybody sees what is below the end. */
  static final class Log {
    final TreeMap<Long, Long> records = new TreeMap<>();
    long start;
    long end;

    /** Appends records. */
    Log add(long... timestampsMs) {
      for (long ms : timestampsMs) {
        records.put(end++, ms);
      }
      return this;
    }
  }

  Log log(TopicPartition partition) {
    return logs.computeIfAbsent(partition, any -> new Log());
  }

  void fail(TopicPartition partition, Throwable failure) {
    failing.put(partition, failure);
  }

  void hang(TopicPartition partition) {
    hanging.add(partition);
  }

  /** Lets a leader find no time, whatever it has. */
  void silence(TopicPartition partition) {
    silent.add(partition);
  }

  void loseLeader(TopicPartition partition) {
    leaderless.add(partition);
  }

  /** Lets another topic have the name. */
  void createAnew(String topic) {
    createdAnew.add(topic);
  }

  /** Lets nobody know the id of a topic, until it is given another failure. */
  void failIds(String topic, Throwable failure) {
    failingIds.put(topic, failure);
  }

  /** All is well again. */
  void heal() {
    failing.clear();
    hanging.clear();
    silent.clear();
    leaderless.clear();
  }

  /** Returns what was asked, question by question. */
  List<Map<TopicPartition, Position>> asked() {
    return asked;
  }

  @Override
  public Map<TopicPartition, CompletableFuture<LeaderOffset>> ask(
      Map<TopicPartition, Position> positions, IsolationLevel isolation, Duration limit) {
    asked.add(Map.copyOf(positions));
    Map<TopicPartition, CompletableFuture<LeaderOffset>> answers = new HashMap<>();
    positions.forEach((partition, position) -> answers.put(partition, ask(partition, position)));
    return answers;
  }

  private CompletableFuture<LeaderOffset> ask(TopicPartition partition, Position position) {
    if (hanging.contains(partition)) {
      return new CompletableFuture<>();
    }
    if (silent.contains(partition) && position instanceof Position.AtOrAfter) {
      return CompletableFuture.completedFuture(new LeaderOffset(-1, -1, -1));
    }
    Throwable failure = failing.get(partition);
    return failure == null
        ? CompletableFuture.completedFuture(answer(log(partition), position))
        : CompletableFuture.failedFuture(failure);
  }

  private static LeaderOffset answer(Log log, Position position) {
    if (position instanceof Position.Earliest) {
      return new LeaderOffset(log.start, -1, -1);
    } else if (position instanceof Position.Latest) {
      return new LeaderOffset(log.end, -1, EPOCH);
    } else if (position instanceof Position.AtOrAfter p) {
      return log.records.tailMap(log.start).entrySet().stream()
          .filter(each -> each.getValue() >= p.targetTimestampMs())
          .findFirst()
          .map(each -> new LeaderOffset(each.getKey(), each.getValue(), 5))
          .orElse(new LeaderOffset(-1, -1, -1));
    }
    // As brokers do: the log start does not matter.
    return log.records.entrySet().stream()
        .max(
            Map.Entry.<Long, Long>comparingByValue()
                .thenComparing(Map.Entry.<Long, Long>comparingByKey(Comparator.reverseOrder())))
        .map(each -> new LeaderOffset(each.getKey(), each.getValue(), 5))
        .orElse(new LeaderOffset(-1, -1, -1));
  }

  @Override
  public Map<String, CompletableFuture<Map<Integer, Integer>>> nodes(Collection<String> topics) {
    Map<String, CompletableFuture<Map<Integer, Integer>>> nodes = new HashMap<>();
    for (String topic : topics) {
      Map<Integer, Integer> leaders = new HashMap<>();
      for (int number = 0; number < 10; number++) {
        if (!leaderless.contains(new TopicPartition(topic, number))) {
          leaders.put(number, number % 2);
        }
      }
      nodes.put(topic, CompletableFuture.completedFuture(leaders));
    }
    return nodes;
  }

  @Override
  public Map<String, CompletableFuture<TopicId>> ids(Collection<String> topics) {
    Map<String, CompletableFuture<TopicId>> ids = new HashMap<>();
    for (String topic : topics) {
      TopicId id =
          createdAnew.contains(topic) ? new TopicId(new UUID(2, 2)) : TestPartitions.id(topic);
      Throwable failure = failingIds.get(topic);
      ids.put(
          topic,
          failure == null
              ? CompletableFuture.completedFuture(id)
              : CompletableFuture.failedFuture(failure));
    }
    return ids;
  }
}
