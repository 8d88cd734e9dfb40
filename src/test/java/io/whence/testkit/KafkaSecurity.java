package io.whence.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/**
 * What makes a broker of the kit want TLS and a password, and ask its access lists. There are the
 * users {@code admin}, who may do everything, and {@code reader}; the password of any other is
 * wrong. Thread safety: immutable.
 */
public final class KafkaSecurity {
  private static final Duration TIME_LIMIT = Duration.ofMinutes(1);
  private static final String STORE_PASSWORD = "store-password";
  private static final String LOGIN = "org.apache.kafka.common.security.plain.PlainLoginModule";

  private final Path keyStore;

  private KafkaSecurity(Path keyStore) {
    this.keyStore = keyStore;
  }

  /** Makes a key with a certificate for loopback, in a directory. */
  public static KafkaSecurity create(Path directory) {
    Path keyStore = directory.resolve("broker.p12");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of("-genkeypair", "-alias", "broker", "-dname", "CN=broker"));
    command.addAll(List.of("-keyalg", "EC", "-groupname", "secp256r1", "-ext", "SAN=IP:127.0.0.1"));
    command.addAll(List.of("-storetype", "PKCS12", "-storepass", STORE_PASSWORD));
    command.addAll(List.of("-keystore", keyStore.toString()));
    Command.run(command, directory, TIME_LIMIT);
    return new KafkaSecurity(keyStore);
  }

  /** Returns settings for a broker. */
  public Map<String, String> brokerSettings() {
    return Map.ofEntries(
        Map.entry("listener.security.protocol.map", "PLAINTEXT:SASL_SSL,CONTROLLER:PLAINTEXT"),
        Map.entry("inter.broker.listener.name", "PLAINTEXT"),
        Map.entry("sasl.enabled.mechanisms", "PLAIN"),
        Map.entry("sasl.mechanism.inter.broker.protocol", "PLAIN"),
        Map.entry(
            "listener.name.plaintext.plain.sasl.jaas.config",
            LOGIN
                + " required username=\"admin\" password=\"admin-secret\""
                + " user_admin=\"admin-secret\" user_reader=\"reader-secret\";"),
        Map.entry("ssl.keystore.location", keyStore.toString()),
        Map.entry("ssl.keystore.type", "PKCS12"),
        Map.entry("ssl.keystore.password", STORE_PASSWORD),
        Map.entry("ssl.truststore.location", keyStore.toString()),
        Map.entry("ssl.truststore.type", "PKCS12"),
        Map.entry("ssl.truststore.password", STORE_PASSWORD),
        Map.entry(
            "authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer"),
        // Who comes by the controller's listener has no name.
        Map.entry("super.users", "User:admin;User:ANONYMOUS"));
  }

  /** Writes settings for a client, as Kafka's tools take them with {@code --command-config}. */
  public void writeClientFile(Path file, KafkaBroker broker, String user) {
    Properties settings = new Properties();
    settings.putAll(clientSettings(broker, user));
    settings.remove("bootstrap.servers");
    try (var writer = Files.newBufferedWriter(file, StandardCharsets.UTF_8)) {
      settings.store(writer, null);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns settings for a client of a broker. */
  public Map<String, Object> clientSettings(KafkaBroker broker, String user) {
    String password =
        user.equals("admin") || user.equals("reader") ? user + "-secret" : "wrong-secret";
    return Map.of(
        "bootstrap.servers",
        broker.bootstrapServers(),
        "security.protocol",
        "SASL_SSL",
        "sasl.mechanism",
        "PLAIN",
        "sasl.jaas.config",
        LOGIN + " required username=\"" + user + "\" password=\"" + password + "\";",
        "ssl.truststore.location",
        keyStore.toString(),
        "ssl.truststore.type",
        "PKCS12",
        "ssl.truststore.password",
        STORE_PASSWORD);
  }
}
