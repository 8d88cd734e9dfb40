package io.whence.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Commands run against a server that gives the answers it is told. */
abstract class CommandFixture {
  /** Says that questions can be asked. */
  static final String ASKS = "whence.asks";

  private final InputStream console = System.in;
  final StringWriter out = new StringWriter();
  final StringWriter err = new StringWriter();
  FakeServer server;

  @BeforeEach
  void startServer() throws IOException {
    server = FakeServer.start();
  }

  @AfterEach
  void stopServer() {
    System.setIn(console);
    System.clearProperty(ASKS);
    server.close();
  }

  /** Returns the exit code. */
  int run(String... args) {
    return Invocation.run(server.address(), out, err, args);
  }
}
