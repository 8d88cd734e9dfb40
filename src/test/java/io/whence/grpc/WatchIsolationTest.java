package io.whence.grpc;

import static io.whence.testkit.BatchBuilder.abort;
import static io.whence.testkit.BatchBuilder.batch;
import static io.whence.testkit.BatchBuilder.commit;
import static org.assertj.core.api.Assertions.assertThat;

import io.whence.log.ArchiveRules;
import io.whence.log.ArchivedLog;
import io.whence.log.LogEvents;
import io.whence.log.LogMemory;
import io.whence.log.LogSnapshot;
import io.whence.log.LogWatch;
import io.whence.model.ErrorReason;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.source.LogSource;
import io.whence.source.PartitionLogs;
import io.whence.source.SourceCatalog;
import io.whence.testkit.GivenSource;
import io.whence.v1.IsolationLevel;
import io.whence.v1.TimestampAnswer;
import io.whence.v1.WatchTimestampResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Watches of logs that the embedded source can't have: with transactions, damaged, archived. */
class WatchIsolationTest {
  private static final long NOW = 1_717_200_000_000L;
  private static final long PRODUCER = 7;
  private static final byte[] OPEN =
      batch(0).producer(PRODUCER, 0).transactional().record(NOW).build();

  @TempDir private Path directory;
  private final RecordingCall<WatchTimestampResponse> uncommitted = new RecordingCall<>();
  private final RecordingCall<WatchTimestampResponse> committed = new RecordingCall<>();
  private GivenLog source;
  private Watches watches;
  private int logs;

  @BeforeEach
  void begin() throws IOException {
    source = new GivenLog(log(OPEN), true);
    watches = watches(source);
  }

  @Test
  void openTransaction_reachesOnlyReadersOfUncommitted() {
    watchBoth();

    assertThat(uncommitted.isCompleted()).isTrue();
    assertThat(answer(uncommitted).getOffset()).isZero();
    assertThat(committed.messages()).hasSize(1);
  }

  @Test
  void committedTransaction_reachesReadersOfCommitted() throws IOException {
    watchBoth();

    source.put(log(OPEN, commit(1, PRODUCER, 0, NOW + 1)));

    assertThat(committed.isCompleted()).isTrue();
    assertThat(answer(committed).getOffset()).isZero();
  }

  @Test
  void abortedTransaction_isPassedOver() throws IOException {
    watchBoth();

    source.put(log(OPEN, abort(1, PRODUCER, 0, NOW + 1)));
    assertThat(committed.messages()).hasSize(1);
    source.put(
        log(OPEN, abort(1, PRODUCER, 0, NOW + 1), batch(2).records(NOW - 1, NOW + 7).build()));

    assertThat(answer(committed).getOffset()).isEqualTo(3);
    assertThat(answer(committed).getDistanceMs()).isEqualTo(7);
  }

  @Test
  void damage_failsThePartition() {
    source.fail(WhenceException.of(ErrorReason.DAMAGED_LOG, "can't be read", "path", "/d/0.log"));

    watchBoth();

    assertThat(answer(uncommitted).getError().getReason())
        .isEqualTo(io.whence.v1.ErrorReason.ERROR_REASON_DAMAGED_LOG);
    assertThat(uncommitted.isCompleted()).isTrue();
  }

  @Test
  void logThatDoesNotGrow_isReachedOrNeverWillBe() throws IOException {
    source = new GivenLog(log(OPEN), false);
    watches = watches(source);

    watchBoth();

    assertThat(answer(uncommitted).getOffset()).isZero();
    assertThat(answer(committed).getError().getReason())
        .isEqualTo(io.whence.v1.ErrorReason.ERROR_REASON_UNSUPPORTED);
    assertThat(answer(committed).getError().getMessage()).contains("don't grow");
    assertThat(committed.messages().get(2).getDone().getFailedCount()).isEqualTo(1);
    assertThat(watches.watchCount()).isZero();
  }

  private void watchBoth() {
    watches.begin(WatchHarness.request(WatchHarness.query(NOW)), uncommitted);
    watches.begin(
        WatchHarness.request(WatchHarness.query(NOW)).toBuilder()
            .setIsolationLevel(IsolationLevel.ISOLATION_LEVEL_READ_COMMITTED)
            .build(),
        committed);
  }

  private static TimestampAnswer answer(RecordingCall<WatchTimestampResponse> call) {
    return call.messages().get(1).getPartition().getAnswer();
  }

  private LogSnapshot log(byte[]... batches) throws IOException {
    Path partition = Files.createDirectory(directory.resolve("t-" + logs++));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (byte[] batch : batches) {
      bytes.write(batch);
    }
    Files.write(partition.resolve("0".repeat(20) + ".log"), bytes.toByteArray());
    return ArchivedLog.load(
            partition,
            new ArchiveRules(true, null, null, false, null, LogMemory.usual(), LogEvents.NOOP))
        .log();
  }

  private static Watches watches(LogSource source) {
    return new Watches(
        Runnable::run,
        new LogLookups(),
        () -> Instant.ofEpochMilli(NOW),
        new CallLimits(100, 1, 1, 1, 1, Duration.ofMinutes(2)),
        new WatchLimits(40, 400, Duration.ofSeconds(30)),
        () -> new OpenSources(new SourceCatalog(List.of(source)), Map.of()),
        CallListener.NOOP);
  }

  /** One log that becomes what a test says. Thread safety: single-writer. */
  private static final class GivenLog extends GivenSource {
    private final boolean grows;
    private LogSnapshot log;
    private RuntimeException failure;
    private Runnable told = () -> {};

    GivenLog(LogSnapshot log, boolean grows) {
      super("given");
      this.log = log;
      this.grows = grows;
    }

    void put(LogSnapshot next) {
      log = next;
      told.run();
    }

    void fail(RuntimeException thrown) {
      failure = thrown;
    }

    @Override
    public LogWatch watch(TopicPartition partition, long targetMs, Runnable onRecords) {
      if (!grows) {
        return super.watch(partition, targetMs, onRecords);
      }
      told = onRecords;
      return () -> {};
    }

    @Override
    public PartitionLogs logs(String topic) {
      return partitions(
          1,
          partition -> {
            if (failure != null) {
              throw failure;
            }
            return log;
          });
    }
  }
}
