package io.whence.source.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.whence.testkit.KafkaCluster;
import io.whence.testkit.KafkaTopics;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A broker takes connections and says nothing: the others are asked. */
class HangingBrokerIT {
  private static final Duration QUESTION = Duration.ofSeconds(3);

  /** A client begins with any broker: so many that one of them begins with the one that hangs. */
  private static final int CLIENTS = 8;

  /** Who meets the hanging broker asks again; each time one of two. */
  private static final Duration ALL_ANSWERED = QUESTION.multipliedBy(40);

  @TempDir private Path directory;

  @Test
  void oneOfTwo_everyClientIsAnsweredByTheOther() throws Exception {
    try (KafkaCluster brokers = KafkaCluster.start(Map.of());
        Admin admin = brokers.admin()) {
      KafkaTopics.create(admin, new NewTopic("orders", Map.of(0, List.of(3))));
      Map<String, Object> client = Map.of("bootstrap.servers", brokers.bootstrapServers());
      brokers.broker(2).pause();
      List<ClusterAdmin> clients =
          Stream.generate(() -> new ClusterAdmin(client, QUESTION)).limit(CLIENTS).toList();
      ExecutorService all = Executors.newFixedThreadPool(CLIENTS);
      try {
        List<Future<Map<String, ClusterAdmin.Topic>>> answers =
            clients.stream().map(one -> all.submit(() -> topicsInTheEnd(one))).toList();
        for (Future<Map<String, ClusterAdmin.Topic>> answer : answers) {
          assertThat(answer.get()).containsOnlyKeys("orders");
        }
      } finally {
        all.shutdownNow();
        clients.forEach(ClusterAdmin::close);
      }
      try (FollowedCluster cluster = FollowedCluster.open(directory, brokers.bootstrapServers())) {
        await()
            .atMost(ALL_ANSWERED)
            .ignoreExceptions()
            .until(() -> cluster.source().topics().size() == 1);
      }
      brokers.broker(2).resume();
    }
  }

  private static Map<String, ClusterAdmin.Topic> topicsInTheEnd(ClusterAdmin client) {
    KafkaOptions.Topics all = new KafkaOptions.Topics(Pattern.compile(".*"), Pattern.compile(""));
    return await()
        .atMost(ALL_ANSWERED)
        .ignoreExceptionsMatching(e -> e.getCause() instanceof TimeoutException)
        .until(() -> client.topics(all), topics -> true);
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
