package io.whence.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quarkus.runtime.configuration.DurationConverter;
import io.quarkus.runtime.configuration.MemorySize;
import io.quarkus.runtime.configuration.MemorySizeConverter;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConfigTest {
  @Test
  void defaults_haveNoProblems() {
    WhenceConfig config = config(Map.of());
    assertThat(ConfigChecks.problems(config)).isEmpty();
    assertThat(config.grpc().port()).isEqualTo(9000);
    assertThat(config.grpc().host()).isEqualTo("127.0.0.1");
    assertThat(config.limits().partitionsPerCall()).isEqualTo(20_000);
    assertThat(config.groups().retention()).isEqualTo(Duration.ofDays(7));
    assertThat(config.groups().segmentBytes().asLongValue()).isEqualTo(8 << 20);
    assertThat(config.archive()).isEmpty();
  }

  @Test
  void archive_readByName() {
    WhenceConfig config =
        config(Map.of("whence.archive.old.dirs", "/a,/b", "whence.archive.old.salvage", "true"));
    assertThat(config.archive().get("old").dirs()).hasSize(2);
    assertThat(config.archive().get("old").salvage()).isTrue();
    assertThat(ConfigChecks.problems(config)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "whence.grpc.port, 65536",
    "whence.grpc.port, -1",
    "whence.http.port, 70000",
    "whence.limits.partitions-per-call, 0",
    "whence.limits.default-deadline, 0s",
    "whence.limits.stream-stall, 0s",
    "whence.limits.calls-in-flight-per-connection, 0",
    "whence.limits.watches, 0",
    "whence.limits.watched-partitions, 0",
    "whence.limits.watch-stall, 0s",
    "whence.workers.threads, 0",
    "whence.workers.write-threads, 0",
    "whence.workers.queue, 0",
    "whence.shutdown.grace, -1s",
    "whence.grpc.max-inbound-message-size, 4G",
    "whence.grpc.max-connection-age, 0s",
    "whence.grpc.host, 0.0.0.0",
    "whence.groups.retention, 0s",
    "whence.groups.expiry-interval, -1s",
    "whence.groups.history, -1",
    "whence.groups.history, 101",
    "whence.groups.request-window, 0s",
    "whence.groups.max-requests, 0",
    "whence.groups.plan-ttl, 0s",
    "whence.groups.metadata-max-chars, 10923",
    "whence.groups.segment-bytes, 1000K",
    "whence.groups.segment-bytes, 2G",
    "whence.groups.compaction-interval, 0s",
    "whence.archive.Bad_Name.dirs, /a",
    "whence.archive.embedded.dirs, /a",
  })
  void badValue_namedByKey(String key, String value) {
    assertThat(ConfigChecks.problems(config(Map.of(key, value))))
        .singleElement()
        .asString()
        .startsWith(key.replace(".dirs", "") + ": ");
  }

  @ParameterizedTest
  @CsvSource({
    "whence.kafka.prod.lag-interval, -1s",
    "whence.kafka.prod.lag-groups, (",
    "whence.kafka.prod.lag-max-series, 0",
  })
  void badValueOfAKafkaSource_namedByKey(String key, String value) {
    assertThat(
            ConfigChecks.problems(
                config(Map.of("whence.kafka.prod.bootstrap", "127.0.0.1:1", key, value))))
        .singleElement()
        .asString()
        .startsWith(key + ": ");
  }

  @ParameterizedTest
  @CsvSource({
    "earliest, true",
    "latest, true",
    "7d, true",
    "12h, true",
    "PT90M, true",
    "yesterday, false",
    "Latest, false",
    "0s, false",
    "-1h, false",
    "7 days, false",
  })
  void kafkaStart_nameOrSpan(String start, boolean good) {
    List<String> problems =
        ConfigChecks.problems(
            config(
                Map.of("whence.kafka.prod.bootstrap", "a:9092", "whence.kafka.prod.start", start)));
    assertThat(problems).hasSize(good ? 0 : 1);
    assertThat(problems)
        .allSatisfy(
            problem ->
                assertThat(problem).startsWith("whence.kafka.prod.start: ").contains("earliest"));
  }

  @Test
  void noSourceAtAll_refused() {
    assertThat(ConfigChecks.problems(config(Map.of("whence.embedded.enabled", "false"))))
        .singleElement()
        .asString()
        .startsWith("whence.embedded.enabled: ");
    assertThat(
            ConfigChecks.problems(
                config(Map.of("whence.embedded.enabled", "false", "whence.archive.a.dirs", "/a"))))
        .isEmpty();
  }

  @Test
  void badPattern_namedByKey() {
    assertThat(
            ConfigChecks.problems(
                config(Map.of("whence.archive.a.dirs", "/a", "whence.archive.a.topics", "("))))
        .singleElement()
        .asString()
        .startsWith("whence.archive.a.topics: ");
  }

  @Test
  void otherAddress_neededToBeAllowed() {
    assertThat(
            ConfigChecks.problems(
                config(
                    Map.of("whence.grpc.host", "0.0.0.0", "whence.grpc.allow-plaintext", "true"))))
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "certificate=a.pem, whence.grpc.tls.key: is missing",
    "key=a.key, whence.grpc.tls.certificate: is missing",
    "client-ca=a.pem, whence.grpc.tls.certificate: is missing",
    "reload=0s, whence.grpc.tls.reload: PT0S is not positive",
  })
  void tls_whatGoesTogetherNamed(String setting, String problem) {
    String[] parts = setting.split("=", 2);
    assertThat(ConfigChecks.problems(config(Map.of("whence.grpc.tls." + parts[0], parts[1]))))
        .singleElement()
        .asString()
        .startsWith(problem);
  }

  @ParameterizedTest
  @CsvSource({
    "grpc.tls.certificate=a grpc.tls.key=b grpc.host=0.0.0.0 http.host=127.0.0.1, ''",
    "grpc.tls.certificate=a grpc.tls.key=b grpc.host=0.0.0.0 http.allow-plaintext=true, ''",
    "grpc.tls.certificate=a grpc.tls.key=b grpc.host=0.0.0.0 grpc.allow-plaintext=true, ''",
    "grpc.tls.certificate=a grpc.tls.key=b grpc.host=0.0.0.0, whence.http.host: 0.0.0.0 is reachable",
    "grpc.host=0.0.0.0 http.host=127.0.0.1, whence.grpc.host: 0.0.0.0 is reachable",
    "http.host=0.0.0.0, whence.http.host: 0.0.0.0 is reachable",
    "http.host=0.0.0.0 grpc.allow-plaintext=true, whence.http.host: 0.0.0.0 is reachable",
    "http.host=0.0.0.0 http.allow-plaintext=true, ''",
    "http.host=::1, ''",
  })
  void plaintext_neededToBeAllowedBeyondLoopback(String settings, String problem) {
    Map<String, String> all = new TreeMap<>();
    for (String setting : settings.split(" ")) {
      String[] parts = setting.split("=", 2);
      all.put("whence." + parts[0], parts[1]);
    }
    List<String> problems = ConfigChecks.problems(config(all));
    assertThat(problems).hasSize(problem.isEmpty() ? 0 : 1);
    assertThat(problems).allSatisfy(found -> assertThat(found).startsWith(problem));
  }

  @Test
  void permittedPings_areTwiceAsFrequentAsClientsMaySend() {
    // gRPC's documentation has clients ping every 10 s at the most; jitter must not cut them off.
    assertThat(config(Map.of()).grpc().permitKeepAliveTime()).isEqualTo(Duration.ofSeconds(5));
  }

  @Test
  void unknownKey_refused() {
    assertThatThrownBy(() -> config(Map.of("whence.grpc.prot", "1")))
        .hasMessageContaining("whence.grpc.prot");
  }

  @ParameterizedTest
  @CsvSource({
    "WHENCE_GRPC_PORT, 1, true",
    "WHENCE_GRPC_MAX_INBOUND_MESSAGE_SIZE, 1, true",
    "WHENCE_DATA, 1, true",
    "WHENCE_ARCHIVE_OLD_DIRS, 1, true",
    "WHENCE_ARCHIVE_VERY_OLD_DIRS_0_, 1, true",
    "WHENCE_KAFKA_PROD_BOOTSTRAP, 1, true",
    "WHENCE_KAFKA_PROD_CLIENT_PROPERTIES, 1, true",
    "WHENCE_KAFKA_VERY_BIG_MAX_STALENESS, 1, true",
    "WHENCE_SERVICE_HOST, 1, true",
    "WHENCE_SERVICE_PORT_GRPC, 1, true",
    "WHENCE_PORT, tcp://10.0.0.1:9000, true",
    "WHENCE_PORT_9000_TCP_ADDR, 1, true",
    "HOME, 1, true",
    "WHENCE_PORT, 9000, false",
    "WHENCE_GRPC_PROT, 1, false",
    "WHENCE_ARCHIVE_OLD_DIR, 1, false",
    "WHENCE_ARCHIVE_OTHER_DIRS, 1, false",
    "WHENCE_ARCHIVE_PROD_BOOTSTRAP, 1, false",
    "WHENCE_KAFKA_PROD_BOOTSTRAPS, 1, false",
    "WHENCE_KAFKA_OTHER_BOOTSTRAP, 1, false",
    "WHENCE_KAFKA_OLD_DIRS, 1, false",
  })
  void environment_unknownVariableNamed(String name, String value, boolean good) {
    List<String> problems =
        EnvironmentChecks.problems(
            Map.of(name, value), Set.of("old", "very-old"), Set.of("prod", "very-big"));
    assertThat(problems).hasSize(good ? 0 : 1);
    assertThat(problems)
        .allSatisfy(problem -> assertThat(problem).startsWith(name + ": there is no such setting"));
  }

  @ParameterizedTest
  @CsvSource({
    "true, true",
    "YES, true",
    "on, true",
    "1, true",
    "false, true",
    "No, true",
    "off, true",
    "0, true",
    "json, false",
    "ture, false",
    "2, false",
  })
  void yesOrNo_everyOtherWordNamedByKey(String value, boolean good) {
    for (String key :
        List.of(
            "whence.log.json",
            "whence.embedded.enabled",
            "whence.grpc.allow-plaintext",
            "whence.http.allow-plaintext",
            "whence.archive.very-old.salvage")) {
      SmallRyeConfig given = given(Map.of(key, value, "whence.archive.very-old.dirs", "/a"));
      List<String> problems =
          BooleanChecks.problems(given, given.getConfigMapping(WhenceConfig.class));
      assertThat(problems)
          .isEqualTo(
              good ? List.of() : List.of(key + ": '" + value + "' is neither true nor false"));
    }
  }

  private static WhenceConfig config(Map<String, String> settings) {
    return given(settings).getConfigMapping(WhenceConfig.class);
  }

  private static SmallRyeConfig given(Map<String, String> settings) {
    return new SmallRyeConfigBuilder()
        .withConverter(Duration.class, 200, new DurationConverter())
        .withConverter(MemorySize.class, 200, new MemorySizeConverter())
        .withMapping(WhenceConfig.class)
        .withSources(new PropertiesConfigSource(settings, "test", 100))
        .build();
  }
}
