package io.whence.source.archive;

import static io.whence.testkit.BatchBuilder.abort;
import static io.whence.testkit.BatchBuilder.batch;
import static io.whence.testkit.BatchBuilder.commit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.whence.log.BlockCursor;
import io.whence.log.CleanShutdownMarker;
import io.whence.log.LogSnapshot;
import io.whence.log.StoredRecord;
import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.IsolationLevel;
import io.whence.model.Position;
import io.whence.model.Position.AtOrAfter;
import io.whence.model.Position.AtOrBefore;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.resolve.LogResolver;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Transactions that the segments alone don't tell all about. */
class ArchiveTransactionsTest {
  private static final long PRODUCER = 7;

  @TempDir private Path archive;
  private Path partition;

  @BeforeEach
  void makePartition() throws IOException {
    new CleanShutdownMarker(archive).write();
    partition = Files.createDirectory(archive.resolve("t-0"));
  }

  @Test
  void openBeforeFirstSegment_nothingIsStable() throws IOException {
    write(5, batch(5).record(100).record(200).build());
    snapshot(7, PRODUCER, 3);

    LogSnapshot log = load();

    assertThat(log.logStartOffset()).isEqualTo(5);
    assertThat(log.highWatermark()).isEqualTo(7);
    assertThat(log.lastStableOffset()).isEqualTo(5);
  }

  @Test
  void openBeforeFirstSegment_endedBehindSnapshot_isStable() throws IOException {
    write(
        5,
        batch(5).producer(PRODUCER, 0).transactional().record(100).build(),
        batch(6).record(150).build(),
        abort(7, PRODUCER, 0, 400),
        batch(8).record(200).build());
    snapshot(7, PRODUCER, 3);

    LogSnapshot log = load();

    assertThat(log.lastStableOffset()).isEqualTo(9);
    assertThat(committed(log, new AtOrAfter(0))).isEqualTo(6);
    assertThat(uncommitted(log, new AtOrAfter(0))).isEqualTo(5);
  }

  @Test
  void snapshot_damagedStaleOrOfLaterOffsets_isPassedOver() throws IOException {
    write(5, batch(5).record(100).record(200).build());
    snapshot(6, PRODUCER, 3);
    Path newest = snapshot(7, PRODUCER, -1);
    snapshot(99, PRODUCER, 2);

    assertThat(load().lastStableOffset()).isEqualTo(7);

    Files.write(newest, new byte[] {0, 1, 2});
    assertThat(load().lastStableOffset()).isEqualTo(5);
  }

  @Test
  void openInSegments_snapshotSaysNothingNew() throws IOException {
    write(
        0,
        batch(0).record(100).build(),
        batch(1).producer(PRODUCER, 0).transactional().record(150).build());
    snapshot(2, PRODUCER, 1);

    assertThat(load().lastStableOffset()).isEqualTo(1);
  }

  @Test
  void markerThatIsDamaged_hidesFatesFromReadersOfCommittedRecords() throws IOException {
    byte[] marker = abort(2, PRODUCER, 0, 900);
    marker[marker.length - 1] ^= 1;
    write(
        0,
        batch(0).producer(PRODUCER, 0).transactional().record(100).record(200).build(),
        marker,
        batch(3).producer(PRODUCER, 0).transactional().record(300).record(400).build(),
        commit(5, PRODUCER, 0, 901));

    LogSnapshot log = load();

    assertThat(log.lastStableOffset()).isEqualTo(6);
    assertThat(uncommitted(log, new AtOrAfter(150))).isEqualTo(1);
    assertThat(committed(log, new AtOrBefore(1000))).isEqualTo(4);
    // The first transaction was aborted, but its marker is gone and the next one says commit.
    assertDamaged(log, new AtOrAfter(100));
    assertDamaged(log, new AtOrAfter(300));
    assertDamaged(log, new AtOrBefore(250));
  }

  @Test
  void fate_isToldByTheNextMarkerOfTheProducer() throws IOException {
    write(
        0,
        batch(0).producer(PRODUCER, 0).transactional().record(100).build(),
        batch(1).producer(8, 0).transactional().record(100).build(),
        batch(2).record(100).build(),
        commit(3, PRODUCER, 0, 900),
        abort(4, 8, 0, 900),
        batch(5).producer(PRODUCER, 0).transactional().record(100).build());

    assertThat(fates(load())).containsExactly("0 COMMITTED", "1 ABORTED", "2 NONE", "5 OPEN");
  }

  @Test
  void fate_hiddenByDamage_isDamagedLogWhereItIsHidden() throws IOException {
    byte[] marker = abort(2, PRODUCER, 0, 900);
    marker[marker.length - 1] ^= 1;
    write(
        0,
        batch(0).producer(PRODUCER, 0).transactional().record(100).record(200).build(),
        marker,
        batch(3).producer(PRODUCER, 0).transactional().record(300).build(),
        commit(4, PRODUCER, 0, 901));
    LogSnapshot log = load();

    assertThat(fates(log, 3)).containsExactly("3 COMMITTED");
    assertThat(reasonOf(() -> fates(log, 0))).isEqualTo(ErrorReason.DAMAGED_LOG);
    List<StoredRecord> read = log.read(0, 1, 1, IsolationLevel.READ_UNCOMMITTED, Cancellation.NONE);
    assertThat(read).hasSize(1);
  }

  private static ErrorReason reasonOf(ThrowingCallable call) {
    return catchThrowableOfType(WhenceException.class, call).reason();
  }

  private static List<String> fates(LogSnapshot log) {
    return fates(log, 0);
  }

  /** Reads records without looking for damage first, so that it is met where it is. */
  private static List<String> fates(LogSnapshot log, long fromOffset) {
    List<String> fates = new ArrayList<>();
    BlockCursor blocks = log.blocks(IsolationLevel.READ_UNCOMMITTED, Cancellation.NONE);
    boolean more = blocks.moveToOffset(fromOffset);
    while (more) {
      blocks.readRecords(
          (batch, record) ->
              record.offset() < fromOffset || fates.add(record.offset() + " " + log.fate(batch)));
      more = blocks.moveToNext();
    }
    return fates;
  }

  @Test
  void markerThatIsDamaged_leavesOthersAlone() throws IOException {
    byte[] marker = commit(3, 8, 0, 900);
    marker[marker.length - 1] ^= 1;
    write(
        0,
        batch(0).producer(PRODUCER, 0).transactional().record(100).build(),
        commit(1, PRODUCER, 0, 800),
        batch(2).record(200).build(),
        marker,
        batch(4).record(300).build());

    LogSnapshot log = load();

    assertThat(committed(log, new AtOrAfter(0))).isZero();
    assertThat(committed(log, new AtOrAfter(150))).isEqualTo(2);
    assertThat(committed(log, new AtOrBefore(300))).isEqualTo(4);
    assertDamaged(log, new AtOrAfter(300));
  }

  private static void assertDamaged(LogSnapshot log, Position position) {
    WhenceException failure =
        catchThrowableOfType(WhenceException.class, () -> committed(log, position));
    assertThat(failure).as("%s", position).isNotNull();
    assertThat(failure.reason()).isEqualTo(ErrorReason.DAMAGED_LOG);
    assertThat(failure.metadata()).containsKeys("path", "position", "expected", "found");
  }

  private static long committed(LogSnapshot log, Position position) {
    return new LogResolver()
        .resolve(log, position, IsolationLevel.READ_COMMITTED, Cancellation.NONE)
        .offset();
  }

  private static long uncommitted(LogSnapshot log, Position position) {
    return new LogResolver()
        .resolve(log, position, IsolationLevel.READ_UNCOMMITTED, Cancellation.NONE)
        .offset();
  }

  private LogSnapshot load() {
    return Archives.load(archive).snapshot(new TopicPartition("t", 0));
  }

  private void write(long baseOffset, byte[]... batches) throws IOException {
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    for (byte[] batch : batches) {
      log.write(batch);
    }
    Files.write(partition.resolve("%020d.log".formatted(baseOffset)), log.toByteArray());
  }

  /** Writes a producer snapshot with one producer; first offset -1 for no open transaction. */
  private Path snapshot(long offset, long producerId, long firstOffset) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(56);
    bytes.putShort((short) 1).putInt(0).putInt(1);
    bytes.putLong(producerId).putShort((short) 0).putInt(0).putLong(offset - 1);
    bytes.putInt(0).putLong(100).putInt(0).putLong(firstOffset);
    CRC32C crc = new CRC32C();
    crc.update(bytes.array(), 6, 50);
    bytes.putInt(2, (int) crc.getValue());
    return Files.write(partition.resolve("%020d.snapshot".formatted(offset)), bytes.array());
  }
}
