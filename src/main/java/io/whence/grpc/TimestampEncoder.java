package io.whence.grpc;

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
  /** Two tags, a tag number and a length of a stream's message. */
  private static final int HEAD_ROOM = 1 + 10 + 1 + 5;

  /** The tag of a result and its length. */
  private static final int GAP = 1 + 5;

  /** An answer without an error takes less than 128 bytes, its tag and length included. */
  private static final int MAX_ANSWER_BYTES = 128;

  /** What all fields of a result but topic, answers and error take at the most. */
  private static final int MAX_RESULT_FIELDS_BYTES = 64;

  private final MessageBytes out = new MessageBytes();
  private int start;
  private int resultStart;
  private long serverTimeMs;

  /**
   * Begins a response.
   *
   * @param newServerTimeMs the clock of the server, in epoch milliseconds
   */
  void begin(String source, long newServerTimeMs) {
    serverTimeMs = newServerTimeMs;
    start = HEAD_ROOM;
    out.moveTo(start);
    out.text(ResolveTimestampResponse.SOURCE_FIELD_NUMBER, source);
    out.ensure(MessageBytes.MAX_NUMBER_BYTES);
    out.numberUnlessZero(ResolveTimestampResponse.SERVER_TIME_MS_FIELD_NUMBER, serverTimeMs);
  }

  /** Begins the result of a query. */
  void beginResult(int queryIndex, String topic, Target target) {
    out.ensure(GAP + MAX_RESULT_FIELDS_BYTES);
    resultStart = out.position() + GAP;
    out.moveTo(resultStart);
    out.numberUnlessZero(TimestampQueryResult.QUERY_INDEX_FIELD_NUMBER, queryIndex);
    out.text(TimestampQueryResult.TOPIC_FIELD_NUMBER, topic);
    out.ensure(MAX_RESULT_FIELDS_BYTES);
    out.number(TimestampQueryResult.POSITION_KIND_FIELD_NUMBER, target.kind().getNumber());
    if (target.timed()) {
      out.number(TimestampQueryResult.TARGET_TIMESTAMP_MS_FIELD_NUMBER, target.timestampMs());
    }
  }

  /** Writes how many partitions the topic of the query has; before all answers. */
  void partitionCount(int count) {
    out.ensure(MessageBytes.MAX_NUMBER_BYTES);
    out.number(TimestampQueryResult.PARTITION_COUNT_FIELD_NUMBER, count);
  }

  /**
   * Writes the answer of a partition.
   *
   * @param stalenessMs how old the copy that answers is, in milliseconds
   */
  void answer(int partition, Target target, PositionAnswer answer, long stalenessMs) {
    out.ensure(MAX_ANSWER_BYTES);
    int begun = out.beginShort(TimestampQueryResult.ANSWERS_FIELD_NUMBER);
    out.numberUnlessZero(TimestampAnswer.PARTITION_FIELD_NUMBER, partition);
    out.number(TimestampAnswer.OUTCOME_FIELD_NUMBER, Protos.outcome(answer.outcome()).getNumber());
    writeFound(target, answer);
    if (answer.isStartCut()) {
      out.flag(TimestampAnswer.START_CUT_FIELD_NUMBER);
    }
    if (answer.hasRecord() && answer.recordMs() > serverTimeMs) {
      out.flag(TimestampAnswer.FUTURE_TIMESTAMP_FIELD_NUMBER);
    }
    if (target.position() instanceof Position.AllAfter) {
      out.number(TimestampAnswer.BOUNDARY_OFFSET_FIELD_NUMBER, answer.boundaryOffset());
    }
    out.number(TimestampAnswer.ORIGIN_FIELD_NUMBER, Protos.origin(answer.origin()).getNumber());
    out.number(TimestampAnswer.STALENESS_MS_FIELD_NUMBER, stalenessMs);
    out.endShort(begun);
  }

  /** Writes the answer of a partition that failed. */
  void failedAnswer(int partition, PartitionError error) {
    out.message(
        TimestampQueryResult.ANSWERS_FIELD_NUMBER, TimestampAnswers.failed(partition, error));
  }

  /** Writes why the query as a whole has no answers. */
  void failedResult(PartitionError error) {
    out.message(TimestampQueryResult.ERROR_FIELD_NUMBER, error);
  }

  /** Ends the result of a query: closes the gap before it, by a move of what is shorter. */
  void endResult() {
    int end = out.position();
    int length = end - resultStart;
    int header = resultStart - 1 - MessageBytes.varintBytes(length);
    int gap = resultStart - GAP;
    int slack = header - gap;
    out.moveTo(header);
    out.lengthDelimited(ResolveTimestampResponse.RESULTS_FIELD_NUMBER, length);
    byte[] bytes = out.array();
    if (gap - start < end - header) {
      System.arraycopy(bytes, start, bytes, start + slack, gap - start);
      start += slack;
      out.moveTo(end);
    } else {
      System.arraycopy(bytes, header, bytes, gap, end - header);
      out.moveTo(end - slack);
    }
  }

  /** Returns the response. Its bytes are good until the next one is begun. */
  EncodedMessage response() {
    return new EncodedMessage(out.array(), start, out.position() - start);
  }

  /** Returns the response as a message of a stream. */
  EncodedMessage streamResponse(long tag) {
    int end = out.position();
    int length = end - start;
    int tagBytes = tag == 0 ? 0 : 1 + MessageBytes.varintBytes(tag);
    int first = start - tagBytes - 1 - MessageBytes.varintBytes(length);
    out.moveTo(first);
    out.numberUnlessZero(StreamResolveTimestampResponse.TAG_FIELD_NUMBER, tag);
    out.lengthDelimited(StreamResolveTimestampResponse.RESPONSE_FIELD_NUMBER, length);
    out.moveTo(end);
    return new EncodedMessage(out.array(), first, end - first);
  }

  /** Returns how many bytes of memory it keeps. */
  int capacityBytes() {
    return out.array().length;
  }

  private void writeFound(Target target, PositionAnswer answer) {
    boolean found = answer.outcome() == Outcome.FOUND;
    if (found) {
      out.number(TimestampAnswer.OFFSET_FIELD_NUMBER, answer.offset());
    }
    if (answer.hasRecord()) {
      writeRecord(answer);
    }
    int bounds = out.beginShort(TimestampAnswer.BOUNDS_FIELD_NUMBER);
    out.numberUnlessZero(LogBounds.LOG_START_OFFSET_FIELD_NUMBER, answer.logStartOffset());
    out.numberUnlessZero(LogBounds.END_OFFSET_FIELD_NUMBER, answer.endOffset());
    out.endShort(bounds);
    if (found && target.timed() && answer.hasRecord() && answer.recordMs() >= 0) {
      out.number(
          TimestampAnswer.DISTANCE_MS_FIELD_NUMBER,
          TimestampAnswers.distance(answer.recordMs(), target.timestampMs()));
    }
  }

  private void writeRecord(PositionAnswer answer) {
    int record = out.beginShort(TimestampAnswer.RECORD_FIELD_NUMBER);
    out.numberUnlessZero(RecordInfo.OFFSET_FIELD_NUMBER, answer.recordOffset());
    if (answer.recordMs() >= 0) {
      out.number(RecordInfo.TIMESTAMP_MS_FIELD_NUMBER, answer.recordMs());
    }
    out.numberUnlessZero(
        RecordInfo.TIMESTAMP_TYPE_FIELD_NUMBER,
        Protos.timestampType(answer.timestampType()).getNumber());
    if (answer.leaderEpoch() >= 0) {
      out.number(RecordInfo.LEADER_EPOCH_FIELD_NUMBER, answer.leaderEpoch());
    }
    out.endShort(record);
  }
}
