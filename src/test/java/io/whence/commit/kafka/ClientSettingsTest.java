package io.whence.commit.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.AbstractConfig;
import org.junit.jupiter.api.Test;

class ClientSettingsTest {
  private static KafkaGroupOptions options(Duration timeOut, Map<String, Object> config) {
    return new KafkaGroupOptions(
        "prod",
        config,
        timeOut,
        InstantSource.system(),
        Runnable::run,
        KafkaGroupOptions.usualTransactionPrefix("prod"),
        new KafkaGroupOptions.RequestMemory(Duration.ofMinutes(1), 10));
  }

  @Test
  void settings_areOnesThatKafkasClientTakes() {
    KafkaGroupOptions options =
        options(Duration.ofMillis(700), Map.of("bootstrap.servers", "127.0.0.1:1"));
    AdminClientConfig admin = new AdminClientConfig(ClientSettings.admin(options, "groups"));
    assertThat(admin.getInt("default.api.timeout.ms")).isEqualTo(700);
    assertThat(admin.getString("client.id")).isEqualTo("whence-prod-groups");
    ProducerConfig producer = new ProducerConfig(ClientSettings.producer(options, "g"));
    assertThat(producer.getString("transactional.id")).isEqualTo("whence-prod-g");
    assertThat(producer.getLong("max.block.ms")).isEqualTo(700);
  }

  @Test
  void aBrokerThatDoesNotConnect_leavesTimeForAnother_oneThatIsAskedHasAllOfIt() {
    KafkaGroupOptions options =
        options(Duration.ofSeconds(6), Map.of("bootstrap.servers", "127.0.0.1:1"));
    AdminClientConfig admin = new AdminClientConfig(ClientSettings.admin(options, "groups"));
    ProducerConfig producer = new ProducerConfig(ClientSettings.producer(options, "g"));
    assertThat(admin.getInt("default.api.timeout.ms")).isEqualTo(6_000);
    for (AbstractConfig client : List.of(admin, producer)) {
      assertThat(client.getInt("request.timeout.ms")).isEqualTo(6_000);
      assertThat(client.getLong("socket.connection.setup.timeout.ms")).isEqualTo(2_000);
      assertThat(client.getLong("socket.connection.setup.timeout.max.ms")).isEqualTo(2_000);
    }
  }

  @Test
  void settingsOfTheOperator_comeFirst() {
    KafkaGroupOptions options =
        options(
            Duration.ofSeconds(5),
            Map.of(
                "bootstrap.servers",
                "127.0.0.1:1",
                "request.timeout.ms",
                20_000,
                "client.id",
                "mine",
                "security.protocol",
                "SASL_SSL"));
    Map<String, Object> admin = ClientSettings.admin(options, "groups");
    assertThat(admin)
        .containsEntry("client.id", "mine")
        .containsEntry("request.timeout.ms", 20_000)
        .containsEntry("security.protocol", "SASL_SSL")
        .doesNotContainKey("default.api.timeout.ms");
    assertThat(ClientSettings.producer(options, "g"))
        .containsEntry("security.protocol", "SASL_SSL");
  }

  @Test
  void settingsThatMakeNoSense_areRejectedAtTheStart() {
    assertThatThrownBy(() -> options(Duration.ZERO, Map.of()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new KafkaGroupOptions.RequestMemory(Duration.ofMinutes(1), 0))
        .isInstanceOf(IllegalArgumentException.class);
    KafkaGroupOptions bad = options(Duration.ofSeconds(1), Map.of("bootstrap.servers", "no port"));
    assertThatThrownBy(() -> KafkaGroupOffsets.open(bad))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("source 'prod'");
  }
}
