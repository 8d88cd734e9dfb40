package io.whence.bench.replies;

import io.grpc.Channel;
import io.whence.v1.AppendEntry;
import io.whence.v1.AppendRequest;
import io.whence.v1.CreateTopicRequest;
import io.whence.v1.LogServiceGrpc;
import io.whence.v1.LogServiceGrpc.LogServiceBlockingStub;
import io.whence.v1.RecordData;
import java.util.concurrent.TimeUnit;

/** The topic of the calls: one partition whose records are all of another time. */
final class RepliesTopic {
  static final String NAME = "replies";
  static final int RECORDS = 100_000;

  private static final long BEGIN_MS = 1_717_200_000_000L;
  private static final int STEP_MS = 7;
  private static final int PER_APPEND = 5_000;
  private static final int LIMIT_SECONDS = 60;

  private RepliesTopic() {}

  static long timestampMs(long offset) {
    return BEGIN_MS + offset * STEP_MS;
  }

  static void create(Channel channel) {
    LogServiceBlockingStub log = LogServiceGrpc.newBlockingStub(channel);
    within(log)
        .createTopic(
            CreateTopicRequest.newBuilder()
                .setTopic(NAME)
                .setPartitionCount(1)
                .putConfig("retention.ms", "-1")
                .build());
    for (int first = 0; first < RECORDS; first += PER_APPEND) {
      AppendEntry.Builder entry = AppendEntry.newBuilder().setTopic(NAME);
      for (int offset = first; offset < first + PER_APPEND; offset++) {
        entry.addRecords(RecordData.newBuilder().setTimestampMs(timestampMs(offset)));
      }
      within(log).append(AppendRequest.newBuilder().addEntries(entry).build());
    }
  }

  private static LogServiceBlockingStub within(LogServiceBlockingStub log) {
    return log.withDeadlineAfter(LIMIT_SECONDS, TimeUnit.SECONDS);
  }
}
