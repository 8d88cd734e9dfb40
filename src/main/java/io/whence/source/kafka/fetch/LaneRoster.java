package io.whence.source.kafka.fetch;

import io.whence.model.ErrorReason;
import io.whence.source.kafka.fetch.LaneMetadata.Leader;
import io.whence.source.kafka.fetch.LaneMetadata.Missing;
import io.whence.source.kafka.fetch.LaneMetadata.Place;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;

/**
 * Which partitions a lane follows, and which broker it asks for each. Invariant: a partition is
 * asked for at the one broker that led it when the cluster was last asked. Thread safety:
 * single-writer, the I/O thread.
 */
final class LaneRoster {
  private static final long SESSION_CLOSE_NANOS = TimeUnit.MILLISECONDS.toNanos(800);
  private static final long SESSION_CLOSE_POLL_MS = 50;

  private static final FetchFault NO_ANSWER =
      new FetchFault(ErrorReason.LEADER_UNAVAILABLE, "the cluster does not answer");

  private final LaneParts parts;
  private final Map<TopicPartition, Followed> followed = new LinkedHashMap<>();
  private final Map<Integer, BrokerFetches> brokers = new HashMap<>();
  private final List<Followed> unknown = new ArrayList<>();
  private boolean changed;
  private long placedVersion = -1;
  private long unknownSinceMs;

  LaneRoster(LaneParts parts) {
    this.parts = parts;
  }

  /** Adds a partition that is not there. */
  void follow(FeedHandle feed) {
    Followed added = new Followed(feed, parts);
    followed.put(added.partition(), added);
    added.askPosition();
    changed = true;
  }

  /** Removes a partition. */
  void unfollow(FeedHandle feed) {
    find(feed)
        .ifPresent(
            one -> {
              one.leave();
              followed.remove(one.partition());
              changed = true;
            });
  }

  /** Asks a feed where it is; what is under way for it doesn't count. */
  void reposition(FeedHandle feed) {
    find(feed)
        .ifPresent(
            one -> {
              one.forgetPosition();
              one.askPosition();
            });
  }

  /** Takes the answer of a feed. */
  void positioned(FeedHandle feed, int generation, FetchPosition position) {
    find(feed).ifPresent(one -> one.positioned(generation, position));
  }

  /** A feed has thrown, for which time in a row. */
  void failed(FeedHandle feed, int generation, int inRow, RuntimeException failure) {
    long nowMs = BrokerClient.nowMs();
    find(feed).ifPresent(one -> one.feedFailed(generation, inRow, failure, nowMs));
  }

  /** Gives each partition its broker, if anything may have changed. */
  void place(BrokerClient client, long nowMs) {
    LaneMetadata metadata = client.metadata();
    if (changed) {
      metadata.follow(followed.keySet().stream().map(TopicPartition::topic).distinct().toList());
    }
    long version = metadata.version();
    if (changed || version != placedVersion) {
      unknown.clear();
      unknownSinceMs = nowMs;
      followed.values().forEach(one -> place(one, client, nowMs));
      changed = false;
      placedVersion = version;
    }
    if (!unknown.isEmpty() && nowMs - unknownSinceMs > parts.limits().requestTimeoutMillis()) {
      unknown.forEach(one -> one.report(NO_ANSWER));
      unknown.clear();
    }
  }

  private void place(Followed one, BrokerClient client, long nowMs) {
    Place place = client.metadata().place(one.partition(), one.topicId());
    if (place instanceof Leader leader) {
      BrokerFetches broker =
          brokers.computeIfAbsent(
              leader.node().id(), id -> new BrokerFetches(parts, client, leader.node()));
      broker.moveTo(leader.node());
      one.moveTo(broker, leader.epoch(), nowMs);
    } else {
      one.leave();
      if (place instanceof Missing missing) {
        one.report(missing.fault());
      } else {
        unknown.add(one);
      }
    }
  }

  /** Asks all brokers that it is time to ask. Returns in how many ms to look again. */
  long fetch(long nowMs) {
    long wait = Long.MAX_VALUE;
    for (BrokerFetches broker : brokers.values()) {
      wait = Math.min(wait, broker.fetch(nowMs));
    }
    return Math.max(0, wait);
  }

  /** Returns whether a broker has a question of ours. */
  boolean isWorking() {
    return brokers.values().stream().anyMatch(BrokerFetches::isAsked);
  }

  /** Tells all feeds why nothing comes. */
  void report(FetchFault fault) {
    followed.values().forEach(one -> one.report(fault));
  }

  /**
   * Leaves all brokers, since the connections to them are given up. What of their answers got to
   * the feeds, only these know then.
   */
  void leaveAll() {
    for (Followed one : followed.values()) {
      one.leave();
      one.forgetPosition();
    }
    brokers.clear();
    changed = true;
  }

  /** Ends the sessions with the brokers as far as that takes no long time. */
  void closeSessions(BrokerClient client) {
    long deadline = System.nanoTime() + SESSION_CLOSE_NANOS;
    List<BrokerFetches> open = new ArrayList<>(brokers.values());
    open.removeIf(broker -> broker.closeSession(BrokerClient.nowMs()));
    while (!open.isEmpty() && System.nanoTime() < deadline) {
      client.poll(SESSION_CLOSE_POLL_MS);
      open.removeIf(broker -> broker.closeSession(BrokerClient.nowMs()));
    }
  }

  private Optional<Followed> find(FeedHandle feed) {
    TopicPartition key = new TopicPartition(feed.partition().topic(), feed.partition().partition());
    return Optional.ofNullable(followed.get(key)).filter(one -> one.feed().equals(feed));
  }
}
