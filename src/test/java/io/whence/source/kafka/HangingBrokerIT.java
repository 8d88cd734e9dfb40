package io.whence.source.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.whence.testkit.KafkaCluster;
import io.whence.testkit.KafkaTopics;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A broker takes connections and says nothing: the others are asked. */
class HangingBrokerIT {
  private static final Duration QUESTION = Duration.ofSeconds(6);

  /** A client begins with any broker: so many that one of them begins with the one that hangs. */
  private static final int CLIENTS = 8;

  @TempDir private Path directory;

  @Test
  void oneOfTwo_everyClientIsAnsweredByTheOther() throws Exception {
    try (KafkaCluster brokers = KafkaCluster.start(Map.of());
        Admin admin = brokers.admin()) {
      KafkaTopics.create(admin, new NewTopic("orders", Map.of(0, List.of(3))));
      Map<String, Object> client = Map.of("bootstrap.servers", brokers.bootstrapServers());
      brokers.broker(2).pause();
      for (int i = 0; i < CLIENTS; i++) {
        try (ClusterAdmin one = new ClusterAdmin(client, QUESTION)) {
          assertThat(
                  one.topics(new KafkaOptions.Topics(Pattern.compile(".*"), Pattern.compile(""))))
              .containsOnlyKeys("orders");
        }
      }
      try (FollowedCluster cluster = FollowedCluster.open(directory, brokers.bootstrapServers())) {
        await()
            .atMost(QUESTION.multipliedBy(2))
            .ignoreExceptions()
            .until(() -> cluster.source().topics().size() == 1);
      }
      brokers.broker(2).resume();
    }
  }

  @Test
  void whatTheOperatorGives_comesFirst() {
    Map<String, Object> given =
        Map.of(
            "bootstrap.servers",
            "127.0.0.1:1",
            "request.timeout.ms",
            "9000",
            "socket.connection.setup.timeout.ms",
            "8000");
    AdminClientConfig client = new AdminClientConfig(ClusterAdmin.settings(given, QUESTION));
    assertThat(client.getInt("request.timeout.ms")).isEqualTo(9_000);
    assertThat(client.getInt("default.api.timeout.ms")).isGreaterThan(9_000);
    assertThat(client.getLong("socket.connection.setup.timeout.ms")).isEqualTo(8_000);
    assertThat(client.getLong("socket.connection.setup.timeout.max.ms")).isGreaterThan(8_000);
  }
}
