package io.whence.grpc;

import io.whence.model.TopicId;
import io.whence.model.TopicName;
import io.whence.source.LogSource;
import io.whence.source.SourceKind;
import io.whence.source.TopicInfo;
import io.whence.source.WritableLogSource;
import io.whence.v1.CreateTopicRequest;
import io.whence.v1.CreateTopicResponse;
import io.whence.v1.DeleteTopicRequest;
import io.whence.v1.DeleteTopicResponse;
import io.whence.v1.ListTopicsRequest;
import io.whence.v1.ListTopicsResponse;
import io.whence.v1.SourceInfo;
import io.whence.v1.TopicSummary;
import java.util.List;
import java.util.Optional;

/** Makes, removes and lists topics. */
final class TopicCalls {
  private static final int MAX_PARTITIONS = 10_000;

  private TopicCalls() {}

  static CreateTopicResponse create(CreateTopicRequest request, CallScope scope) {
    FieldPath field = FieldPath.of("topic");
    try {
      TopicName.requireValid(request.getTopic());
    } catch (IllegalArgumentException e) {
      throw BadRequests.invalid(
          field, request.getTopic(), BadRequests.shown(String.valueOf(e.getMessage())));
    }
    int count = request.hasPartitionCount() ? request.getPartitionCount() : 1;
    QueryChecks.requireBetween1And(MAX_PARTITIONS, count, FieldPath.of("partition_count"));
    WritableLogSource source = scope.writable(request.getSource());
    TopicInfo made = source.createTopic(request.getTopic(), count, request.getConfigMap());
    return CreateTopicResponse.newBuilder().setTopic(summary(source, made)).build();
  }

  static DeleteTopicResponse delete(DeleteTopicRequest request, CallScope scope) {
    if (request.getTopic().isEmpty()) {
      throw BadRequests.missing(FieldPath.of("topic"), "give the name of a topic");
    }
    Optional<TopicId> expected = topicId(request.getTopicId());
    WritableLogSource source = scope.writable(request.getSource());
    TopicInfo removed = source.deleteTopic(request.getTopic(), expected);
    return DeleteTopicResponse.newBuilder().setTopic(summary(source, removed)).build();
  }

  static ListTopicsResponse list(ListTopicsRequest request, CallScope scope) {
    List<LogSource> sources =
        request.getSource().isEmpty()
            ? scope.catalog().all()
            : List.of(scope.catalog().source(request.getSource()));
    ListTopicsResponse.Builder response = ListTopicsResponse.newBuilder();
    for (LogSource source : sources) {
      boolean ready = source.isReady();
      response.addSources(info(source, source.health().isServing(), scope));
      if (ready) {
        source.topics().forEach(topic -> response.addTopics(summary(source, topic)));
      }
    }
    return response.build();
  }

  /** Returns a topic in short. */
  static TopicSummary summary(LogSource source, TopicInfo topic) {
    return TopicSummary.newBuilder()
        .setSource(source.name())
        .setTopic(topic.name())
        .setTopicId(topic.topicId().map(TopicId::toString).orElse(""))
        .setPartitionCount(topic.partitionCount())
        .build();
  }

  private static SourceInfo info(LogSource source, boolean ready, CallScope scope) {
    return SourceInfo.newBuilder()
        .setName(source.name())
        .setKind(kind(source.kind()))
        .setReady(ready)
        .addAllWarnings(source.warnings())
        .addAllWarnings(scope.groupWarnings(source))
        .build();
  }

  private static io.whence.v1.SourceKind kind(SourceKind kind) {
    return switch (kind) {
      case EMBEDDED -> io.whence.v1.SourceKind.SOURCE_KIND_EMBEDDED;
      case ARCHIVE -> io.whence.v1.SourceKind.SOURCE_KIND_ARCHIVE;
      case KAFKA -> io.whence.v1.SourceKind.SOURCE_KIND_KAFKA;
    };
  }

  private static Optional<TopicId> topicId(String text) {
    try {
      return text.isEmpty() ? Optional.empty() : Optional.of(TopicId.parse(text));
    } catch (IllegalArgumentException e) {
      throw BadRequests.invalid(
          FieldPath.of("topic_id"), text, BadRequests.shown(String.valueOf(e.getMessage())));
    }
  }
}
