package io.whence.example;

import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.whence.v1.CommitEntry;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** The command line: window, commit, lag, watch, health, conformance. Immutable. */
record Main(Map<String, String> options, List<String> words) {
  private static final Set<String> OPTIONS =
      Set.of(
          "server",
          "source",
          "timeout",
          "tls-ca",
          "tls-cert",
          "tls-key",
          "records",
          "expect",
          "request-id",
          "metadata");
  private static final String USAGE =
      """
      usage: whence-example COMMAND [OPTIONS] ARGUMENTS
        window TOPIC START END [--records N]
        commit GROUP TOPIC PARTITION NEXT_OFFSET [--expect OFFSET|none] [--request-id ID]
               [--metadata TEXT] [--rewind]
        lag GROUP
        watch TOPIC TIME
        health
        conformance FILE_OR_DIRECTORY...
      --server HOST:PORT --source NAME --timeout SECONDS
      --tls --tls-ca FILE --tls-cert FILE --tls-key FILE\
      """;

  /** Runs one command. */
  public static void main(String[] args) throws IOException, InterruptedException {
    System.exit(run(args));
  }

  private static int run(String[] args) throws IOException, InterruptedException {
    try {
      return parse(args).run();
    } catch (IllegalArgumentException e) {
      System.err.println(e.getMessage());
      return 2;
    } catch (StatusRuntimeException e) {
      System.err.println("whence-example: " + Failure.of(e));
      return 1;
    }
  }

  private static Main parse(String[] args) {
    Map<String, String> options = new HashMap<>();
    List<String> words = new ArrayList<>();
    for (int i = 0; i < args.length; i++) {
      String name = args[i].startsWith("--") ? args[i].substring(2) : "";
      if (name.equals("rewind") || name.equals("tls")) {
        options.put(name, "true");
      } else if (OPTIONS.contains(name) && i + 1 < args.length) {
        options.put(name, args[++i]);
      } else if (name.isEmpty()) {
        words.add(args[i]);
      } else {
        throw new IllegalArgumentException(USAGE);
      }
    }
    return new Main(options, words);
  }

  private int run() throws IOException, InterruptedException {
    String server = System.getenv().getOrDefault("WHENCE_SERVER", "localhost:9000");
    var connection =
        new Connection(
            options.getOrDefault("server", server),
            options.containsKey("tls"),
            options.get("tls-ca"),
            options.get("tls-cert"),
            options.get("tls-key"));
    ManagedChannel channel = connection.open();
    try {
      return run(channel) ? 0 : 1;
    } finally {
      channel.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
    }
  }

  private boolean run(ManagedChannel channel) throws IOException, InterruptedException {
    var out =
        new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
    double seconds = Double.parseDouble(options.getOrDefault("timeout", "10"));
    String source = options.getOrDefault("source", "");
    var jobs = new Jobs(channel, source, (long) (seconds * 1000), out);
    String command = words.isEmpty() ? "" : words.get(0);
    if (command.equals("conformance") && words.size() > 1) {
      return new Conformance(jobs).run(words.subList(1, words.size()));
    }
    return switch (command + " " + (words.size() - 1)) {
      case "window 3" -> jobs.window(words.get(1), words.get(2), words.get(3), records());
      case "commit 4" -> jobs.commit(words.get(1), entry(), requestId());
      case "lag 1" -> jobs.lag(words.get(1));
      case "watch 2" -> jobs.watch(words.get(1), words.get(2));
      case "health 0" -> health(channel, jobs);
      default -> throw new IllegalArgumentException(USAGE);
    };
  }

  private int records() {
    return Integer.parseInt(options.getOrDefault("records", "2"));
  }

  private String requestId() {
    return options.getOrDefault("request-id", UUID.randomUUID().toString());
  }

  private CommitEntry entry() {
    var entry =
        CommitEntry.newBuilder()
            .setTopic(words.get(2))
            .setPartition(Integer.parseInt(words.get(3)))
            .setNextOffset(Long.parseLong(words.get(4)))
            .setMetadata(options.getOrDefault("metadata", ""))
            .setAllowRewind(options.containsKey("rewind"));
    String expect = options.get("expect");
    if (expect == null) {
      return entry.build();
    }
    return expect.equals("none")
        ? entry.setExpectNoOffset(true).build()
        : entry.setExpectedOffset(Long.parseLong(expect)).build();
  }

  private static boolean health(ManagedChannel channel, Jobs jobs) {
    var request = HealthCheckRequest.newBuilder().setService("whence.v1.ResolverService").build();
    var stub =
        HealthGrpc.newBlockingStub(channel)
            .withWaitForReady()
            .withDeadlineAfter(jobs.timeoutMs(), TimeUnit.MILLISECONDS);
    ServingStatus status = stub.check(request).getStatus();
    jobs.out().println(status);
    return status == ServingStatus.SERVING;
  }
}
