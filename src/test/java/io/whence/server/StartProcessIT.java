package io.whence.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.testkit.Directories;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Starts that can't succeed: exit code 1, and one line that names setting, path and rule. */
class StartProcessIT {
  private final Path home = Directories.temporary("whence-start");
  private final Path data = home.resolve("data");

  @AfterEach
  void delete() {
    Directories.delete(home);
  }

  @Test
  void dataBelowFile_refused() throws IOException {
    Path file = Files.createFile(home.resolve("file"));
    assertThat(ServerProcess.refusal(data, "whence.data=" + file.resolve("data")))
        .containsPattern(
            "FATAL .*not started: whence\\.data: " + file + "/data: .*Not a directory\n")
        .doesNotContain("\tat ");
  }

  @Test
  void dataOfBroker_refused() throws IOException {
    Files.createDirectories(data);
    Files.writeString(data.resolve("meta.properties"), "version=1\n");
    assertRefused(
        "whence.data: "
            + data
            + ": is the log directory of a Kafka broker, as its meta.properties says; open it"
            + " read-only with --archive NAME="
            + data);
  }

  @Test
  void archiveMissing_refused() {
    assertRefused(
        "whence.archive.old.dirs: archive directory /no/such/dir: does not exist; expected a log"
            + " directory (log.dirs) of a broker that is not running, or a copy",
        "whence.archive.old.dirs=/no/such/dir");
  }

  @Test
  void archiveOfSomethingElse_refused() throws IOException {
    Path other = Files.createDirectories(home.resolve("photos"));
    assertRefused(
        "whence.archive.old.dirs: archive directory "
            + other
            + ": holds neither meta.properties nor partitions (<topic>-<number>); expected a log"
            + " directory (log.dirs) of a broker that is not running, or a copy",
        "whence.archive.old.dirs=" + other);
  }

  @Test
  void badValues_allNamedInOneLine() {
    assertRefused(
        "whence.limits.calls-in-flight: 0 is not positive; whence.workers.queue: 0 is not positive;"
            + " whence.grpc.host: 0.0.0.0 is reachable from other machines and the connection is"
            + " not encrypted; set whence.grpc.tls.certificate and whence.grpc.tls.key, or"
            + " whence.grpc.allow-plaintext=true if that is wanted, or use 127.0.0.1",
        "whence.limits.calls-in-flight=0",
        "whence.workers.queue=0",
        "whence.grpc.host=0.0.0.0");
  }

  @Test
  void wordThatIsNeitherTrueNorFalse_refused() {
    assertRefused(
        "whence.log.json: 'text' is neither true nor false; whence.workers.queue: 0 is not positive",
        "whence.log.json=text",
        "whence.workers.queue=0");
  }

  @Test
  void nothingToServe_refused() {
    assertRefused(
        "whence.embedded.enabled: is false and there is neither whence.archive.NAME.dirs nor"
            + " whence.kafka.NAME.bootstrap, so there would be nothing to ask; give one of them",
        "whence.embedded.enabled=false");
  }

  @Test
  void unknownKeysAndWrongTypes_named() {
    assertThat(
            ServerProcess.refusal(
                data,
                "whence.grpc.prot=1",
                "whence.workers.queue=many",
                "whence.archive.old.salvage=true"))
        .contains("whence.grpc.prot in SysPropConfigSource does not map to any root")
        .contains("whence.workers.queue with the config value \"many\"")
        .contains("whence.archive.old.dirs is required");
  }

  @Test
  void portsTaken_refused() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String rule =
          ": can't listen on 127.0.0.1:" + taken.getLocalPort() + ": Address already in use";
      assertRefused("whence.grpc.port" + rule, "whence.grpc.port=" + taken.getLocalPort());
      assertRefused("whence.http.port" + rule, "whence.http.port=" + taken.getLocalPort());
    }
    assertThat(data.resolve("topics")).doesNotExist();
  }

  private void assertRefused(String problem, String... settings) {
    assertThat(ServerProcess.refusal(data, settings))
        .containsOnlyOnce("FATAL")
        .contains("not started: " + problem + "\n")
        .doesNotContain("\tat ");
  }
}
