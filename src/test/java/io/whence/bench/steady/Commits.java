package io.whence.bench.steady;

import io.grpc.Channel;
import io.whence.bench.Caller;
import io.whence.v1.CommitEntry;
import io.whence.v1.CommitOffsetRequest;
import io.whence.v1.CommitOffsetResponse;
import io.whence.v1.CommitOutcome;
import io.whence.v1.CommitResult;
import io.whence.v1.GroupOffsetsServiceGrpc;
import io.whence.v1.GroupOffsetsServiceGrpc.GroupOffsetsServiceBlockingStub;
import java.util.concurrent.TimeUnit;

/** Commits ever higher offsets of all partitions, for a group. Thread safety: single-writer. */
final class Commits implements Caller {
  private final GroupOffsetsServiceBlockingStub stub;
  private final String group;
  private long offset;
  private CommitOffsetRequest request = CommitOffsetRequest.getDefaultInstance();
  private CommitOffsetResponse response = CommitOffsetResponse.getDefaultInstance();

  Commits(Channel channel, int number) {
    stub = GroupOffsetsServiceGrpc.newBlockingStub(channel);
    group = "steady-" + number;
  }

  @Override
  public void prepare() {
    offset++;
    CommitOffsetRequest.Builder next = CommitOffsetRequest.newBuilder().setGroup(group);
    for (int partition = 0; partition < SteadyTopic.PARTITIONS; partition++) {
      next.addEntries(
          CommitEntry.newBuilder()
              .setTopic(SteadyTopic.NAME)
              .setPartition(partition)
              .setNextOffset(offset)
              .setAllowOutOfRange(true));
    }
    request = next.build();
  }

  @Override
  public void call() {
    response = stub.withDeadlineAfter(30, TimeUnit.SECONDS).commitOffset(request);
  }

  @Override
  public void check() {
    if (response.getResultsCount() != SteadyTopic.PARTITIONS) {
      throw new IllegalStateException("commit: answered " + response);
    }
    for (CommitResult result : response.getResultsList()) {
      if (result.getOutcome() != CommitOutcome.COMMIT_OUTCOME_COMMITTED) {
        throw new IllegalStateException("commit of " + offset + ": answered " + result);
      }
    }
  }
}
