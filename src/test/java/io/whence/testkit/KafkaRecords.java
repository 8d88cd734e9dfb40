package io.whence.testkit;

import io.whence.model.TimestampType;
import io.whence.testkit.OracleRecord.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.FileRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;

/**
 * Reads the log of a partition with Kafka's own classes, as input for the oracle. Thread safety:
 * single-writer.
 */
public final class KafkaRecords {
  private final List<OracleRecord> records = new ArrayList<>();

  /** Where in {@link #records} the undecided records of a producer are. */
  private final Map<Long, List<Integer>> undecided = new HashMap<>();

  private KafkaRecords() {}

  /**
   * Reads every record of a partition, by offset, also those below the log start offset.
   *
   * @param partitionDir its directory; every segment must be whole
   */
  public static List<OracleRecord> read(Path partitionDir) {
    KafkaRecords reader = new KafkaRecords();
    try (var entries = Files.list(partitionDir)) {
      entries
          .filter(file -> file.toString().endsWith(".log"))
          .sorted()
          .forEach(reader::readSegment);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return List.copyOf(reader.records);
  }

  private void readSegment(Path file) {
    try (FileRecords segment = FileRecords.open(file.toFile(), false)) {
      for (RecordBatch batch : segment.batches()) {
        batch.ensureValid();
        batch.forEach(record -> add(batch, record));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void add(RecordBatch batch, Record record) {
    Kind kind = Kind.DATA;
    if (batch.isControlBatch()) {
      kind = Kind.CONTROL;
      decide(batch.producerId(), ControlRecordType.parse(record.key()));
    } else if (batch.isTransactional()) {
      kind = Kind.OPEN_TXN;
      undecided.computeIfAbsent(batch.producerId(), id -> new ArrayList<>()).add(records.size());
    }
    TimestampType type = TimestampType.valueOf(batch.timestampType().name());
    records.add(
        new OracleRecord(
            record.offset(), record.timestamp(), type, batch.partitionLeaderEpoch(), kind));
  }

  private void decide(long producerId, ControlRecordType marker) {
    Kind kind = marker == ControlRecordType.COMMIT ? Kind.DATA : Kind.ABORTED;
    List<Integer> decided = undecided.remove(producerId);
    if (decided != null) {
      decided.forEach(i -> records.set(i, withKind(records.get(i), kind)));
    }
  }

  private static OracleRecord withKind(OracleRecord r, Kind kind) {
    return new OracleRecord(r.offset(), r.timestampMs(), r.timestampType(), r.leaderEpoch(), kind);
  }
}
