package io.whence.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.model.TopicPartition;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Kafka's rules of expiry, with the times of Kafka's own cases. */
class ExpiryRuleTest {
  private static final ExpiryRule RULE = new ExpiryRule(Duration.ofMillis(500));
  private static final List<TopicPartition> BOTH =
      List.of(new TopicPartition("orders", 0), new TopicPartition("orders", 1));

  /** A group that committed at 500 and at 700. */
  private static Group group(GroupState state) {
    TreeMap<Integer, CommittedOffset> offsets =
        new TreeMap<>(Map.of(0, committed(500, -1), 1, committed(700, -1)));
    return Group.of("billing", state, new TreeMap<>(Map.of("orders", offsets)));
  }

  private static CommittedOffset committed(long commitTimeMs, long expiryMs) {
    return new CommittedOffset(7, -1, "", commitTimeMs, expiryMs, null, -1, 0);
  }

  @Test
  void simpleGroup_losesEachOffsetAWhileAfterItsCommit() {
    Group group = group(GroupState.SIMPLE);
    assertThat(RULE.expired(group, 999)).isEmpty();
    assertThat(RULE.expired(group, 1_000)).containsExactly(BOTH.get(0));
    assertThat(RULE.expired(group, 1_200)).isEqualTo(BOTH);
  }

  @Test
  void emptyClassicGroup_losesAllAWhileAfterItBecameEmpty() {
    Group group = group(new GroupState(GroupKind.CLASSIC, 0, 2_000));
    assertThat(RULE.expired(group, 2_499)).isEmpty();
    assertThat(RULE.expired(group, 2_500)).isEqualTo(BOTH);
  }

  @Test
  void groupWithMembersOrOfUnknownOnes_losesNothing() {
    for (GroupState state :
        List.of(new GroupState(GroupKind.CLASSIC, 2, 0), GroupState.UNREADABLE)) {
      Group group = group(state);
      assertThat(RULE.expired(group, Long.MAX_VALUE)).isEmpty();
      assertThat(RULE.expiresAtMs(group, committed(500, -1))).isEmpty();
    }
  }

  @Test
  void timeInTheCommitItself_decides() {
    Group group = group(new GroupState(GroupKind.CLASSIC, 2, 0));
    assertThat(RULE.expiresAtMs(group, committed(500, 1_500))).hasValue(1_500);
  }

  @Test
  void endlessRetention_neverEnds() {
    ExpiryRule endless = new ExpiryRule(Duration.ofMillis(Long.MAX_VALUE));
    assertThat(endless.expired(group(GroupState.SIMPLE), Long.MAX_VALUE)).isEmpty();
  }
}
