package io.whence.bench.steady;

import io.grpc.Channel;
import io.whence.v1.CreateTopicRequest;
import io.whence.v1.LogServiceGrpc;
import java.util.concurrent.TimeUnit;

/**
 * The topic of the load. Its partitions soon have as many records as are kept, so that from then on
 * as many go as come. Thread safety: immutable.
 */
final class SteadyTopic {
  static final String NAME = "steady";
  static final int PARTITIONS = 20;

  /** Of the server: so that what is removed goes within seconds. */
  static final String[] SERVER_SETTINGS = {
    "whence.embedded.retention-interval=2s",
    "whence.embedded.file-delete-delay=2s",
    "whence.groups.segment-bytes=1M",
    "whence.groups.compaction-interval=5s"
  };

  private static final int LIMIT_SECONDS = 30;

  private SteadyTopic() {}

  static void create(Channel channel) {
    LogServiceGrpc.newBlockingStub(channel)
        .withDeadlineAfter(LIMIT_SECONDS, TimeUnit.SECONDS)
        .createTopic(
            CreateTopicRequest.newBuilder()
                .setTopic(NAME)
                .setPartitionCount(PARTITIONS)
                .putConfig("segment.bytes", String.valueOf(32 << 10))
                .putConfig("retention.bytes", String.valueOf(256 << 10))
                .build());
  }
}
