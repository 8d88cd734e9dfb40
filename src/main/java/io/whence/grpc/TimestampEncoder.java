package io.whence.grpc;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.MessageLite;
import com.google.protobuf.WireFormat;
import io.whence.model.Outcome;
import io.whence.model.Position;
import io.whence.resolve.PositionAnswer;
import io.whence.v1.LogBounds;
import io.whence.v1.PartitionError;
import io.whence.v1.RecordInfo;
import io.whence.v1.ResolveTimestampResponse;
import io.whence.v1.StreamResolveTimestampResponse;
import io.whence.v1.TimestampAnswer;
import io.whence.v1.TimestampQueryResult;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;

/**
 * Writes a {@link ResolveTimestampResponse} straight to bytes that are used again, without an
 * object for each partition. Invariant: the bytes are those that the generated classes would write.
 * Fields are written in the order of their numbers, as these do.
 *
 * <p>What is not known before the end is put in front at the end: lengths of nested messages of
 * less than 128 bytes into the one byte that was left for them, the length of a result into a gap
 * that is closed then, the head of a stream's message into the room before the first byte. Thread
 * safety: single-writer.
 */
final class TimestampEncoder {
  private static final int INITIAL_BYTES = 4096;

  /** Two tags, a tag number and a length of a stream's message. */
  private static final int HEAD_ROOM = 1 + 10 + 1 + 5;

  /** The tag of a result and its length. */
  private static final int GAP = 1 + 5;

  /** An answer without an error takes less than 128 bytes, its tag and length included. */
  private static final int MAX_ANSWER_BYTES = 128;

  /** What all fields of a result but topic, answers and error take at the most. */
  private static final int MAX_RESULT_FIELDS_BYTES = 64;

  private static final int MAX_NUMBER_BYTES = 11;
  private static final int MAX_LENGTH_BYTES = 6;

  private byte[] bytes = new byte[INITIAL_BYTES];
  private CodedOutputStream out = CodedOutputStream.newInstance(bytes);
  private int outStart;
  private int start;
  private int resultStart;
  private long serverTimeMs;
  private long stalenessMs;

  /**
   * Begins a response.
   *
   * @param newServerTimeMs the clock of the server, in epoch milliseconds
   * @param newStalenessMs how old the copy that answers is, in milliseconds
   */
  void begin(String source, long newServerTimeMs, long newStalenessMs) {
    serverTimeMs = newServerTimeMs;
    stalenessMs = newStalenessMs;
    start = HEAD_ROOM;
    writeFrom(start);
    try {
      writeText(ResolveTimestampResponse.SOURCE_FIELD_NUMBER, source);
      ensure(MAX_NUMBER_BYTES);
      writeNumber(ResolveTimestampResponse.SERVER_TIME_MS_FIELD_NUMBER, serverTimeMs);
    } catch (IOException e) {
      throw impossible(e);
    }
  }

  /** Begins the result of a query. */
  void beginResult(int queryIndex, String topic, Target target) {
    try {
      ensure(GAP + MAX_RESULT_FIELDS_BYTES);
      resultStart = position() + GAP;
      writeFrom(resultStart);
      if (queryIndex != 0) {
        out.writeInt32(TimestampQueryResult.QUERY_INDEX_FIELD_NUMBER, queryIndex);
      }
      writeText(TimestampQueryResult.TOPIC_FIELD_NUMBER, topic);
      ensure(MAX_RESULT_FIELDS_BYTES);
      out.writeEnum(TimestampQueryResult.POSITION_KIND_FIELD_NUMBER, target.kind().getNumber());
      if (target.timed()) {
        out.writeInt64(TimestampQueryResult.TARGET_TIMESTAMP_MS_FIELD_NUMBER, target.timestampMs());
      }
    } catch (IOException e) {
      throw impossible(e);
    }
  }

  /** Writes how many partitions the topic of the query has; before all answers. */
  void partitionCount(int count) {
    try {
      ensure(MAX_NUMBER_BYTES);
      out.writeInt32(TimestampQueryResult.PARTITION_COUNT_FIELD_NUMBER, count);
    } catch (IOException e) {
      throw impossible(e);
    }
  }

  /** Writes the answer of a partition. */
  void answer(int partition, Target target, PositionAnswer answer) {
    try {
      ensure(MAX_ANSWER_BYTES);
      int begun = beginShort(TimestampQueryResult.ANSWERS_FIELD_NUMBER);
      writeNumber(TimestampAnswer.PARTITION_FIELD_NUMBER, partition);
      out.writeEnum(
          TimestampAnswer.OUTCOME_FIELD_NUMBER, Protos.outcome(answer.outcome()).getNumber());
      writeFound(target, answer);
      if (answer.isStartCut()) {
        out.writeBool(TimestampAnswer.START_CUT_FIELD_NUMBER, true);
      }
      if (answer.hasRecord() && answer.recordMs() > serverTimeMs) {
        out.writeBool(TimestampAnswer.FUTURE_TIMESTAMP_FIELD_NUMBER, true);
      }
      if (target.position() instanceof Position.AllAfter) {
        out.writeInt64(TimestampAnswer.BOUNDARY_OFFSET_FIELD_NUMBER, answer.boundaryOffset());
      }
      out.writeEnum(
          TimestampAnswer.ORIGIN_FIELD_NUMBER, Protos.origin(answer.origin()).getNumber());
      out.writeInt64(TimestampAnswer.STALENESS_MS_FIELD_NUMBER, stalenessMs);
      endShort(begun);
    } catch (IOException e) {
      throw impossible(e);
    }
  }

  /** Writes the answer of a partition that failed. */
  void failedAnswer(int partition, PartitionError error) {
    writeMessage(
        TimestampQueryResult.ANSWERS_FIELD_NUMBER, TimestampAnswers.failed(partition, error));
  }

  /** Writes why the query as a whole has no answers. */
  void failedResult(PartitionError error) {
    writeMessage(TimestampQueryResult.ERROR_FIELD_NUMBER, error);
  }

  /** Ends the result of a query: closes the gap before it, by a move of what is shorter. */
  void endResult() {
    try {
      int end = position();
      int length = end - resultStart;
      int header = resultStart - 1 - CodedOutputStream.computeUInt32SizeNoTag(length);
      int gap = resultStart - GAP;
      int slack = header - gap;
      CodedOutputStream head = CodedOutputStream.newInstance(bytes, header, resultStart - header);
      head.writeTag(
          ResolveTimestampResponse.RESULTS_FIELD_NUMBER, WireFormat.WIRETYPE_LENGTH_DELIMITED);
      head.writeUInt32NoTag(length);
      if (gap - start < end - header) {
        System.arraycopy(bytes, start, bytes, start + slack, gap - start);
        start += slack;
      } else {
        System.arraycopy(bytes, header, bytes, gap, end - header);
        writeFrom(end - slack);
      }
    } catch (IOException e) {
      throw impossible(e);
    }
  }

  /** Returns the response. Its bytes are good until the next one is begun. */
  EncodedMessage response() {
    return new EncodedMessage(bytes, start, position() - start);
  }

  /** Returns the response as a message of a stream. */
  EncodedMessage streamResponse(long tag) {
    try {
      int length = position() - start;
      int room =
          (tag == 0
                  ? 0
                  : CodedOutputStream.computeUInt64Size(
                      StreamResolveTimestampResponse.TAG_FIELD_NUMBER, tag))
              + 1
              + CodedOutputStream.computeUInt32SizeNoTag(length);
      CodedOutputStream head = CodedOutputStream.newInstance(bytes, start - room, room);
      if (tag != 0) {
        head.writeUInt64(StreamResolveTimestampResponse.TAG_FIELD_NUMBER, tag);
      }
      head.writeTag(
          StreamResolveTimestampResponse.RESPONSE_FIELD_NUMBER,
          WireFormat.WIRETYPE_LENGTH_DELIMITED);
      head.writeUInt32NoTag(length);
      return new EncodedMessage(bytes, start - room, room + length);
    } catch (IOException e) {
      throw impossible(e);
    }
  }

  /** Returns how many bytes of memory it keeps. */
  int capacityBytes() {
    return bytes.length;
  }

  private void writeFound(Target target, PositionAnswer answer) throws IOException {
    boolean found = answer.outcome() == Outcome.FOUND;
    if (found) {
      out.writeInt64(TimestampAnswer.OFFSET_FIELD_NUMBER, answer.offset());
    }
    if (answer.hasRecord()) {
      writeRecord(answer);
    }
    int bounds = beginShort(TimestampAnswer.BOUNDS_FIELD_NUMBER);
    writeNumber(LogBounds.LOG_START_OFFSET_FIELD_NUMBER, answer.logStartOffset());
    writeNumber(LogBounds.END_OFFSET_FIELD_NUMBER, answer.endOffset());
    endShort(bounds);
    if (found && target.timed() && answer.hasRecord() && answer.recordMs() >= 0) {
      out.writeInt64(
          TimestampAnswer.DISTANCE_MS_FIELD_NUMBER,
          TimestampAnswers.distance(answer.recordMs(), target.timestampMs()));
    }
  }

  private void writeRecord(PositionAnswer answer) throws IOException {
    int record = beginShort(TimestampAnswer.RECORD_FIELD_NUMBER);
    writeNumber(RecordInfo.OFFSET_FIELD_NUMBER, answer.recordOffset());
    if (answer.recordMs() >= 0) {
      out.writeInt64(RecordInfo.TIMESTAMP_MS_FIELD_NUMBER, answer.recordMs());
    }
    out.writeEnum(
        RecordInfo.TIMESTAMP_TYPE_FIELD_NUMBER,
        Protos.timestampType(answer.timestampType()).getNumber());
    if (answer.leaderEpoch() >= 0) {
      out.writeInt32(RecordInfo.LEADER_EPOCH_FIELD_NUMBER, answer.leaderEpoch());
    }
    endShort(record);
  }

  /** Begins a nested message of less than 128 bytes, whose length is one byte. */
  private int beginShort(int field) throws IOException {
    out.writeTag(field, WireFormat.WIRETYPE_LENGTH_DELIMITED);
    out.write((byte) 0);
    return position();
  }

  private void endShort(int begun) {
    bytes[begun - 1] = (byte) (position() - begun);
  }

  /** Protobuf writes no number that is 0, unless its absence has a meaning. */
  private void writeNumber(int field, long value) throws IOException {
    if (value != 0) {
      out.writeInt64(field, value);
    }
  }

  private void writeText(int field, String text) throws IOException {
    if (!text.isEmpty()) {
      ensure(CodedOutputStream.computeStringSize(field, text));
      out.writeString(field, text);
    }
  }

  private void writeMessage(int field, MessageLite message) {
    try {
      ensure(MAX_LENGTH_BYTES + message.getSerializedSize());
      out.writeMessage(field, message);
    } catch (IOException e) {
      throw impossible(e);
    }
  }

  private int position() {
    return outStart + out.getTotalBytesWritten();
  }

  private void ensure(int room) {
    if (out.spaceLeft() < room) {
      int end = position();
      bytes = Arrays.copyOf(bytes, Math.max(Math.addExact(end, room), 2 * bytes.length));
      writeFrom(end);
    }
  }

  private void writeFrom(int position) {
    outStart = position;
    out = CodedOutputStream.newInstance(bytes, position, bytes.length - position);
  }

  private static UncheckedIOException impossible(IOException e) {
    return new UncheckedIOException("writing to memory failed", e);
  }
}
