package io.whence.bench.commit;

import io.grpc.Channel;
import io.whence.bench.Caller;
import io.whence.model.TopicPartition;
import io.whence.v1.CommitEntry;
import io.whence.v1.CommitOffsetRequest;
import io.whence.v1.CommitOffsetResponse;
import io.whence.v1.CommitOutcome;
import io.whence.v1.CommitResult;
import io.whence.v1.FetchOffsetRequest;
import io.whence.v1.GroupOffsetsServiceGrpc;
import io.whence.v1.GroupOffsetsServiceGrpc.GroupOffsetsServiceBlockingStub;
import io.whence.v1.GroupQuery;
import io.whence.v1.OffsetResult;
import io.whence.v1.TopicPartitions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Commits ever higher offsets for the same partitions. Thread safety: single-writer. */
final class CommitCaller implements Caller {
  /** Above all that is committed, so that a dry run finds nothing to refuse. */
  private static final long DRY_RUN_OFFSET = 1L << 40;

  private final GroupOffsetsServiceBlockingStub stub;
  private final String group;
  private final List<TopicPartition> partitions;
  private CommitOffsetRequest request = CommitOffsetRequest.getDefaultInstance();
  private CommitOffsetResponse response = CommitOffsetResponse.getDefaultInstance();
  private boolean dryRun;
  private long offset;

  CommitCaller(Channel channel, String group, List<TopicPartition> partitions) {
    stub = GroupOffsetsServiceGrpc.newBlockingStub(channel);
    this.group = group;
    this.partitions = List.copyOf(partitions);
  }

  /** Commits nothing from now on. */
  void onlyAsk() {
    dryRun = true;
    offset = DRY_RUN_OFFSET;
  }

  @Override
  public void prepare() {
    offset++;
    CommitOffsetRequest.Builder next =
        CommitOffsetRequest.newBuilder().setGroup(group).setDryRun(dryRun);
    for (TopicPartition partition : partitions) {
      next.addEntries(
          CommitEntry.newBuilder()
              .setTopic(partition.topic())
              .setPartition(partition.partition())
              .setNextOffset(offset)
              // The topic has no records; Kafka's commits don't look.
              .setAllowOutOfRange(true));
    }
    request = next.build();
  }

  @Override
  public void call() {
    response = stub().commitOffset(request);
  }

  private GroupOffsetsServiceBlockingStub stub() {
    return stub.withDeadlineAfter(30, TimeUnit.SECONDS);
  }

  @Override
  public void check() {
    require(response.getResultsCount() == partitions.size(), response);
    for (CommitResult result : response.getResultsList()) {
      require(result.getOutcome() == CommitOutcome.COMMIT_OUTCOME_COMMITTED, result);
    }
  }

  /** Reads back what was committed. */
  void verify() {
    GroupQuery.Builder query = GroupQuery.newBuilder().setGroup(group);
    byTopic().values().forEach(query::addTopics);
    List<OffsetResult> found =
        stub()
            .fetchOffset(FetchOffsetRequest.newBuilder().addQueries(query).build())
            .getResults(0)
            .getOffsetsList();
    require(found.size() == partitions.size(), found);
    for (int i = 0; i < found.size(); i++) {
      OffsetResult result = found.get(i);
      TopicPartition partition = new TopicPartition(result.getTopic(), result.getPartition());
      require(partition.equals(partitions.get(i)), result);
      require(result.hasCommitted() && result.getCommitted().getNextOffset() == offset, result);
    }
  }

  private Map<String, TopicPartitions.Builder> byTopic() {
    Map<String, TopicPartitions.Builder> topics = new LinkedHashMap<>();
    for (TopicPartition partition : partitions) {
      topics
          .computeIfAbsent(partition.topic(), t -> TopicPartitions.newBuilder().setTopic(t))
          .addPartitions(partition.partition());
    }
    return topics;
  }

  private void require(boolean holds, Object found) {
    if (!holds) {
      throw new IllegalStateException(
          "group " + group + ", offset " + offset + " was sent; answered: " + found);
    }
  }
}
