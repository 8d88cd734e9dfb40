package io.whence.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.grpc.StatusRuntimeException;
import io.whence.testkit.Directories;
import io.whence.testkit.KafkaBroker;
import io.whence.testkit.KafkaTopics;
import io.whence.v1.DescribeTopicRequest;
import io.whence.v1.PartitionDescription;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

/** A server that is up before anybody knows the cluster's name, and follows it from its end on. */
class KafkaLateProcessIT {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String NAME = "kafka.example.test";
  private static final int RECORDS = 10;

  @Test
  void nameThatNobodyKnowsYet_isWaitedFor_andFollowingBeginsAtTheEnd() throws Exception {
    Path directory = Directories.temporary("whence-late");
    Path hosts = Files.writeString(directory.resolve("hosts"), "127.0.0.1 localhost\n");
    try (KafkaBroker broker = KafkaBroker.start(Map.of())) {
      fill(broker);
      try (ServerProcess server =
              ServerProcess.startUnready(
                  directory.resolve("own"),
                  "jdk.net.hosts.file=" + hosts,
                  "sun.net.inetaddr.negative.ttl=0",
                  "whence.kafka.prod.bootstrap="
                      + broker.bootstrapServers().replace("127.0.0.1", NAME),
                  "whence.kafka.prod.start=latest",
                  "whence.kafka.prod.request-timeout=5s",
                  "whence.kafka.prod.refresh=200ms");
          Client client = server.impatientClient()) {
        assertThatThrownBy(() -> describe(client))
            .isInstanceOf(StatusRuntimeException.class)
            .hasMessageContaining("does not know its topics yet");

        Files.writeString(hosts, "127.0.0.1 localhost\n127.0.0.1 " + NAME + "\n");
        await()
            .atMost(LIMIT)
            .ignoreExceptions()
            .untilAsserted(
                () -> {
                  PartitionDescription partition = describe(client);
                  assertThat(partition.getFollowedFrom()).isEqualTo(RECORDS);
                  assertThat(partition.getLogStartOffset()).isZero();
                  assertThat(partition.getHighWatermark()).isEqualTo(RECORDS);
                });
      }
    } finally {
      Directories.delete(directory);
    }
  }

  private static void fill(KafkaBroker broker) throws Exception {
    try (Admin admin = broker.admin();
        KafkaProducer<String, String> producer =
            new KafkaProducer<>(
                Map.of("bootstrap.servers", broker.bootstrapServers()),
                new StringSerializer(),
                new StringSerializer())) {
      KafkaTopics.create(admin, "orders", 1);
      for (int i = 0; i < RECORDS; i++) {
        producer.send(new ProducerRecord<>("orders", "record"));
      }
    }
  }

  private static PartitionDescription describe(Client client) {
    return client
        .log
        .describeTopic(
            DescribeTopicRequest.newBuilder().setSource("prod").setTopic("orders").build())
        .getPartitions(0);
  }
}
