package io.whence.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.rpc.ErrorInfo;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.whence.app.GrpcServerHandle;
import io.whence.v1.AppendEntry;
import io.whence.v1.AppendRequest;
import io.whence.v1.AppendResponse;
import io.whence.v1.Compression;
import io.whence.v1.CreateTopicRequest;
import io.whence.v1.DeleteTopicRequest;
import io.whence.v1.DescribeTopicRequest;
import io.whence.v1.DescribeTopicResponse;
import io.whence.v1.ErrorReason;
import io.whence.v1.ListTopicsRequest;
import io.whence.v1.ListTopicsResponse;
import io.whence.v1.OffsetRange;
import io.whence.v1.ReadRequest;
import io.whence.v1.ReadResponse;
import io.whence.v1.RecordData;
import io.whence.v1.RecordHeader;
import io.whence.v1.SourceKind;
import io.whence.v1.TimestampEffect;
import io.whence.v1.TimestampReport;
import io.whence.v1.TopicSummary;
import io.whence.v1.TrimEntry;
import io.whence.v1.TrimLogRequest;
import io.whence.v1.TrimLogResponse;
import jakarta.inject.Inject;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QuarkusTest
@TestProfile(ServerTestProfile.class)
class LogServiceTest {
  private static final long T = ServerTestProfile.NOW_MS;
  private static int topics;

  @Inject GrpcServerHandle server;

  private Client client;
  private String topic;

  @BeforeEach
  void makeTopic() {
    client = new Client(server.port());
    topic = "log-" + topics++;
    client.topic(topic, 2, T - 2, T - 1, T + 1);
  }

  @AfterEach
  void close() throws InterruptedException {
    client.close();
  }

  @Test
  void createTopic_defaultsToOnePartition() {
    TopicSummary made =
        client
            .log
            .createTopic(CreateTopicRequest.newBuilder().setTopic("one-" + topic).build())
            .getTopic();
    assertThat(made.getPartitionCount()).isEqualTo(1);
    assertThat(made.getTopicId()).hasSize(22);
    assertThat(made.getSource()).isEqualTo("embedded");
  }

  @Test
  void createTopicAgain_exists() {
    StatusRuntimeException failure =
        Client.failure(
            () -> client.log.createTopic(CreateTopicRequest.newBuilder().setTopic(topic).build()));
    assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.ALREADY_EXISTS);
    assertThat(Client.reason(failure)).isEqualTo("TOPIC_EXISTS");
  }

  @Test
  void badTopics_refusedByField() {
    assertRefused(CreateTopicRequest.newBuilder().setTopic("a/b").build(), "topic: 'a/b' has ");
    assertRefused(CreateTopicRequest.newBuilder().setTopic("..").build(), "topic: '..' ");
    assertRefused(
        CreateTopicRequest.newBuilder().setTopic("x").setPartitionCount(0).build(),
        "partition_count: 0 is not between 1 and 10000");
  }

  private void assertRefused(CreateTopicRequest request, String start) {
    StatusRuntimeException failure = Client.failure(() -> client.log.createTopic(request));
    assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(failure.getStatus().getDescription()).startsWith(start);
  }

  @Test
  void deleteTopic_onlyWithItsId() {
    DeleteTopicRequest request = DeleteTopicRequest.newBuilder().setTopic(topic).build();
    StatusRuntimeException garbage =
        Client.failure(() -> client.log.deleteTopic(request.toBuilder().setTopicId("x!").build()));
    StatusRuntimeException stale =
        Client.failure(
            () ->
                client.log.deleteTopic(
                    request.toBuilder().setTopicId("AAAAAAAAAAAAAAAAAAAAAA").build()));
    assertThat(garbage.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(stale.getStatus().getCode()).isEqualTo(Status.Code.FAILED_PRECONDITION);
    assertThat(client.log.deleteTopic(request).getTopic().getTopic()).isEqualTo(topic);
    assertThat(Client.failure(() -> client.log.deleteTopic(request)).getStatus().getCode())
        .isEqualTo(Status.Code.NOT_FOUND);
  }

  @Test
  void listTopics_namesSourcesAndTopics() {
    ListTopicsResponse response = client.log.listTopics(ListTopicsRequest.getDefaultInstance());
    assertThat(response.getSourcesList()).hasSize(1);
    assertThat(response.getSources(0).getKind()).isEqualTo(SourceKind.SOURCE_KIND_EMBEDDED);
    assertThat(response.getSources(0).getReady()).isTrue();
    assertThat(response.getSources(0).getWarningsList()).containsExactly("made for tests");
    assertThat(response.getTopicsList()).extracting(TopicSummary::getTopic).contains(topic);
  }

  @Test
  void describeTopic_boundsHealthAndSegments() {
    DescribeTopicResponse response =
        client.log.describeTopic(
            DescribeTopicRequest.newBuilder()
                .setTopic(topic)
                .addPartitions(0)
                .addPartitions(5)
                .setIncludeSegments(true)
                .build());
    assertThat(response.getPartitions(0).getHighWatermark()).isEqualTo(3);
    assertThat(response.getPartitions(0).getTimestamps().getRecordCount()).isEqualTo(3);
    assertThat(response.getPartitions(0).getTimestamps().getMinTimestampMs()).isEqualTo(T - 2);
    assertThat(response.getPartitions(0).getTimestamps().getFuture()).isTrue();
    assertThat(response.getPartitions(0).getSegments(0).getActive()).isTrue();
    assertThat(response.getPartitions(1).getError().getReason())
        .isEqualTo(ErrorReason.ERROR_REASON_UNKNOWN_PARTITION);
  }

  @Test
  void describeTopic_reportsUnusualTimestampsOnRequest() {
    long now = ServerTestProfile.NOW_MS;
    String name = "unusual-" + System.nanoTime();
    client.topic(name, 2, now - 10, now - 20, now + 1_000, now - 5);
    DescribeTopicRequest request = DescribeTopicRequest.newBuilder().setTopic(name).build();
    DescribeTopicResponse response =
        client.log.describeTopic(request.toBuilder().setIncludeTimestampReport(true).build());
    TimestampReport report = response.getPartitions(0).getTimestampReport();
    assertThat(report.getRecordCount()).isEqualTo(4);
    assertThat(report.getFuture().getCount()).isEqualTo(1);
    assertThat(report.getFuture().getFirst().getTimestampMs()).isEqualTo(now + 1_000);
    assertThat(report.getMissing().getCount()).isZero();
    assertThat(report.getMissing().hasFirst()).isFalse();
    assertThat(report.getDisordered().getCount()).isEqualTo(2);
    assertThat(report.getDisordered().getFirst().getOffset()).isEqualTo(1);
    assertThat(report.getDisordered().getLast().getOffset()).isEqualTo(3);
    assertThat(report.getMaxDisorderMs()).isEqualTo(1_005);
    assertThat(report.getEffectsList())
        .containsExactly(
            TimestampEffect.TIMESTAMP_EFFECT_RETENTION_HELD,
            TimestampEffect.TIMESTAMP_EFFECT_REACHED_EARLY,
            TimestampEffect.TIMESTAMP_EFFECT_MIXED_RANGES);
    assertThat(report.getRetentionHeldFromOffset()).isZero();
    assertThat(response.getPartitions(1).getTimestampReport().getEffectsList()).isEmpty();
    assertThat(response.getPartitions(1).hasTimestampReport()).isTrue();
    assertThat(client.log.describeTopic(request).getPartitions(0).hasTimestampReport()).isFalse();
  }

  @Test
  void describeUnknownTopic_failsCall() {
    StatusRuntimeException failure =
        Client.failure(
            () ->
                client.log.describeTopic(
                    DescribeTopicRequest.newBuilder().setTopic("nowhere").build()));
    assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.NOT_FOUND);
    assertThat(Client.detail(failure, ErrorInfo.class).getMetadataMap())
        .containsEntry("topic", "nowhere");
  }

  @Test
  void append_resultsInOrderAndErrorsAlone() {
    AppendResponse response =
        client.log.append(
            AppendRequest.newBuilder()
                .addEntries(entry(topic, 1, 2))
                .addEntries(entry("nowhere", 0, 1))
                .addEntries(
                    entry(topic, 1, 1).toBuilder().setCompression(Compression.COMPRESSION_ZSTD))
                .build());
    assertThat(response.getResults(0).getRange()).isEqualTo(range(0, 2));
    assertThat(response.getResults(1).getError().getReason())
        .isEqualTo(ErrorReason.ERROR_REASON_UNKNOWN_TOPIC);
    assertThat(response.getResults(1).hasRange()).isFalse();
    assertThat(response.getResults(2).getRange()).isEqualTo(range(2, 3));
  }

  @Test
  void appendFault_toldWithoutDetails() {
    createOnce(FakeSource.BROKEN);
    AppendResponse response =
        client.log.append(
            AppendRequest.newBuilder()
                .addEntries(entry(FakeSource.BROKEN, 0, 1))
                .addEntries(entry(topic, 1, 1))
                .build());
    assertThat(response.getResults(0).getError().getReason())
        .isEqualTo(ErrorReason.ERROR_REASON_INTERNAL);
    assertThat(response.getResults(0).getError().getMessage()).doesNotContain("secret");
    assertThat(response.getResults(1).getRange()).isEqualTo(range(0, 1));
  }

  @Test
  void stuckAppend_endsAtDeadline() {
    createOnce(FakeSource.STUCK);
    StatusRuntimeException failure =
        Client.failure(
            () ->
                client
                    .log
                    .withDeadlineAfter(200, TimeUnit.MILLISECONDS)
                    .append(
                        AppendRequest.newBuilder()
                            .addEntries(entry(FakeSource.STUCK, 0, 1))
                            .build()));
    assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
  }

  @Test
  void badAppends_refusedByField() {
    assertRefused(AppendRequest.getDefaultInstance(), "entries: ");
    assertRefused(append(entry(topic, 0, 0)), "entries[0].records: ");
    assertRefused(append(entry(topic, -1, 1)), "entries[0].partition: ");
    assertRefused(
        append(entry(topic, 0, 1001)), "entries[0].records: 1001 records; a call may have 1000");
    assertRefused(
        append(
            entry(topic, 0, 1).toBuilder()
                .addRecords(RecordData.newBuilder().setTimestampMs(-1))
                .build()),
        "entries[0].records[1].timestamp_ms: ");
    assertRefused(
        append(entry(topic, 0, 1).toBuilder().setCompressionValue(77).build()),
        "entries[0].compression: ");
  }

  private void assertRefused(AppendRequest request, String start) {
    StatusRuntimeException failure = Client.failure(() -> client.log.append(request));
    assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(failure.getStatus().getDescription()).startsWith(start);
  }

  @Test
  void read_recordsWithContents() {
    client.log.append(
        append(
            AppendEntry.newBuilder()
                .setTopic(topic)
                .setPartition(1)
                .addRecords(
                    RecordData.newBuilder()
                        .setKey(ByteString.copyFromUtf8("k"))
                        .setValue(ByteString.EMPTY)
                        .addHeaders(RecordHeader.newBuilder().setKey("h")))
                .addRecords(RecordData.newBuilder().setTimestampMs(T))
                .build()));
    ReadResponse response =
        client.log.read(ReadRequest.newBuilder().setTopic(topic).setPartition(1).build());
    assertThat(response.getNextOffset()).isEqualTo(2);
    assertThat(response.getRecords(0).getKey().toStringUtf8()).isEqualTo("k");
    assertThat(response.getRecords(0).hasValue()).isTrue();
    assertThat(response.getRecords(0).getHeaders(0).hasValue()).isFalse();
    assertThat(response.getRecords(1).hasKey()).isFalse();
    assertThat(response.getRecords(1).hasValue()).isFalse();
  }

  @Test
  void readOutside_outOfRange() {
    ReadRequest.Builder request = ReadRequest.newBuilder().setTopic(topic);
    StatusRuntimeException failure =
        Client.failure(() -> client.log.read(request.setOffset(4).build()));
    assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.OUT_OF_RANGE);
    assertThat(Client.detail(failure, ErrorInfo.class).getMetadataMap())
        .containsEntry("offset", "4")
        .containsEntry("end_offset", "3");
    ReadResponse atEnd = client.log.read(request.setOffset(3).build());
    assertThat(atEnd.getRecordsCount()).isZero();
    assertThat(atEnd.getNextOffset()).isEqualTo(3);
  }

  @Test
  void trim_raisesLogStart() {
    TrimLogResponse response =
        client.log.trimLog(
            TrimLogRequest.newBuilder()
                .addEntries(TrimEntry.newBuilder().setTopic(topic).setBeforeOffset(2))
                .addEntries(TrimEntry.newBuilder().setTopic("nowhere").setBeforeOffset(2))
                .build());
    assertThat(response.getResults(0).getLogStartOffset()).isEqualTo(2);
    assertThat(response.getResults(1).hasLogStartOffset()).isFalse();
    assertThat(response.getResults(1).getError().getReason())
        .isEqualTo(ErrorReason.ERROR_REASON_UNKNOWN_TOPIC);
    assertThat(client.log.read(ReadRequest.newBuilder().setTopic(topic).build()).getRecordsList())
        .extracting(record -> record.getInfo().getOffset())
        .containsExactly(2L);
  }

  @Test
  void trimWithoutOffset_refused() {
    StatusRuntimeException failure =
        Client.failure(
            () ->
                client.log.trimLog(
                    TrimLogRequest.newBuilder()
                        .addEntries(TrimEntry.newBuilder().setTopic(topic))
                        .build()));
    assertThat(failure.getStatus().getDescription()).startsWith("entries[0].before_offset: ");
  }

  private void createOnce(String name) {
    boolean exists =
        client.log.listTopics(ListTopicsRequest.getDefaultInstance()).getTopicsList().stream()
            .anyMatch(summary -> summary.getTopic().equals(name));
    if (!exists) {
      client.topic(name, 1);
    }
  }

  private static AppendRequest append(AppendEntry entry) {
    return AppendRequest.newBuilder().addEntries(entry).build();
  }

  private static AppendEntry entry(String topic, int partition, int records) {
    AppendEntry.Builder entry = AppendEntry.newBuilder().setTopic(topic).setPartition(partition);
    for (int i = 0; i < records; i++) {
      entry.addRecords(RecordData.newBuilder().setTimestampMs(T));
    }
    return entry.build();
  }

  private static OffsetRange range(long start, long end) {
    return OffsetRange.newBuilder().setStartOffset(start).setEndOffset(end).build();
  }
}
