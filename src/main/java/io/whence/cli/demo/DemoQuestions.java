package io.whence.cli.demo;

import io.whence.cli.Cells;
import io.whence.cli.Client;
import io.whence.cli.OutputOptions;
import io.whence.cli.Tally;
import io.whence.cli.TimeDisplay;
import io.whence.cli.TopicWords;
import io.whence.cli.WindowTable;
import io.whence.v1.LocalTime;
import io.whence.v1.MaxTimestampPosition;
import io.whence.v1.Outcome;
import io.whence.v1.Position;
import io.whence.v1.ResolveTimestampRequest;
import io.whence.v1.ResolveTimestampResponse;
import io.whence.v1.ResolveWindowRequest;
import io.whence.v1.ResolveWindowResponse;
import io.whence.v1.TimePoint;
import io.whence.v1.TimestampQuery;
import io.whence.v1.WindowAnswer;
import io.whence.v1.WindowQuery;
import io.whence.v1.WindowQueryResult;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.OptionalLong;

/** The questions that the demo asks, and how it shows the answers. Immutable. */
record DemoQuestions(Client client, OutputOptions output) {
  static final String ZONE = "Asia/Shanghai";
  private static final int FROM_HOUR = 15;

  /** Returns the day before now on the clocks of Shanghai. */
  static LocalDate yesterday(Instant now) {
    return now.atZone(ZoneId.of(ZONE)).toLocalDate().minusDays(1);
  }

  /** Returns the start of the hour that is asked about. */
  static LocalDateTime start(LocalDate day) {
    return day.atTime(FROM_HOUR, 0);
  }

  /** Asks the topic that was just filled, and prints the table. */
  void askEmbedded(String topic, LocalDate yesterday) {
    print(ask("embedded", topic, start(yesterday)));
  }

  /**
   * Asks an archive for the same hour; if it has nothing there, for the same hour of its own last
   * full day, and at last for its last hour.
   */
  void askArchive(String topic, LocalDate yesterday) {
    ResolveWindowResponse first = ask("sample", topic, start(yesterday));
    if (hasAnswers(first)) {
      print(first);
      return;
    }
    output.line("  yesterday, source sample, topic " + topic + ": " + outcomes(first));
    OptionalLong newest = newest(topic);
    if (newest.isEmpty()) {
      return;
    }
    TimeDisplay times = new TimeDisplay(ZoneId.of(ZONE));
    output.line(
        "  its newest record is from "
            + times.text(newest.getAsLong())
            + ", so ask for that time:");
    output.line("");
    LocalDateTime end =
        Instant.ofEpochMilli(newest.getAsLong()).atZone(ZoneId.of(ZONE)).toLocalDateTime();
    ResolveWindowResponse lastDay = ask("sample", topic, start(lastFullDay(end)));
    print(hasAnswers(lastDay) ? lastDay : ask("sample", topic, end.truncatedTo(ChronoUnit.HOURS)));
  }

  /** A log that ends in the last hour of a day has all of that day. */
  private static LocalDate lastFullDay(LocalDateTime end) {
    return end.plusHours(1).toLocalDate().minusDays(1);
  }

  private ResolveWindowResponse ask(String source, String topic, LocalDateTime from) {
    WindowQuery.Builder query =
        WindowQuery.newBuilder()
            .setTopic(topic)
            .setFrom(local(from))
            .setTo(local(from.plusHours(1)));
    ResolveWindowRequest request =
        ResolveWindowRequest.newBuilder().setSource(source).addQueries(query).build();
    return client.resolver(r -> r.resolveWindow(request));
  }

  private static TimePoint local(LocalDateTime time) {
    return TimePoint.newBuilder()
        .setLocalTime(LocalTime.newBuilder().setDateTime(time + ":00").setZone(ZONE))
        .build();
  }

  private OptionalLong newest(String topic) {
    ResolveTimestampRequest request =
        ResolveTimestampRequest.newBuilder()
            .setSource("sample")
            .addQueries(
                TimestampQuery.newBuilder()
                    .setTopic(topic)
                    .setPosition(
                        Position.newBuilder()
                            .setMaxTimestamp(MaxTimestampPosition.getDefaultInstance())))
            .build();
    ResolveTimestampResponse response = client.resolver(r -> r.resolveTimestamp(request));
    return response.getResultsList().stream()
        .flatMap(result -> result.getAnswersList().stream())
        .filter(answer -> answer.getRecord().hasTimestampMs() && !answer.getFutureTimestamp())
        .mapToLong(answer -> answer.getRecord().getTimestampMs())
        .max();
  }

  private static boolean hasAnswers(ResolveWindowResponse response) {
    return answers(response).stream().anyMatch(a -> a.getOutcome() == Outcome.OUTCOME_FOUND);
  }

  private static List<WindowAnswer> answers(ResolveWindowResponse response) {
    return response.getResultsList().stream()
        .flatMap(result -> result.getAnswersList().stream())
        .toList();
  }

  private static String outcomes(ResolveWindowResponse response) {
    List<String> words =
        answers(response).stream()
            .map(a -> Cells.outcome(a.getOutcome()).text())
            .distinct()
            .toList();
    return "nothing found in "
        + TopicWords.count(answers(response).size(), "partition")
        + " ("
        + String.join(", ", words)
        + ")";
  }

  private void print(ResolveWindowResponse response) {
    WindowTable table = new WindowTable(output, new TimeDisplay(ZoneId.of(ZONE)));
    Tally failures = new Tally();
    for (WindowQueryResult result : response.getResultsList()) {
      table.print(response.getSource(), result, "read uncommitted");
      WindowTable.count(result, failures);
    }
    failures.printFailures(output);
  }
}
