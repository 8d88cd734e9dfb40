package io.whence.bench.follow;

import io.whence.model.TopicId;
import io.whence.source.kafka.fetch.FetchEvents;
import io.whence.source.kafka.fetch.FetchLane;
import io.whence.source.kafka.fetch.FetchLimits;
import io.whence.testkit.KafkaBroker;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.Uuid;

/** A lane whose feeds throw the records away. Thread safety: single-writer. */
final class LaneReader implements Reader {
  private final KafkaBroker broker;
  private final boolean decode;

  /**
   * Makes a reader.
   *
   * @param decode whether each record is decoded, to its offset and timestamp, and the CRC checked
   */
  LaneReader(KafkaBroker broker, boolean decode) {
    this.broker = broker;
    this.decode = decode;
  }

  @Override
  public long read(BenchTopic topic) throws Exception {
    TopicId id = topicId(topic.name());
    long start = System.nanoTime();
    CountDownLatch left = new CountDownLatch(topic.partitions());
    Map<String, Object> settings = Map.of("bootstrap.servers", broker.bootstrapServers());
    try (FetchLane lane =
        FetchLane.start("bench", settings, FetchLimits.DEFAULT, Thread::new, FetchEvents.NOOP)) {
      for (int partition = 0; partition < topic.partitions(); partition++) {
        long end = topic.records() / topic.partitions();
        lane.follow(new CountingFeed(topic.name(), partition, id, decode, end, left::countDown));
      }
      if (!left.await(5, TimeUnit.MINUTES)) {
        throw new IllegalStateException(left.getCount() + " partitions were not read to their end");
      }
      return System.nanoTime() - start;
    }
  }

  private TopicId topicId(String topic) throws Exception {
    try (Admin admin = broker.admin()) {
      Uuid id =
          admin
              .describeTopics(List.of(topic))
              .allTopicNames()
              .get(60, TimeUnit.SECONDS)
              .get(topic)
              .topicId();
      return new TopicId(new UUID(id.getMostSignificantBits(), id.getLeastSignificantBits()));
    }
  }
}
