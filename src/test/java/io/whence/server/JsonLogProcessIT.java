package io.whence.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.whence.testkit.Directories;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Logs of {@code whence.log.json=true}: every line of a life is an object. */
class JsonLogProcessIT {
  private static final String JSON = "whence.log.json=true";

  private final Path home = Directories.temporary("whence-json-log");
  private final ObjectMapper json = new ObjectMapper();

  @AfterEach
  void delete() {
    Directories.delete(home);
  }

  @Test
  void startAndStop_oneObjectForEachChange() throws JsonProcessingException {
    try (ServerProcess server = ServerProcess.launch(home.resolve("data"), JSON)) {
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> server.log().contains("ready: ") && server.log().contains("Listening on: "));
      try (Client client = new Client(server.grpcPort())) {
        client.topic("orders", 1, 1_700_000_000_000L);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      server.terminate();
      server.exitCode();
      List<String> messages = messages(server.log());
      assertThat(messages).filteredOn(message -> message.startsWith("gRPC listens: ")).hasSize(1);
      assertThat(messages).filteredOn(message -> message.startsWith("ready: ")).hasSize(1);
      assertThat(messages).filteredOn(message -> message.startsWith("stopping: ")).hasSize(1);
      assertThat(messages).filteredOn(message -> message.equals("stopped")).hasSize(1);
    }
  }

  @Test
  void refusal_isAnObject() throws JsonProcessingException {
    String log = ServerProcess.refusal(home.resolve("data"), JSON, "whence.workers.queue=0");
    assertThat(messages(log)).contains("not started: whence.workers.queue: 0 is not positive");
    assertThat(json.readTree(log.lines().findFirst().orElseThrow()).get("level").asText())
        .isEqualTo("FATAL");
  }

  @Test
  void asUsersWriteIt_isJson() throws JsonProcessingException {
    assertThat(
            messages(
                ServerProcess.refusal(
                    home.resolve("data"), "whence.log.json=True", "whence.workers.queue=0")))
        .isNotEmpty();
  }

  private List<String> messages(String log) throws JsonProcessingException {
    List<String> messages = new ArrayList<>();
    for (String line : log.lines().toList()) {
      JsonNode entry = json.readTree(line);
      assertThat(entry.isObject()).as(line).isTrue();
      assertThat(entry.get("timestamp").asText()).isNotEmpty();
      assertThat(entry.get("level").asText()).isNotEmpty();
      messages.add(entry.get("message").asText());
    }
    return messages;
  }
}
