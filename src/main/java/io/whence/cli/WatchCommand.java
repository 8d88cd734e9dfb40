package io.whence.cli;

import io.grpc.Status;
import io.whence.v1.WatchQuery;
import io.whence.v1.WatchTimestampRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Waits until a moment has been reached in many partitions. Single-writer. */
@Command(
    name = "watch",
    description = "Waits for a moment, and tells at which offset it begins, in each partition.",
    mixinStandardHelpOptions = true,
    footerHeading = "%nExample:%n",
    footer = {
      "  whence watch orders --at 2024-03-09T00:00+08:00 --progress 10s",
      "",
      "Ends when the first record at or after TIME is there in every partition; TIME may lie in the",
      "future. --format json prints a document for each event, one to a line. A connection that",
      "breaks is made anew, and the moment stays the same."
    })
final class WatchCommand implements Callable<Integer> {
  private static final Duration LONGEST = Duration.ofDays(365);
  private static final Duration PAUSE = Duration.ofSeconds(1);

  /** How often in a row a connection is made anew that tells nothing. */
  private static final int MAX_TRIES = 30;

  @Mixin private ServerOptions server = new ServerOptions();
  @Mixin private OutputOptions output = new OutputOptions();
  @Mixin private IsolationOption isolation = new IsolationOption();
  @Mixin private TimeOptions times = new TimeOptions();

  @Parameters(arity = "1..*", paramLabel = "TOPIC", description = "The topics.")
  private List<String> topics = List.of();

  @Option(
      names = "--at",
      required = true,
      paramLabel = "TIME",
      description = "The moment, as for resolve.")
  private String at = "";

  @Option(
      names = "--partitions",
      paramLabel = "LIST",
      description = "The partitions, such as 0-3,7. Default: all.")
  private String partitions = "";

  @Option(
      names = "--progress",
      paramLabel = "SPAN",
      description = "Tells how far it is every SPAN, at least 1s. Default: never.")
  private @Nullable String progress;

  @Option(
      names = "--for",
      paramLabel = "SPAN",
      description = "Gives up after SPAN. Default: never.")
  private @Nullable String limit;

  private Watch.Pause pause = span -> Thread.sleep(span.toMillis());

  @Override
  public Integer call() throws InterruptedException {
    TimeText time = TimeText.parse("--at", at, times);
    Duration longest = limit == null ? LONGEST : span("--for", limit, Duration.ofMillis(1));
    WatchSession session =
        new WatchSession(request(time), output, times.display(), isolation.words());
    long endNanos = System.nanoTime() + longest.toNanos();
    if (!time.note().isEmpty() && !output.json()) {
      output.line(time.note());
    }
    try (Client client = server.connect()) {
      int tries = 0;
      while (true) {
        long told = session.toldCount();
        try {
          Duration left = Duration.ofNanos(Math.max(1, endNanos - System.nanoTime()));
          client.watch(session.request(), left, session::take);
          return session.exitCode();
        } catch (CallFailedException e) {
          tries = session.toldCount() > told ? 1 : tries + 1;
          if (isOver(e, endNanos)) {
            return session.giveUp();
          }
          if (!session.hasBegun() || !isBroken(e) || tries > MAX_TRIES) {
            throw e;
          }
          if (tries == 1) {
            session.lost(e);
          }
        }
        pause.await(PAUSE);
      }
    }
  }

  private WatchTimestampRequest request(TimeText time) {
    WatchTimestampRequest.Builder request =
        WatchTimestampRequest.newBuilder()
            .setSource(server.source())
            .setIsolationLevel(isolation.level())
            .setAllowUnusualTime(times.allowUnusualTime());
    if (progress != null) {
      Duration interval = span("--progress", progress, Duration.ofSeconds(1));
      request.setProgressInterval(
          com.google.protobuf.Duration.newBuilder()
              .setSeconds(interval.getSeconds())
              .setNanos(interval.getNano()));
    }
    for (String topic : topics) {
      request.addQueries(
          WatchQuery.newBuilder()
              .setTopic(topic)
              .addAllPartitions(PartitionList.parse(partitions))
              .setTime(time.point()));
    }
    return request.build();
  }

  private static Duration span(String option, String text, Duration shortest) {
    return DurationText.parse(text)
        .filter(span -> span.compareTo(shortest) >= 0 && span.compareTo(LONGEST) <= 0)
        .orElseThrow(
            () ->
                new BadInputException(
                    option,
                    option
                        + " '"
                        + text
                        + "': write a span from "
                        + TimeDisplay.span(shortest.toMillis())
                        + " to 365d, such as 10s"));
  }

  /** The server stops or is gone, or the connection got too old: the next one may go on. */
  private static boolean isBroken(CallFailedException e) {
    return e.failure().getStatus().getCode() == Status.Code.UNAVAILABLE;
  }

  private boolean isOver(CallFailedException e, long endNanos) {
    return limit != null
        && (e.failure().getStatus().getCode() == Status.Code.DEADLINE_EXCEEDED
            || System.nanoTime() - endNanos >= 0);
  }
}
