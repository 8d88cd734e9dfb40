package io.whence.resolve;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.log.LogSnapshot;
import io.whence.log.TestLogs;
import io.whence.log.TransactionFate;
import io.whence.model.Cancellation;
import io.whence.record.RecordBatch;
import io.whence.testkit.OracleRecord;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reads all records of logs that were made up, and what became of their transactions. */
class RandomLogRecordsTest {
  private static final long SEED = Long.getLong("whence.oracle.seed", System.nanoTime());
  private static final int LOGS = 1000;

  @TempDir private Path directory;

  private record Visited(long offset, OracleRecord.Kind kind) {}

  @Test
  void randomLogs_readAll_visitsEveryRecordWithItsFate() {
    System.out.println("RandomLogRecordsTest seed=" + SEED);
    for (int index = 0; index < LOGS; index++) {
      RandomLog log = new RandomLogGenerator(SEED * 31 + index).generate();
      log.write(directory);
      long start = log.effectiveStartOffset();
      try (TestLogs.Loaded loaded =
          TestLogs.load(directory, log.indexIntervalBytes(), start, log.highWatermark())) {
        Random random = new Random(index);
        for (long from : List.of(0L, start, start + random.nextInt(20), log.highWatermark())) {
          assertThat(visit(loaded.log(), from))
              .as("%s from %s", log, from)
              .isEqualTo(of(log, from));
        }
      }
    }
  }

  private static List<Visited> of(RandomLog log, long from) {
    return log.records().stream()
        .filter(record -> record.offset() >= Math.max(from, log.effectiveStartOffset()))
        .filter(record -> record.offset() < log.highWatermark())
        .filter(record -> record.kind() != OracleRecord.Kind.CONTROL)
        .map(record -> new Visited(record.offset(), record.kind()))
        .toList();
  }

  private static List<Visited> visit(LogSnapshot log, long from) {
    List<Visited> visited = new ArrayList<>();
    log.readAll(
        from,
        (batch, record) -> visited.add(new Visited(record.offset(), kind(log, batch))),
        Cancellation.NONE);
    return visited;
  }

  private static OracleRecord.Kind kind(LogSnapshot log, RecordBatch batch) {
    TransactionFate fate = log.fate(batch);
    assertThat(fate == TransactionFate.NONE).isEqualTo(!batch.isTransactional());
    return switch (fate) {
      case NONE, COMMITTED -> OracleRecord.Kind.DATA;
      case ABORTED -> OracleRecord.Kind.ABORTED;
      case OPEN -> OracleRecord.Kind.OPEN_TXN;
    };
  }
}
