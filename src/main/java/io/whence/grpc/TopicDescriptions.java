package io.whence.grpc;

import io.whence.log.Damage;
import io.whence.log.LogSnapshot;
import io.whence.log.SegmentInfo;
import io.whence.log.TimestampHealth;
import io.whence.model.TopicPartition;
import io.whence.source.LogSource;
import io.whence.source.TopicInfo;
import io.whence.v1.DamagedRange;
import io.whence.v1.DescribeTopicRequest;
import io.whence.v1.DescribeTopicResponse;
import io.whence.v1.PartitionDescription;
import io.whence.v1.PreloadState;
import io.whence.v1.SegmentDescription;
import java.util.List;
import java.util.stream.IntStream;

/** Shows topics in full. */
final class TopicDescriptions {
  private TopicDescriptions() {}

  static DescribeTopicResponse describe(DescribeTopicRequest request, CallScope scope) {
    if (request.getTopic().isEmpty()) {
      throw BadRequests.missing(FieldPath.of("topic"), "give the name of a topic");
    }
    List<Integer> listed = request.getPartitionsList();
    for (int i = 0; i < listed.size(); i++) {
      QueryChecks.requirePartition(listed.get(i), FieldPath.of("partitions", i));
    }
    LogSource source = scope.source(request.getSource());
    TopicInfo topic = source.topic(request.getTopic());
    List<Integer> partitions =
        listed.isEmpty() ? IntStream.range(0, topic.partitionCount()).boxed().toList() : listed;
    new PartitionBudget(scope.limits().partitions(), "partitions")
        .take(partitions.size(), FieldPath.of("partitions"));
    DescribeTopicResponse.Builder response =
        DescribeTopicResponse.newBuilder()
            .setTopic(TopicCalls.summary(source, topic))
            .putAllConfig(topic.config());
    CallLogs logs = new CallLogs(source);
    TimestampReports reports = new TimestampReports(scope, source, topic);
    for (int number : partitions) {
      TopicPartition partition = new TopicPartition(topic.name(), number);
      response.addPartitions(partition(request, partition, logs, reports, scope));
    }
    return response.build();
  }

  private static PartitionDescription partition(
      DescribeTopicRequest request,
      TopicPartition partition,
      CallLogs logs,
      TimestampReports reports,
      CallScope scope) {
    scope.cancellation().check();
    return PartitionGuard.answer(
        scope,
        partition.topic(),
        partition.partition(),
        () -> {
          LogSnapshot log = logs.snapshot(partition);
          PartitionDescription.Builder description =
              describe(log, request.getIncludeSegments(), scope.serverTimeMs())
                  .setPartition(partition.partition());
          if (request.getIncludeTimestampReport()) {
            description.setTimestampReport(reports.report(partition, log));
          }
          return description.build();
        },
        error ->
            PartitionDescription.newBuilder()
                .setPartition(partition.partition())
                .setError(error)
                .build());
  }

  private static PartitionDescription.Builder describe(
      LogSnapshot log, boolean withSegments, long serverTimeMs) {
    List<SegmentInfo> segments = log.segments();
    TimestampHealth health =
        segments.stream()
            .map(SegmentInfo::timestamps)
            .reduce(TimestampHealth.NONE, TimestampHealth::plus);
    PartitionDescription.Builder description =
        PartitionDescription.newBuilder()
            .setLogStartOffset(log.logStartOffset())
            .setHighWatermark(log.highWatermark())
            .setLastStableOffset(log.lastStableOffset())
            .setSizeBytes(log.sizeBytes())
            .setSegmentCount(segments.size())
            .setTimestamps(health(health, serverTimeMs))
            .setPreload(preload(segments));
    if (log.head() != null) {
      description.setFollowedFrom(log.firstOffset());
    }
    log.damages().forEach(damage -> description.addDamages(damage(damage)));
    if (withSegments) {
      segments.forEach(segment -> description.addSegments(segment(segment)));
    }
    return description;
  }

  private static PreloadState preload(List<SegmentInfo> segments) {
    List<SegmentInfo> loaded = segments.stream().filter(SegmentInfo::preloaded).toList();
    return PreloadState.newBuilder()
        .setLoadedSegmentCount(loaded.size())
        .setUnloadedSegmentCount(segments.size() - loaded.size())
        .setMemoryBytes(loaded.stream().mapToLong(SegmentInfo::timelineBytes).sum())
        .build();
  }

  private static SegmentDescription segment(SegmentInfo segment) {
    SegmentDescription.Builder description =
        SegmentDescription.newBuilder()
            .setBaseOffset(segment.baseOffset())
            .setNextOffset(segment.nextOffset())
            .setSizeBytes(segment.sizeBytes())
            .setRecordCount(segment.timestamps().recordCount())
            .setActive(segment.active())
            .setPreloaded(segment.preloaded())
            .setTimelineBytes(segment.timelineBytes());
    segment.timestamps().minTimestampMs().ifPresent(description::setMinTimestampMs);
    segment.timestamps().maxTimestampMs().ifPresent(description::setMaxTimestampMs);
    return description.build();
  }

  private static DamagedRange damage(Damage damage) {
    return DamagedRange.newBuilder()
        .setRange(Protos.range(damage.range()))
        .setPath(damage.path())
        .setPosition(damage.position())
        .setExpected(damage.expected())
        .setFound(damage.found())
        .build();
  }

  private static io.whence.v1.TimestampHealth health(TimestampHealth health, long serverTimeMs) {
    io.whence.v1.TimestampHealth.Builder proto =
        io.whence.v1.TimestampHealth.newBuilder()
            .setRecordCount(health.recordCount())
            .setWithoutTimestampCount(health.withoutTimestampCount())
            .setMaxDisorderMs(health.maxDisorderMs())
            .setFuture(health.maxMs() > serverTimeMs);
    health.minTimestampMs().ifPresent(proto::setMinTimestampMs);
    health.maxTimestampMs().ifPresent(proto::setMaxTimestampMs);
    return proto.build();
  }
}
