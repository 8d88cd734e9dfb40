package io.whence.bench.replies;

import static org.awaitility.Awaitility.await;

import io.whence.bench.Channels;
import io.whence.bench.Machine;
import io.whence.bench.WhenceServer;
import io.whence.bench.report.Report;
import io.whence.bench.report.Section;
import io.whence.bench.report.Table;
import io.whence.testkit.Directories;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.core.ConditionTimeoutException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Very many calls; {@code load-tests/replies} builds and starts it, and says what the options mean.
 * Exit code 1 when a call had no answer, more than one, or another's. Thread safety: single-writer.
 */
@Command(name = "load-tests/replies")
final class RepliesBenchmark implements Callable<Integer> {
  private static final Pattern COUNTED =
      Pattern.compile(
          "(?m)^whence_calls_seconds_count\\{[^}]*rpc=\"ResolveTimestamp\"[^}]*} (\\S+)$");

  /** After a call has ended for its client the server counts it soon. */
  private static final Duration COUNT_LIMIT = Duration.ofSeconds(10);

  @Option(names = "--calls", defaultValue = "10000000")
  private long calls;

  @Option(names = "--connections", defaultValue = "64")
  private int connections;

  @Option(names = "--in-flight", defaultValue = "4")
  private int inFlight;

  @Option(names = "--json")
  private Path json = Path.of("");

  @Option(names = "--write-docs")
  private boolean writeDocs;

  @Spec private CommandSpec spec = CommandSpec.create();

  private RepliesBenchmark() {}

  /** Runs the benchmark. */
  public static void main(String[] args) {
    System.exit(new CommandLine(new RepliesBenchmark()).execute(args));
  }

  @Override
  public Integer call() throws Exception {
    if (calls <= 0 || connections <= 0 || inFlight <= 0) {
      throw new ParameterException(
          spec.commandLine(), "needed: at least one call, connection, and call in flight");
    }
    Map<String, String> conditions = Machine.conditions();
    conditions.put("server", "Whence with " + String.join(" ", Machine.SERVER_OPTIONS));
    Path directory = Directories.temporary("whence-load");
    try (WhenceServer server = WhenceServer.start(directory.resolve("data"));
        Channels channels = Channels.open(server.port(), connections * inFlight, inFlight)) {
      RepliesTopic.create(channels.of(0));
      ReplyTally tally = new ReplyTally();
      long begun = System.nanoTime();
      send(channels, tally);
      double seconds = (System.nanoTime() - begun) / (double) TimeUnit.SECONDS.toNanos(1);
      long counted = awaitCount(server);
      boolean passed =
          tally.answeredCount() == calls && counted == calls && tally.wrongCount() == 0;
      write(new Report(List.of(section(conditions, tally, counted, seconds))), passed);
      return passed ? 0 : 1;
    } finally {
      Directories.delete(directory);
    }
  }

  private void send(Channels channels, ReplyTally tally) throws InterruptedException {
    AtomicLong unsent = new AtomicLong(calls);
    int callers = connections * inFlight;
    CountDownLatch ended = new CountDownLatch(callers);
    for (int i = 0; i < callers; i++) {
      new ReplyCaller(channels.of(i), unsent, tally, ended).next();
    }
    ended.await();
  }

  /** Returns how many calls the server has counted, once these are all or no more come. */
  private long awaitCount(WhenceServer server) {
    URI metrics = URI.create("http://127.0.0.1:" + server.httpPort() + "/q/metrics");
    AtomicLong counted = new AtomicLong();
    try {
      await()
          .atMost(COUNT_LIMIT)
          .until(
              () -> {
                counted.set(counted(metrics));
                return counted.get() == calls;
              });
    } catch (ConditionTimeoutException e) {
      return counted.get(); // The result says how many are missing.
    }
    return counted.get();
  }

  private static long counted(URI metrics) throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(metrics).timeout(COUNT_LIMIT).build();
    String body =
        HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body();
    long counted = 0;
    for (Matcher line = COUNTED.matcher(body); line.find(); ) {
      counted += (long) Double.parseDouble(line.group(1));
    }
    return counted;
  }

  private Section section(
      Map<String, String> conditions, ReplyTally tally, long counted, double seconds) {
    List<Object> row =
        List.of(
            connections,
            calls,
            tally.answeredCount(),
            tally.wrongCount(),
            tally.failedCount(),
            counted,
            calls / seconds);
    List<String> notes = new ArrayList<>();
    tally.firstProblem().ifPresent(problem -> notes.add("the first problem: " + problem));
    Table table =
        new Table(
            "Calls that all ask for something else",
            List.of(
                "connections",
                "calls",
                "had their answer",
                "had another or several",
                "failed",
                "counted by the server",
                "calls/s"),
            List.of(row));
    return new Section("replies", conditions, List.of(table), List.of(), notes);
  }

  private void write(Report report, boolean passed) throws IOException {
    report.lines().forEach(System.out::println);
    if (!json.toString().isEmpty()) {
      report.write(json);
    }
    if (writeDocs && passed) {
      report.writeDocs();
    }
  }
}
