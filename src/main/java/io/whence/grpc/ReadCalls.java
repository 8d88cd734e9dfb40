package io.whence.grpc;

import com.google.protobuf.UnsafeByteOperations;
import io.whence.log.LogSnapshot;
import io.whence.log.StoredRecord;
import io.whence.model.ErrorReason;
import io.whence.model.IsolationLevel;
import io.whence.model.LogBounds;
import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.record.SourceRecord;
import io.whence.source.LogSource;
import io.whence.source.ReadRange;
import io.whence.v1.ReadRecord;
import io.whence.v1.ReadRequest;
import io.whence.v1.ReadResponse;
import io.whence.v1.RecordHeader;
import java.util.List;
import java.util.Optional;

/** Reads a few records. */
final class ReadCalls {
  private static final int DEFAULT_RECORDS = 10;
  private static final int MAX_RECORDS = 10_000;
  private static final int DEFAULT_BYTES = 1 << 20;
  private static final int MAX_BYTES = 16 << 20;

  private ReadCalls() {}

  static ReadResponse read(ReadRequest request, CallScope scope) {
    if (request.getTopic().isEmpty()) {
      throw BadRequests.missing(FieldPath.of("topic"), "give the name of a topic");
    }
    QueryChecks.requirePartition(request.getPartition(), FieldPath.of("partition"));
    QueryChecks.requireOffset(request.getOffset(), FieldPath.of("offset"));
    int maxRecords = request.hasMaxRecords() ? request.getMaxRecords() : DEFAULT_RECORDS;
    QueryChecks.requireBetween1And(MAX_RECORDS, maxRecords, FieldPath.of("max_records"));
    int maxBytes = request.hasMaxBytes() ? request.getMaxBytes() : DEFAULT_BYTES;
    QueryChecks.requireBetween1And(MAX_BYTES, maxBytes, FieldPath.of("max_bytes"));
    IsolationLevel isolation =
        Protos.isolation(request.getIsolationLevel(), request.getIsolationLevelValue());
    LogSource source = scope.source(request.getSource());
    TopicPartition partition = new TopicPartition(request.getTopic(), request.getPartition());
    Optional<TopicId> topicId = source.topic(request.getTopic()).topicId();
    LogSnapshot log = source.snapshot(partition);
    LogBounds bounds = log.bounds(isolation);
    long offset = offset(request, bounds);
    ReadRange range = new ReadRange(partition, offset, maxRecords, maxBytes, isolation);
    List<StoredRecord> records = source.read(log, range, scope.cancellation());
    SameTopic.require(source, request.getTopic(), topicId);
    return response(records, bounds);
  }

  private static long offset(ReadRequest request, LogBounds bounds) {
    if (!request.hasOffset()) {
      return bounds.logStartOffset();
    }
    long offset = request.getOffset();
    if (offset < bounds.logStartOffset() || offset > bounds.endOffset()) {
      throw WhenceException.of(
          ErrorReason.OFFSET_OUT_OF_RANGE,
          "offset: "
              + offset
              + " is not between the log start "
              + bounds.logStartOffset()
              + " and the end "
              + bounds.endOffset(),
          "offset",
          offset,
          "log_start_offset",
          bounds.logStartOffset(),
          "end_offset",
          bounds.endOffset());
    }
    return offset;
  }

  private static ReadResponse response(List<StoredRecord> records, LogBounds bounds) {
    ReadResponse.Builder response =
        ReadResponse.newBuilder()
            .setBounds(Protos.bounds(bounds))
            .setNextOffset(
                records.isEmpty()
                    ? bounds.endOffset()
                    : records.get(records.size() - 1).stamp().offset() + 1);
    records.forEach(record -> response.addRecords(record(record)));
    return response.build();
  }

  /** Nobody changes what was read: it is not copied once more. */
  private static ReadRecord record(StoredRecord stored) {
    ReadRecord.Builder record = ReadRecord.newBuilder().setInfo(Protos.record(stored.stamp()));
    byte[] key = stored.key();
    if (key != null) {
      record.setKey(UnsafeByteOperations.unsafeWrap(key));
    }
    byte[] value = stored.value();
    if (value != null) {
      record.setValue(UnsafeByteOperations.unsafeWrap(value));
    }
    stored.headers().forEach(header -> record.addHeaders(header(header)));
    return record.build();
  }

  private static RecordHeader header(SourceRecord.Header stored) {
    RecordHeader.Builder header = RecordHeader.newBuilder().setKey(stored.key());
    byte[] value = stored.value();
    if (value != null) {
      header.setValue(UnsafeByteOperations.unsafeWrap(value));
    }
    return header.build();
  }
}
