package io.whence.source.kafka;

import io.whence.model.TimestampType;
import io.whence.testkit.OracleRecord;
import io.whence.testkit.OracleRecord.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.FileRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;

/**
 * What brokers have written of a partition, gathered from their files with Kafka's own classes. Of
 * two records at one offset that of the later leader counts: the other was never committed, and its
 * broker has cut it off since. Thread safety: single-writer.
 */
final class WrittenRecords {
  private static final String HERE = "\\d+\\.log";
  private static final String HERE_OR_DELETED = "\\d+\\.log(\\.deleted)?";

  private final NavigableMap<Long, Written> records = new TreeMap<>();

  /** What a record is to transactions. */
  private enum Role {
    PLAIN,
    IN_TRANSACTION,
    COMMIT,
    ABORT,
    OTHER_MARKER
  }

  /** A record before it is known what became of its transaction. */
  private record Written(
      long offset, long timestampMs, TimestampType type, int epoch, long producerId, Role role) {
    OracleRecord as(Kind kind) {
      return new OracleRecord(offset, timestampMs, type, epoch, kind);
    }
  }

  /** Adds what a broker has. */
  void add(Path partitionDir, long endOffset) {
    add(partitionDir, HERE, endOffset);
  }

  /** Adds what a broker has, and what it has let go and not removed from the disk yet. */
  void addWithDeleted(Path partitionDir, long endOffset) {
    add(partitionDir, HERE_OR_DELETED, endOffset);
  }

  private void add(Path partitionDir, String names, long endOffset) {
    if (!Files.exists(partitionDir)) {
      return;
    }
    try (var entries = Files.list(partitionDir)) {
      entries
          .filter(file -> file.getFileName().toString().matches(names))
          .forEach(file -> addSegment(file, endOffset));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void addSegment(Path file, long endOffset) {
    try (FileRecords segment = FileRecords.open(file.toFile(), false)) {
      for (RecordBatch batch : segment.batches()) {
        batch.ensureValid();
        for (Record record : batch) {
          if (record.offset() < endOffset) {
            records.merge(record.offset(), written(batch, record), WrittenRecords::later);
          }
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Written later(Written known, Written added) {
    return added.epoch() > known.epoch() ? added : known;
  }

  private static Written written(RecordBatch batch, Record record) {
    return new Written(
        record.offset(),
        record.timestamp(),
        TimestampType.valueOf(batch.timestampType().name()),
        batch.partitionLeaderEpoch(),
        batch.producerId(),
        role(batch, record));
  }

  private static Role role(RecordBatch batch, Record record) {
    if (!batch.isControlBatch()) {
      return batch.isTransactional() ? Role.IN_TRANSACTION : Role.PLAIN;
    }
    return switch (ControlRecordType.parse(record.key())) {
      case COMMIT -> Role.COMMIT;
      case ABORT -> Role.ABORT;
      default -> Role.OTHER_MARKER;
    };
  }

  /** Returns all records by offset, with who may see them. */
  NavigableMap<Long, OracleRecord> decided() {
    NavigableMap<Long, OracleRecord> decided = new TreeMap<>();
    Map<Long, List<Written>> open = new HashMap<>();
    for (Written record : records.values()) {
      switch (record.role()) {
        case PLAIN -> decided.put(record.offset(), record.as(Kind.DATA));
        case IN_TRANSACTION -> {
          decided.put(record.offset(), record.as(Kind.OPEN_TXN));
          open.computeIfAbsent(record.producerId(), id -> new ArrayList<>()).add(record);
        }
        default -> {
          decided.put(record.offset(), record.as(Kind.CONTROL));
          Kind kind = record.role() == Role.COMMIT ? Kind.DATA : Kind.ABORTED;
          List<Written> ended = open.remove(record.producerId());
          if (ended != null) {
            ended.forEach(one -> decided.put(one.offset(), one.as(kind)));
          }
        }
      }
    }
    return decided;
  }
}
