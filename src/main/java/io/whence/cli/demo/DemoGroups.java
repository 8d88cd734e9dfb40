package io.whence.cli.demo;

import com.google.protobuf.Duration;
import io.whence.cli.Client;
import io.whence.cli.Ink;
import io.whence.cli.LagTable;
import io.whence.cli.OutputOptions;
import io.whence.cli.PlanTable;
import io.whence.cli.TimeDisplay;
import io.whence.v1.CommitEntry;
import io.whence.v1.CommitOffsetRequest;
import io.whence.v1.CommitOffsetResponse;
import io.whence.v1.CommitOutcome;
import io.whence.v1.GetGroupLagRequest;
import io.whence.v1.GetGroupLagResponse;
import io.whence.v1.GroupQuery;
import io.whence.v1.LocalTime;
import io.whence.v1.PlanResetRequest;
import io.whence.v1.PlanResetResponse;
import io.whence.v1.Position;
import io.whence.v1.ResetTarget;
import io.whence.v1.ResolveTimestampRequest;
import io.whence.v1.ResolveTimestampResponse;
import io.whence.v1.TimePoint;
import io.whence.v1.TimestampAnswer;
import io.whence.v1.TimestampQuery;
import io.whence.v1.TopicPartitions;
import java.io.IOException;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.List;

/**
 * A group that stopped reading some time ago, how far it is behind, and its way back. Immutable.
 */
record DemoGroups(Client client, OutputOptions output, String topic) {
  /** The group that the demo commits for. */
  static final String GROUP = "billing";

  private static final String SOURCE = "embedded";
  private static final Duration STOPPED = Duration.newBuilder().setSeconds(7_200).build();
  // A few of the twelve, and the one where nothing was written for days.
  private static final List<Integer> PARTITIONS = List.of(0, 1, 2, DemoTraffic.CLOSED);

  /**
   * Commits, shows the lag, and plans a reset.
   *
   * @throws IOException if the server refuses a commit
   */
  void show(LocalDateTime from) throws IOException {
    commit();
    TimeDisplay times = new TimeDisplay(ZoneId.of(DemoQuestions.ZONE));
    output.line("How far is a group behind that stopped reading two hours ago?", Ink.BOLD);
    output.line("");
    TopicPartitions.Builder partitions =
        TopicPartitions.newBuilder()
            .setTopic(topic)
            .addAllPartitions(PARTITIONS)
            .addPartitions(DemoTraffic.EMPTY);
    GetGroupLagRequest request =
        GetGroupLagRequest.newBuilder()
            .setSource(SOURCE)
            .addQueries(GroupQuery.newBuilder().setGroup(GROUP).addTopics(partitions))
            .build();
    GetGroupLagResponse lag = client.groups(groups -> groups.getGroupLag(request));
    lag.getResultsList()
        .forEach(group -> new LagTable(output, times).print(lag, group, "read uncommitted"));
    output.line("And if it read everything since yesterday 15:00 again?", Ink.BOLD);
    output.line("");
    new PlanTable(output, times).print(plan(from), "at or after");
    output.line("  Only a plan: nothing is changed before a yes.");
  }

  private void commit() throws IOException {
    ResolveTimestampRequest request =
        ResolveTimestampRequest.newBuilder()
            .setSource(SOURCE)
            .addQueries(
                TimestampQuery.newBuilder()
                    .setTopic(topic)
                    .addAllPartitions(PARTITIONS)
                    .setPosition(
                        Position.newBuilder().setAtOrAfter(TimePoint.newBuilder().setAgo(STOPPED))))
            .build();
    ResolveTimestampResponse resolved = client.resolver(r -> r.resolveTimestamp(request));
    CommitOffsetRequest.Builder commit =
        CommitOffsetRequest.newBuilder()
            .setSource(SOURCE)
            .setGroup(GROUP)
            .setWriter("demo")
            .setAtomic(true);
    for (TimestampAnswer answer : resolved.getResults(0).getAnswersList()) {
      commit.addEntries(
          CommitEntry.newBuilder()
              .setTopic(topic)
              .setPartition(answer.getPartition())
              .setNextOffset(
                  answer.hasOffset() ? answer.getOffset() : answer.getBounds().getEndOffset()));
    }
    CommitOffsetResponse committed = client.groups(groups -> groups.commitOffset(commit.build()));
    if (committed.getResultsList().stream()
        .anyMatch(result -> result.getOutcome() != CommitOutcome.COMMIT_OUTCOME_COMMITTED)) {
      throw new IOException("the server refused commits");
    }
  }

  private PlanResetResponse plan(LocalDateTime from) {
    TimePoint time =
        TimePoint.newBuilder()
            .setLocalTime(
                LocalTime.newBuilder().setDateTime(from + ":00").setZone(DemoQuestions.ZONE))
            .build();
    PlanResetRequest request =
        PlanResetRequest.newBuilder()
            .setSource(SOURCE)
            .setGroup(GROUP)
            .setTarget(ResetTarget.newBuilder().setAtOrAfter(time))
            .build();
    return client.groups(groups -> groups.planReset(request));
  }
}
