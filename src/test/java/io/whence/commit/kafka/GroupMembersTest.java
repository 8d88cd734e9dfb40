package io.whence.commit.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.MemberAssignment;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class GroupMembersTest {
  private static MemberDescription member(String id, String... topics) {
    Set<TopicPartition> partitions =
        List.of(topics).stream()
            .map(topic -> new TopicPartition(topic, 0))
            .collect(Collectors.toSet());
    return new MemberDescription(
        id,
        Optional.empty(),
        Optional.empty(),
        "app",
        "/10.0.0.7",
        new MemberAssignment(partitions),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  @Test
  void members_areNamedWithClientHostAndTopics() {
    WhenceException told = GroupMembers.active("g", List.of(member("m1", "u", "t"), member("m2")));
    assertThat(told.reason()).isEqualTo(ErrorReason.GROUP_ACTIVE);
    assertThat(told.metadata())
        .containsEntry("group", "g")
        .containsEntry(
            "members",
            "m1 (client app at 10.0.0.7, topics: t, u); m2 (client app at 10.0.0.7, topics: none)");
    assertThat(told).hasMessageContaining("stop them first: m1 (client app");
  }

  @Test
  void manyMembersAndTopics_areCutShort() {
    List<MemberDescription> many =
        IntStream.range(0, 13)
            .mapToObj(i -> member("m" + i, "a", "b", "c", "d", "e", "f", "g"))
            .toList();
    assertThat(GroupMembers.active("g", many).metadata().get("members"))
        .contains("topics: a, b, c, d, e and 2 more", "m9 (")
        .doesNotContain("m10 (")
        .endsWith("; and 3 more");
  }

  @Test
  void membersThatCantBeTold_areStillSaidToBeThere() {
    assertThat(GroupMembers.active("g", List.of()).metadata().get("members"))
        .isEqualTo("who they are could not be told");
  }
}
