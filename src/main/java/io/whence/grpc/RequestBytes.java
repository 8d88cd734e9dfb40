package io.whence.grpc;

import com.google.protobuf.CodedOutputStream;
import io.whence.v1.ResolveTimestampRequest;
import io.whence.v1.TimestampQuery;

/**
 * How much memory a request takes, judged by what it takes on the wire. Thread safety: immutable.
 */
final class RequestBytes {
  /**
   * Measured: 12 for queries of one partition and a time, 20 for the smallest queries that there
   * are; 32 at the most, for fields that the protos don't know.
   */
  private static final int OF_EACH_BYTE = 20;

  /** Measured: less than 6. */
  private static final int OF_EACH_PARTITION = 8;

  private RequestBytes() {}

  /** Returns about how many bytes a request takes in memory; too many rather than too few. */
  static long of(ResolveTimestampRequest request) {
    long partitions = 0;
    long partitionBytes = 0;
    for (TimestampQuery query : request.getQueriesList()) {
      int count = query.getPartitionsCount();
      partitions += count;
      for (int i = 0; i < count; i++) {
        partitionBytes += CodedOutputStream.computeInt32SizeNoTag(query.getPartitions(i));
      }
    }
    return OF_EACH_BYTE * (request.getSerializedSize() - partitionBytes)
        + OF_EACH_PARTITION * partitions;
  }
}
