package io.whence.commit.kafka;

import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import io.whence.source.kafka.RenewedAdmin;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.DescribeConsumerGroupsOptions;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;

/**
 * Says who the members of a group are: the cluster refuses to change the offsets of a group that
 * has some, and doesn't say whom to stop. Waits for answers. Thread safety: thread-safe.
 */
final class GroupMembers {
  private static final int SHOWN_MEMBERS = 10;
  private static final int SHOWN_TOPICS = 5;

  private final RenewedAdmin admin;

  GroupMembers(RenewedAdmin admin) {
    this.admin = admin;
  }

  /** Returns the members; throws what Kafka's client throws. */
  Collection<MemberDescription> of(String group, Deadline deadline) {
    try {
      var answers =
          admin
              .client()
              .describeConsumerGroups(
                  List.of(group),
                  new DescribeConsumerGroupsOptions().timeoutMs(deadline.remainingMs()));
      var answer = Objects.requireNonNull(answers.describedGroups().get(group));
      return AdminCalls.await(answer, deadline).members();
    } catch (GroupIdNotFoundException e) {
      return List.of();
    }
  }

  /** Fails with {@code GROUP_ACTIVE} if there are members. */
  void requireNone(String group, Deadline deadline) {
    Collection<MemberDescription> members = of(group, deadline);
    if (!members.isEmpty()) {
      throw active(group, members);
    }
  }

  /** Returns the failure of a group that the cluster says has members. */
  WhenceException active(String group, Deadline deadline) {
    try {
      return active(group, of(group, deadline));
    } catch (KafkaException e) {
      return active(group, List.of()); // That it has some is known all the same.
    }
  }

  static WhenceException active(String group, Collection<MemberDescription> members) {
    String shown =
        members.isEmpty()
            ? "who they are could not be told"
            : members.stream()
                .limit(SHOWN_MEMBERS)
                .map(GroupMembers::shown)
                .collect(Collectors.joining("; "));
    int more = members.size() - SHOWN_MEMBERS;
    String all = more > 0 ? shown + "; and " + more + " more" : shown;
    return WhenceException.of(
        ErrorReason.GROUP_ACTIVE,
        "group '"
            + group
            + "' has members, which would not notice a change of its offsets and would commit over"
            + " it; stop them first: "
            + all,
        "group",
        group,
        "members",
        all);
  }

  private static String shown(MemberDescription member) {
    TreeSet<String> topics = new TreeSet<>();
    for (TopicPartition partition : member.assignment().topicPartitions()) {
      topics.add(partition.topic());
    }
    int more = topics.size() - SHOWN_TOPICS;
    String named = topics.stream().limit(SHOWN_TOPICS).collect(Collectors.joining(", "));
    return member.consumerId()
        + " (client "
        + member.clientId()
        + " at "
        + host(member.host())
        + ", topics: "
        + (topics.isEmpty() ? "none" : named)
        + (more > 0 ? " and " + more + " more" : "")
        + ")";
  }

  /** Brokers give addresses with a slash before them. */
  private static String host(String told) {
    return told.startsWith("/") ? told.substring(1) : told;
  }
}
