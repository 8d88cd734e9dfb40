package io.whence.testkit;

import io.whence.model.TimestampType;
import io.whence.testkit.OracleRecord.Kind;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;

/**
 * What the batches of a leader tell, read from the first to the last with Kafka's own classes.
 * Thread safety: immutable.
 *
 * @param records all records, by offset, with who may see them
 * @param endOffset the offset after the last batch, exclusive
 * @param firstOpenOffset where the first undecided transaction begins; the end for none
 * @param lastEpoch the leader epoch of the last batch; -1 for none
 */
public record LeaderHistory(
    List<OracleRecord> records, long endOffset, long firstOpenOffset, int lastEpoch) {

  /** Reads batches. */
  public static LeaderHistory of(List<byte[]> batches) {
    Reader reader = new Reader();
    batches.forEach(reader::read);
    long firstOpen =
        reader.open.values().stream().mapToLong(Long::longValue).min().orElse(reader.endOffset);
    return new LeaderHistory(
        List.copyOf(reader.records), reader.endOffset, firstOpen, reader.lastEpoch);
  }

  /** Returns the first offset that a batch may hold. */
  public static long baseOffset(byte[] batch) {
    return kafkas(batch).baseOffset();
  }

  /** Returns the last offset that a batch may hold, inclusive. */
  public static long lastOffset(byte[] batch) {
    return kafkas(batch).lastOffset();
  }

  private static RecordBatch kafkas(byte[] batch) {
    return MemoryRecords.readableRecords(ByteBuffer.wrap(batch)).batches().iterator().next();
  }

  /** Makes the oracle of a log that begins and ends somewhere. */
  public BruteForce oracle(long startOffset, long lastStableOffset) {
    return new BruteForce(records, startOffset, Math.max(startOffset, endOffset), lastStableOffset);
  }

  private static final class Reader {
    private final List<OracleRecord> records = new ArrayList<>();
    private final Map<Long, Long> open = new TreeMap<>();

    /** By producer: the places of its undecided records. */
    private final Map<Long, List<Integer>> undecided = new HashMap<>();

    private long endOffset;
    private int lastEpoch = -1;

    void read(byte[] bytes) {
      RecordBatch batch = kafkas(bytes);
      boolean inTransaction = batch.isTransactional() && !batch.isControlBatch();
      if (inTransaction) {
        open.putIfAbsent(batch.producerId(), batch.baseOffset());
      }
      for (Record record : batch) {
        Kind kind = inTransaction ? Kind.OPEN_TXN : Kind.DATA;
        if (batch.isControlBatch()) {
          kind = Kind.CONTROL;
          decide(batch, ControlRecordType.parse(record.key()));
        } else if (inTransaction) {
          undecided
              .computeIfAbsent(batch.producerId(), id -> new ArrayList<>())
              .add(records.size());
        }
        add(batch, record, kind);
      }
      endOffset = batch.nextOffset();
      lastEpoch = batch.partitionLeaderEpoch();
    }

    private void add(RecordBatch batch, Record record, Kind kind) {
      TimestampType type = TimestampType.valueOf(batch.timestampType().name());
      records.add(
          new OracleRecord(
              record.offset(), record.timestamp(), type, batch.partitionLeaderEpoch(), kind));
    }

    private void decide(RecordBatch batch, ControlRecordType marker) {
      if (!batch.isTransactional()) {
        return;
      }
      Kind kind = marker == ControlRecordType.COMMIT ? Kind.DATA : Kind.ABORTED;
      open.remove(batch.producerId());
      List<Integer> places = undecided.remove(batch.producerId());
      for (int place : places == null ? List.<Integer>of() : places) {
        OracleRecord old = records.get(place);
        records.set(
            place,
            new OracleRecord(
                old.offset(), old.timestampMs(), old.timestampType(), old.leaderEpoch(), kind));
      }
    }
  }
}
