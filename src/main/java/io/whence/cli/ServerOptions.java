package io.whence.cli;

import com.google.common.net.HostAndPort;
import java.time.Duration;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options that say which server and source are asked. Single-writer: filled by the parser. */
final class ServerOptions {
  private static final int DEFAULT_PORT = 9000;
  private static final Duration LONGEST = Duration.ofDays(1);

  @Option(
      names = "--server",
      paramLabel = "HOST:PORT",
      defaultValue = "${env:WHENCE_SERVER:-localhost:9000}",
      description = "The server. Default: WHENCE_SERVER, or localhost:9000.")
  private String server = "localhost:9000";

  @Option(
      names = "--source",
      paramLabel = "NAME",
      description = "The source. May be left out where the server has only one.")
  private String source = "";

  @Option(
      names = "--timeout",
      paramLabel = "SPAN",
      defaultValue = "30s",
      description = "How long to wait for an answer, such as 500ms or 2m. Default: 30s.")
  private String timeout = "30s";

  @Mixin private TlsOptions tls = new TlsOptions();

  /** Returns the name of the source, or an empty text. */
  String source() {
    return source;
  }

  /** Opens a connection; nothing is sent before the first call. */
  Client connect() {
    return Client.open(address(), timeout(), tls.transport());
  }

  private String address() {
    try {
      HostAndPort address =
          HostAndPort.fromString(server.strip())
              .requireBracketsForIPv6()
              .withDefaultPort(DEFAULT_PORT);
      if (address.getPort() > 0 && address.getHost().matches("[A-Za-z0-9._:%-]+")) {
        return address.toString();
      }
    } catch (IllegalArgumentException e) {
      // Neither that, nor a port that may be: both are said below.
    }
    throw new BadInputException(
        "--server",
        "--server '"
            + server
            + "' is not HOST:PORT, with a port from 1 to 65535; an IPv6 address stands in brackets,"
            + " such as [::1]:9000");
  }

  private Duration timeout() {
    return DurationText.parse(timeout)
        .filter(span -> !span.isZero() && span.compareTo(LONGEST) <= 0)
        .orElseThrow(
            () ->
                new BadInputException(
                    "--timeout",
                    "--timeout '"
                        + timeout
                        + "': write a span above 0 and up to 1 day, such as 500ms or 2m"));
  }
}
