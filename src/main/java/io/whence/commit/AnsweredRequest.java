package io.whence.commit;

import io.whence.model.ErrorReason;
import io.whence.model.TopicId;
import io.whence.model.WhenceException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * What a request with an id was answered, as the value of its record. Thread safety: immutable.
 *
 * <pre>
 *   int16 version 0, int64 fingerprint, int32 count, per result: int8 outcome, int64 before,
 *   int64 now, and of a failed one: STRING reason, compact string message, unsigned varint facts,
 *   per fact: compact string name, compact string value
 * </pre>
 *
 * @param fingerprint tells this request from another one that took the same id
 * @param results one for each entry, in order
 */
record AnsweredRequest(long fingerprint, List<CommitResult> results) {
  private static final int VERSION = 0;
  private static final int RESULT_BYTES = 17;
  private static final int FIXED_BYTES = 14;
  private static final int ENTRY_BYTES = 64;
  private static final CommitOutcome[] OUTCOMES = CommitOutcome.values();

  AnsweredRequest {
    results = List.copyOf(results);
  }

  byte[] toBytes() {
    BytesWriter out =
        new BytesWriter(FIXED_BYTES + RESULT_BYTES * results.size())
            .writeShort(VERSION)
            .writeLong(fingerprint)
            .writeInt(results.size());
    results.forEach(result -> write(result, out));
    return out.toBytes();
  }

  private static void write(CommitResult result, BytesWriter out) {
    out.writeByte(result.outcome().ordinal()).writeLong(result.before()).writeLong(result.now());
    result.failure().ifPresent(failure -> write(failure, out));
  }

  private static void write(WhenceException failure, BytesWriter out) {
    out.writeString(failure.reason().name().getBytes(StandardCharsets.UTF_8))
        .writeCompactString(failure.getMessage())
        .writeUnsignedVarint(failure.metadata().size());
    failure
        .metadata()
        .forEach((name, value) -> out.writeCompactString(name).writeCompactString(value));
  }

  static AnsweredRequest parse(byte[] value) {
    BytesReader in = new BytesReader(value, "request value");
    short version = in.readShort();
    if (version != VERSION) {
      throw in.malformed("version " + VERSION, Short.toString(version));
    }
    long fingerprint = in.readLong();
    int count = in.readInt();
    List<CommitResult> results = new ArrayList<>(Math.max(0, Math.min(count, value.length)));
    for (int i = 0; i < count; i++) {
      results.add(result(in));
    }
    return new AnsweredRequest(fingerprint, results);
  }

  private static CommitResult result(BytesReader in) {
    byte outcome = in.readByte();
    if (outcome < 0 || outcome >= OUTCOMES.length) {
      throw in.malformed("an outcome", Byte.toString(outcome));
    }
    long before = in.readLong();
    long now = in.readLong();
    boolean failed = OUTCOMES[outcome] == CommitOutcome.FAILED;
    return new CommitResult(OUTCOMES[outcome], before, now, failed ? failure(in) : null);
  }

  private static WhenceException failure(BytesReader in) {
    ErrorReason reason = ErrorReason.valueOf(in.readString());
    String message = in.readCompactString();
    List<Object> facts = new ArrayList<>();
    int count = in.readUnsignedVarint();
    for (int i = 0; i < count; i++) {
      facts.add(in.readCompactString());
      facts.add(in.readCompactString());
    }
    return WhenceException.of(reason, message, facts.toArray());
  }

  /** Returns a number that tells requests apart; the same for the same request, in any process. */
  static long fingerprintOf(CommitRequest request) {
    BytesWriter out =
        new BytesWriter(ENTRY_BYTES * request.entries().size()).writeByte(request.atomic() ? 1 : 0);
    request.entries().forEach(entry -> write(entry, out));
    return RequestKey.hash(out.toBytes()).high();
  }

  private static void write(CommitEntry entry, BytesWriter out) {
    TopicId topic = entry.topicId();
    out.writeCompactString(entry.partition().topic())
        .writeInt(entry.partition().partition())
        .writeLong(entry.nextOffset())
        .writeInt(entry.leaderEpoch())
        .writeCompactString(entry.metadata())
        .writeLong(entry.writerEpoch())
        .writeCompactString(topic == null ? "" : topic.toString())
        .writeByte((entry.allowRewind() ? 1 : 0) | (entry.allowOutOfRange() ? 2 : 0));
    write(entry.expected(), out);
  }

  private static void write(Expected expected, BytesWriter out) {
    if (expected instanceof Expected.Offset offset) {
      out.writeByte(1).writeLong(offset.offset());
    } else if (expected instanceof Expected.Change change) {
      out.writeByte(2)
          .writeLong(change.committed().nextOffset())
          .writeLong(change.committed().changePosition());
    } else {
      out.writeByte(expected instanceof Expected.Nothing ? 3 : 0);
    }
  }
}
