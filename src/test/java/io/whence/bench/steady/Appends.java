package io.whence.bench.steady;

import com.google.protobuf.ByteString;
import io.grpc.Channel;
import io.whence.bench.Caller;
import io.whence.v1.AppendEntry;
import io.whence.v1.AppendRequest;
import io.whence.v1.AppendResponse;
import io.whence.v1.LogServiceGrpc;
import io.whence.v1.LogServiceGrpc.LogServiceBlockingStub;
import io.whence.v1.OffsetRange;
import io.whence.v1.RecordData;
import java.util.concurrent.TimeUnit;

/**
 * Appends records to partitions that no other caller appends to, one partition after the other.
 * Thread safety: single-writer.
 */
final class Appends implements Caller {
  private static final int RECORDS = 50;
  private static final ByteString VALUE = ByteString.copyFrom(new byte[60]);

  private final LogServiceBlockingStub stub;
  private final int first;
  private final long[] ends = new long[SteadyTopic.PARTITIONS];
  private int partition;
  private AppendRequest request = AppendRequest.getDefaultInstance();
  private AppendResponse response = AppendResponse.getDefaultInstance();

  Appends(Channel channel, int number) {
    stub = LogServiceGrpc.newBlockingStub(channel);
    first = number;
    partition = number;
  }

  @Override
  public void prepare() {
    partition += Kind.APPEND.callers();
    if (partition >= SteadyTopic.PARTITIONS) {
      partition = first;
    }
    AppendEntry.Builder entry =
        AppendEntry.newBuilder().setTopic(SteadyTopic.NAME).setPartition(partition);
    for (int i = 0; i < RECORDS; i++) {
      entry.addRecords(RecordData.newBuilder().setValue(VALUE));
    }
    request = AppendRequest.newBuilder().addEntries(entry).build();
  }

  @Override
  public void call() {
    response = stub.withDeadlineAfter(30, TimeUnit.SECONDS).append(request);
  }

  @Override
  public void check() {
    OffsetRange range = response.getResults(0).getRange();
    long end = ends[partition];
    if (range.getStartOffset() != end || range.getEndOffset() != end + RECORDS) {
      throw new IllegalStateException("append at " + end + ": answered " + response);
    }
    ends[partition] = range.getEndOffset();
  }
}
