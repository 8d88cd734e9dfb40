package io.whence.commit.kafka;

import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;

/**
 * Who commits the offsets of a group in a transaction without being a member of it. The name of a
 * member that the group doesn't have makes the broker refuse the commit while the group has
 * members; without a name it would take it, and change the offsets of running consumers behind
 * their backs.
 *
 * <p>The one place that depends on how Kafka's client makes such an identity, which is to change in
 * its next major version.
 */
final class ForeignMember {
  private static final String MEMBER_ID = "whence-not-a-member";
  private static final int NO_GENERATION = -1;

  private ForeignMember() {}

  @SuppressWarnings("removal")
  static ConsumerGroupMetadata of(String group) {
    return new ConsumerGroupMetadata(group, NO_GENERATION, MEMBER_ID, Optional.empty());
  }
}
