package io.whence.commit;

import io.whence.model.TopicPartition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * When offsets expire, by Kafka's rules: a while after the last commit, or, for a classic group,
 * after its last member left, so that its offsets go together; never while it has members. Thread
 * safety: immutable.
 *
 * @param retention how long that while is
 */
record ExpiryRule(Duration retention) {
  /** Returns when an offset expires unless it is committed again; nothing if it can't be told. */
  OptionalLong expiresAtMs(Group group, CommittedOffset offset) {
    if (offset.explicitExpiryMs().isPresent()) {
      return offset.explicitExpiryMs();
    }
    GroupState state = group.state();
    if (state.memberCount() != 0) {
      return OptionalLong.empty();
    }
    long startMs =
        state.kind() == GroupKind.CLASSIC
            ? state.since().orElse(offset.commitTimeMs())
            : offset.commitTimeMs();
    long expiresAtMs = startMs + retention.toMillis();
    return expiresAtMs < startMs ? OptionalLong.empty() : OptionalLong.of(expiresAtMs);
  }

  /** Returns which offsets of a group have expired. */
  List<TopicPartition> expired(Group group, long nowMs) {
    List<TopicPartition> expired = new ArrayList<>();
    group.forEach(
        (topic, partition, offset) -> {
          OptionalLong expiresAtMs = expiresAtMs(group, offset);
          if (expiresAtMs.isPresent() && expiresAtMs.getAsLong() <= nowMs) {
            expired.add(new TopicPartition(topic, partition));
          }
        });
    return expired;
  }
}
