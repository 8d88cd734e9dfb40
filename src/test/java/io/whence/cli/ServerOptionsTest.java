package io.whence.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class ServerOptionsTest {
  @ParameterizedTest
  @CsvSource({
    "localhost, localhost:9000",
    "10.0.0.7:7, 10.0.0.7:7",
    "whence.prod.svc:9000, whence.prod.svc:9000",
    "host:, host:9000",
    "[::1], [::1]:9000",
    "[::1]:1, [::1]:1",
    "[fe80::1%eth0]:9000, [fe80::1%eth0]:9000",
  })
  void address_withAndWithoutPort_opened(String given, String address) {
    try (Client client = options(given).connect()) {
      assertThat(client.server()).isEqualTo(address);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", ":9", ":::9", "::1", "host:0", "host:99999", "host:x", "a b", "http://x"})
  void anythingElse_refusedWithTheForm(String given) {
    ServerOptions options = options(given);
    assertThatThrownBy(options::connect)
        .isInstanceOf(BadInputException.class)
        .hasMessageContaining("--server '" + given + "'")
        .hasMessageContaining("HOST:PORT");
  }

  private static ServerOptions options(String server) {
    ServerOptions options = new ServerOptions();
    new CommandLine(
            CommandLine.Model.CommandSpec.create()
                .addMixin("s", CommandLine.Model.CommandSpec.forAnnotatedObject(options)))
        .parseArgs("--server=" + server);
    return options;
  }
}
