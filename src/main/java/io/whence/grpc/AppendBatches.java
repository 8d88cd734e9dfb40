package io.whence.grpc;

import com.google.protobuf.ByteString;
import io.whence.log.AppendBatch;
import io.whence.record.CompressionCodec;
import io.whence.record.SourceRecord;
import io.whence.v1.AppendEntry;
import io.whence.v1.AppendRequest;
import io.whence.v1.RecordData;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Checks the entries of an Append call and turns them into batches. */
final class AppendBatches {
  /** Tells the log to set the timestamp. */
  private static final long NO_TIMESTAMP = -1;

  private AppendBatches() {}

  /** Returns one batch for each entry, in order. */
  static List<AppendBatch> of(AppendRequest request, CallLimits limits) {
    QueryChecks.requireSome(request.getEntriesList(), "entries");
    PartitionBudget entries = new PartitionBudget(limits.partitions(), "entries");
    PartitionBudget records = new PartitionBudget(limits.appendRecords(), "records");
    List<AppendBatch> batches = new ArrayList<>(request.getEntriesCount());
    for (int i = 0; i < request.getEntriesCount(); i++) {
      FieldPath field = FieldPath.of("entries", i);
      entries.take(1, field);
      records.take(request.getEntries(i).getRecordsCount(), field.child("records"));
      batches.add(batch(request.getEntries(i), field));
    }
    return batches;
  }

  private static AppendBatch batch(AppendEntry entry, FieldPath field) {
    QueryChecks.requireTopic(entry.getTopic(), field);
    QueryChecks.requirePartition(entry.getPartition(), field.child("partition"));
    if (entry.getRecordsCount() == 0) {
      throw BadRequests.missing(field.child("records"), "give at least one");
    }
    List<SourceRecord> records = new ArrayList<>(entry.getRecordsCount());
    for (int i = 0; i < entry.getRecordsCount(); i++) {
      records.add(record(entry.getRecords(i), field, i));
    }
    return new AppendBatch(records, codec(entry, field));
  }

  private static SourceRecord record(RecordData data, FieldPath entry, int index) {
    if (data.hasTimestampMs() && data.getTimestampMs() < 0) {
      throw BadRequests.invalid(
          entry.child("records", index).child("timestamp_ms"),
          data.getTimestampMs(),
          data.getTimestampMs() + " is negative; leave it out for the server's clock");
    }
    return new SourceRecord(
        data.hasTimestampMs() ? data.getTimestampMs() : NO_TIMESTAMP,
        bytes(data.hasKey(), data.getKey()),
        bytes(data.hasValue(), data.getValue()),
        data.getHeadersList().stream()
            .map(
                header ->
                    new SourceRecord.Header(
                        header.getKey(), bytes(header.hasValue(), header.getValue())))
            .toList());
  }

  private static byte @Nullable [] bytes(boolean present, ByteString bytes) {
    return present ? bytes.toByteArray() : null;
  }

  private static CompressionCodec codec(AppendEntry entry, FieldPath field) {
    return switch (entry.getCompression()) {
      case COMPRESSION_UNSPECIFIED, COMPRESSION_NONE -> CompressionCodec.NONE;
      case COMPRESSION_GZIP -> CompressionCodec.GZIP;
      case COMPRESSION_SNAPPY -> CompressionCodec.SNAPPY;
      case COMPRESSION_LZ4 -> CompressionCodec.LZ4;
      case COMPRESSION_ZSTD -> CompressionCodec.ZSTD;
      case UNRECOGNIZED ->
          throw BadRequests.invalid(
              field.child("compression"),
              entry.getCompressionValue(),
              entry.getCompressionValue() + " is no compression");
    };
  }
}
