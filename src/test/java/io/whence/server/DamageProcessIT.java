package io.whence.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.StatusRuntimeException;
import io.whence.testkit.Directories;
import io.whence.v1.ReadRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A file of the embedded source that is damaged while the server runs. */
class DamageProcessIT {
  private static final String TOPIC = "orders";
  private static final long TIME_MS = 1_717_200_000_000L;

  private final Path data = Directories.temporary("whence-damaged");

  @AfterEach
  void delete() {
    Directories.delete(data);
  }

  @Test
  void flippedByte_oneLineAndMetrics_whoeverReadsIt() throws Exception {
    try (ServerProcess server = ServerProcess.start(data);
        Client client = server.client()) {
      client.topic(TOPIC, 1, LongStream.range(0, 100).map(i -> TIME_MS + i).toArray());
      assertThat(server.metric("whence_log_damages")).isZero();
      assertThat(server.metric("whence_log_warnings_total")).isZero();
      Path log = log();
      byte[] bytes = Files.readAllBytes(log);
      bytes[bytes.length - 1] ^= 1;
      Files.write(log, bytes);

      for (int i = 0; i < 3; i++) {
        StatusRuntimeException failure = Client.failure(() -> read(client));
        assertThat(Client.reason(failure)).isEqualTo("DAMAGED_LOG");
      }

      List<String> lines =
          server.log().lines().filter(line -> line.contains("a reader found damage")).toList();
      assertThat(lines)
          .singleElement()
          .asString()
          .contains("WARN", "file=" + log + " position=0 expected=CRC-32C 0x", " found=");
      assertThat(server.metric("whence_log_warnings_total")).isEqualTo(1);
      assertThat(server.metric("whence_log_damages")).isEqualTo(1);
    }
  }

  private Path log() throws IOException {
    try (Stream<Path> files = Files.walk(data)) {
      return files
          .filter(file -> file.toString().contains(TOPIC + "-0"))
          .filter(file -> file.toString().endsWith(".log"))
          .findFirst()
          .orElseThrow();
    }
  }

  private static void read(Client client) {
    client.log.read(ReadRequest.newBuilder().setTopic(TOPIC).setMaxRecords(10).build());
  }
}
