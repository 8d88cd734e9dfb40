package io.whence.commit.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;

/** What a cluster wrote down of the commits of a group, in the order of its own log. */
final class OffsetsLog {
  private static final TopicPartition LOG = new TopicPartition("__consumer_offsets", 0);
  private static final int MAX_OFFSET_KEY = 1;

  private OffsetsLog() {}

  /** Returns the committed offsets, oldest first; those of transactions that failed are not in. */
  static List<Long> read(GroupCluster cluster, String group, TopicPartition partition) {
    List<Long> offsets = new ArrayList<>();
    try (KafkaConsumer<byte[], byte[]> consumer =
        cluster.consumer("log-reader", Map.of("isolation.level", "read_committed"))) {
      consumer.assign(List.of(LOG));
      consumer.seekToBeginning(List.of(LOG));
      long end = consumer.endOffsets(List.of(LOG)).get(LOG);
      while (consumer.position(LOG) < end) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofSeconds(1))) {
          if (record.value() != null && isOf(record.key(), group, partition)) {
            offsets.add(ByteBuffer.wrap(record.value()).getLong(Short.BYTES));
          }
        }
      }
    }
    return offsets;
  }

  private static boolean isOf(byte[] key, String group, TopicPartition partition) {
    ByteBuffer in = ByteBuffer.wrap(key);
    return in.getShort() <= MAX_OFFSET_KEY
        && text(in).equals(group)
        && text(in).equals(partition.topic())
        && in.getInt() == partition.partition();
  }

  private static String text(ByteBuffer in) {
    byte[] bytes = new byte[in.getShort()];
    in.get(bytes);
    return new String(bytes, UTF_8);
  }
}
