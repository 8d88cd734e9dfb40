package io.whence.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.v1.CreateTopicRequest;
import io.whence.v1.CreateTopicResponse;
import io.whence.v1.DeleteTopicRequest;
import io.whence.v1.DeleteTopicResponse;
import io.whence.v1.DescribeTopicRequest;
import io.whence.v1.DescribeTopicResponse;
import io.whence.v1.ErrorReason;
import io.whence.v1.PartitionDescription;
import io.whence.v1.PartitionError;
import io.whence.v1.RecordInfo;
import io.whence.v1.SegmentDescription;
import io.whence.v1.TimestampEffect;
import io.whence.v1.TimestampReport;
import io.whence.v1.TopicSummary;
import io.whence.v1.TrimLogRequest;
import io.whence.v1.TrimLogResponse;
import io.whence.v1.TrimResult;
import io.whence.v1.UnusualRecords;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class TopicCommandsTest extends CommandFixture {
  private static final TopicSummary ORDERS =
      TopicSummary.newBuilder()
          .setSource("embedded")
          .setTopic("orders")
          .setTopicId("id-1")
          .setPartitionCount(12)
          .build();

  /** 2024-03-09T07:00:00Z. */
  private static final long LATE_MS = 1_709_967_600_000L;

  @Test
  void create_sendsPartitionsAndSettings() {
    server.answer(CreateTopicResponse.newBuilder().setTopic(ORDERS).build());

    int exitCode =
        run(
            "create",
            "--topic",
            "orders",
            "--partitions",
            "12",
            "--config",
            "retention.ms=-1",
            "--config",
            "segment.bytes=4096");

    assertThat(exitCode).isZero();
    CreateTopicRequest request = server.request(CreateTopicRequest.class);
    assertThat(request.getTopic()).isEqualTo("orders");
    assertThat(request.getPartitionCount()).isEqualTo(12);
    assertThat(request.getConfigMap())
        .containsEntry("retention.ms", "-1")
        .containsEntry("segment.bytes", "4096");
    assertThat(out.toString()).contains("created orders: 12 partitions, source embedded, id id-1");
  }

  @Test
  void describe_showsWhereFollowingBegins() {
    server.answer(
        DescribeTopicResponse.newBuilder()
            .setTopic(ORDERS)
            .addPartitions(PartitionDescription.newBuilder().setPartition(0))
            .addPartitions(PartitionDescription.newBuilder().setPartition(1).setFollowedFrom(731))
            .build());

    assertThat(run("describe", "--topic", "orders")).isZero();
    assertThat(out.toString().lines().filter(line -> line.contains("followed from")))
        .singleElement()
        .asString()
        .endsWith("followed from 731");
  }

  @Test
  void deleteWithYes_deletesWithoutAsking() {
    server.answer(DeleteTopicResponse.newBuilder().setTopic(ORDERS).build());

    assertThat(run("delete", "--topic", "orders", "--topic-id", "id-1", "--yes")).isZero();
    DeleteTopicRequest request = server.request(DeleteTopicRequest.class);
    assertThat(request.getTopic()).isEqualTo("orders");
    assertThat(request.getTopicId()).isEqualTo("id-1");
    assertThat(out.toString()).contains("deleted orders");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void deleteWithoutTerminalAndYes_exit2AndNothingSent() {
    assertThat(run("delete", "--topic", "orders")).isEqualTo(2);
    assertThat(err.toString())
        .contains("this removes topic 'orders' with all its records; nothing was done: add --yes");
    assertThat(server.requests(Object.class)).isEmpty();
  }

  @Test
  void deleteWithoutConsentAsJson_oneDocument() {
    assertThat(run("delete", "--topic", "orders", "--format", "json")).isEqualTo(2);
    assertThat(out.toString()).startsWith("{").contains("\"field\": \"--yes\"");
  }

  @Test
  void deleteConfirmed_asksOnStandardErrorAndDeletes() {
    server.answer(DeleteTopicResponse.newBuilder().setTopic(ORDERS).build());
    type("Yes\n");

    assertThat(run("delete", "--topic", "orders")).isZero();
    assertThat(err.toString()).endsWith("Go on? [y/N] ");
    assertThat(server.requests(DeleteTopicRequest.class)).hasSize(1);
  }

  @Test
  void deleteDeclined_exit2AndNothingSent() {
    for (String answer : new String[] {"n\n", "\n", "", "yesterday\n"}) {
      type(answer);
      assertThat(run("delete", "--topic", "orders")).isEqualTo(2);
    }
    assertThat(server.requests(Object.class)).isEmpty();
  }

  @Test
  void trimWithYes_sendsOffsetAndPrintsNewStart() {
    server.answer(
        TrimLogResponse.newBuilder()
            .addResults(TrimResult.newBuilder().setPartition(3).setLogStartOffset(42))
            .build());

    assertThat(run("trim", "--topic", "orders", "--partition", "3", "--before-offset", "42", "-y"))
        .isZero();
    assertThat(server.request(TrimLogRequest.class).getEntries(0).getBeforeOffset()).isEqualTo(42);
    assertThat(out.toString()).contains("partition 3 now starts at 42");
  }

  @Test
  void trimFailed_exit1() {
    server.answer(
        TrimLogResponse.newBuilder()
            .addResults(
                TrimResult.newBuilder()
                    .setPartition(3)
                    .setError(
                        PartitionError.newBuilder()
                            .setReason(ErrorReason.ERROR_REASON_OFFSET_OUT_OF_RANGE)
                            .setMessage("42 is after the end")))
            .build());

    assertThat(
            run("trim", "--topic", "orders", "--partition", "3", "--before-offset", "42", "--yes"))
        .isEqualTo(1);
    assertThat(out + "" + err).contains("42 is after the end");
  }

  @Test
  void trimWithoutTerminalAndYes_exit2AndNothingSent() {
    assertThat(run("trim", "--topic", "orders", "--partition", "3", "--before-offset", "42"))
        .isEqualTo(2);
    assertThat(err.toString())
        .contains("this removes the records of topic 'orders', partition 3, below offset 42");
    assertThat(server.requests(Object.class)).isEmpty();
  }

  @Test
  void describeWithSegments_asksForAndListsThem() {
    server.answer(
        DescribeTopicResponse.newBuilder()
            .setTopic(ORDERS)
            .addPartitions(
                PartitionDescription.newBuilder()
                    .setPartition(3)
                    .setHighWatermark(200)
                    .setSegmentCount(2)
                    .addSegments(segment(0, 150, false))
                    .addSegments(segment(150, 200, true)))
            .build());

    assertThat(run("describe", "--topic", "orders", "--segments")).isZero();
    assertThat(server.request(DescribeTopicRequest.class).getIncludeSegments()).isTrue();
    assertThat(out.toString())
        .containsPattern("\\n +0 +150 +150 +4096")
        .containsPattern("\\n +150 +200 +50 +4096 .* active");
  }

  @Test
  void describeWithTimestamps_saysWhichAreUnusualAndWhatThatLeadsTo() {
    server.answer(
        DescribeTopicResponse.newBuilder()
            .setTopic(ORDERS)
            .addPartitions(
                PartitionDescription.newBuilder().setPartition(3).setTimestampReport(unusual()))
            .addPartitions(
                PartitionDescription.newBuilder()
                    .setPartition(4)
                    .setTimestampReport(TimestampReport.newBuilder().setRecordCount(10)))
            .addPartitions(
                PartitionDescription.newBuilder()
                    .setPartition(5)
                    .setTimestampReport(
                        TimestampReport.newBuilder()
                            .setError(PartitionError.newBuilder().setMessage("is damaged"))))
            .build());

    assertThat(run("describe", "--topic", "orders", "--timestamps")).isEqualTo(1);
    assertThat(server.request(DescribeTopicRequest.class).getIncludeTimestampReport()).isTrue();
    assertThat(out.toString())
        .containsPattern(
            "\\n +3 +in the future +1 +200 +7 +2024-03-09T.* times are reached early; segments"
                + " from offset 5 on are not deleted by age\\n")
        .containsPattern("\\n +3 +without time +2 +200 +8 +.* 9 .* not found by time\\n")
        .contains("1 of 2 partitions have records with unusual timestamps");
    assertThat(out + "" + err).contains("timestamps of partition 5").contains("is damaged");
  }

  private static TimestampReport unusual() {
    RecordInfo late = RecordInfo.newBuilder().setOffset(7).setTimestampMs(LATE_MS).build();
    return TimestampReport.newBuilder()
        .setRecordCount(200)
        .setFuture(UnusualRecords.newBuilder().setCount(1).setFirst(late).setLast(late))
        .setMissing(
            UnusualRecords.newBuilder()
                .setCount(2)
                .setFirst(RecordInfo.newBuilder().setOffset(8))
                .setLast(RecordInfo.newBuilder().setOffset(9)))
        .addEffects(TimestampEffect.TIMESTAMP_EFFECT_RETENTION_HELD)
        .addEffects(TimestampEffect.TIMESTAMP_EFFECT_REACHED_EARLY)
        .addEffects(TimestampEffect.TIMESTAMP_EFFECT_NOT_FOUND_BY_TIME)
        .setRetentionHeldFromOffset(5)
        .build();
  }

  private static SegmentDescription segment(long base, long next, boolean active) {
    return SegmentDescription.newBuilder()
        .setBaseOffset(base)
        .setNextOffset(next)
        .setSizeBytes(4096)
        .setRecordCount(next - base)
        .setMinTimestampMs(1_709_964_000_000L)
        .setMaxTimestampMs(1_709_967_600_000L)
        .setActive(active)
        .build();
  }

  /** Answers at a terminal. */
  private void type(String text) {
    System.setProperty(ASKS, "true");
    System.setIn(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
  }
}
