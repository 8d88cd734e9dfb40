package io.whence.commit.kafka;

import io.whence.commit.EntryFacts;
import io.whence.model.TopicId;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;

/**
 * The producer that commits for a group, and the topics that it has met. It goes on with the id
 * that a topic had then, and brokers refuse it without an end once that topic is gone: then there
 * must be another one. Thread safety: single-writer.
 */
final class GroupProducer {
  private final Producer<byte[], byte[]> producer;
  private final Map<String, TopicId> met = new HashMap<>();

  GroupProducer(Producer<byte[], byte[]> producer) {
    this.producer = producer;
  }

  /** Returns Kafka's producer. */
  Producer<byte[], byte[]> kafka() {
    return producer;
  }

  /** Returns whether it can commit for these topics as they are; from then on it has met them. */
  boolean meets(List<EntryFacts> facts) {
    boolean same = true;
    for (EntryFacts fact : facts) {
      TopicId id = fact.id();
      if (id != null) {
        TopicId known = met.putIfAbsent(fact.partition().topic(), id);
        same &= known == null || known.equals(id);
      }
    }
    return same;
  }

  /** Closes it at once; what it left undecided is up to who opens the next one. */
  void discard() {
    try {
      producer.close(Duration.ZERO);
    } catch (KafkaException e) {
      // It is of no use any more, and holds nothing but a thread that is about to end.
    }
  }
}
