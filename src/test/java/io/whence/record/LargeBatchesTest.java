package io.whence.record;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import io.whence.testkit.BatchBuilder;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** One large batch at a time is decompressed; others are not held up by it. */
class LargeBatchesTest {
  private static final int USUAL = 256 << 10;
  private static final int LIMIT = 16 * USUAL;
  private static final RecordBatch LARGE = batch(4 * USUAL, CompressionCodec.ZSTD);
  private static final RecordBatch USUALLY = batch(USUAL / 2, CompressionCodec.ZSTD);

  private static RecordBatch batch(int valueBytes, CompressionCodec codec) {
    byte[] batch =
        BatchBuilder.batch(0)
            .record(new SourceRecord(5, null, new byte[valueBytes], List.of()))
            .record(6)
            .codec(codec)
            .build();
    return new RecordBatch().wrap(ByteBuffer.wrap(batch), 0);
  }

  private static RecordCursor cursor(LargeBatches largeBatches) {
    return new RecordCursor(new Decompressor(LIMIT, LIMIT, largeBatches));
  }

  private static int read(RecordCursor cursor, RecordBatch batch, Cancellation cancellation) {
    try {
      cursor.reset(batch, cancellation);
      int count = 0;
      while (cursor.next()) {
        count++;
      }
      return count;
    } finally {
      cursor.release();
    }
  }

  private static ErrorReason failure(RecordCursor cursor, Cancellation cancellation) {
    return catchThrowableOfType(WhenceException.class, () -> read(cursor, LARGE, cancellation))
        .reason();
  }

  @Test
  void secondLargeBatch_waitsUntilTheFirstIsReleased() throws Exception {
    LargeBatches largeBatches = new LargeBatches(USUAL);
    RecordCursor first = cursor(largeBatches);
    RecordCursor second = cursor(largeBatches);
    first.reset(LARGE);

    CompletableFuture<Integer> read =
        CompletableFuture.supplyAsync(() -> read(second, LARGE, Cancellation.NONE));
    await().atMost(Duration.ofSeconds(60)).until(() -> largeBatches.waiting() == 1);
    assertThat(read(cursor(largeBatches), USUALLY, Cancellation.NONE)).isEqualTo(2);
    RecordBatch stored = batch(4 * USUAL, CompressionCodec.NONE);
    assertThat(read(cursor(largeBatches), stored, Cancellation.NONE)).isEqualTo(2);
    assertThat(first.next()).isTrue();
    assertThat(first.value()).hasSize(4 * USUAL);
    assertThat(read).isNotDone();

    first.release();

    assertThat(read.get(60, SECONDS)).isEqualTo(2);
    assertThat(first.next()).as("it is at no batch any more").isFalse();
  }

  @Test
  void whoGivesUp_fails_andTakesNothing() {
    LargeBatches largeBatches = new LargeBatches(USUAL);
    RecordCursor first = cursor(largeBatches);
    RecordCursor second = cursor(largeBatches);
    first.reset(LARGE);

    assertThat(failure(second, untilIn(1))).isEqualTo(ErrorReason.DEADLINE_EXCEEDED);
    Thread.currentThread().interrupt();
    assertThat(failure(second, Cancellation.NONE)).isEqualTo(ErrorReason.DRAINING);
    assertThat(Thread.interrupted()).isTrue();
    first.release();
    assertThat(failure(second, untilIn(Long.MAX_VALUE))).isEqualTo(ErrorReason.DEADLINE_EXCEEDED);

    assertThat(read(second, LARGE, Cancellation.NONE)).isEqualTo(2);
    assertThat(read(first, LARGE, Cancellation.NONE)).isEqualTo(2);
  }

  @Test
  void whoCameFirst_isLetInFirst() throws Exception {
    LargeBatches largeBatches = new LargeBatches(USUAL);
    RecordCursor first = cursor(largeBatches);
    first.reset(LARGE);
    List<Integer> order = new CopyOnWriteArrayList<>();
    List<CompletableFuture<Void>> reads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      int number = i;
      reads.add(
          CompletableFuture.runAsync(
              () -> {
                RecordCursor cursor = cursor(largeBatches);
                cursor.reset(LARGE);
                order.add(number);
                cursor.release();
              },
              task -> new Thread(task).start()));
      await().atMost(Duration.ofSeconds(60)).until(() -> largeBatches.waiting() == number + 1);
    }

    first.release();

    CompletableFuture.allOf(reads.toArray(CompletableFuture[]::new)).get(60, SECONDS);
    assertThat(order).containsExactly(0, 1, 2, 3);
  }

  /** Nobody waits any more, and so long it was possible to wait. */
  private static Cancellation untilIn(long remainingNanos) {
    return new Cancellation() {
      @Override
      public void check() {
        throw WhenceException.of(ErrorReason.DEADLINE_EXCEEDED, "nobody waits");
      }

      @Override
      public long remainingNanos() {
        return remainingNanos;
      }
    };
  }

  @Test
  void batchThatIsTooLarge_keepsNobodyOut() {
    LargeBatches largeBatches = new LargeBatches(USUAL);
    RecordCursor first = new RecordCursor(new Decompressor(LIMIT, 2 * USUAL, largeBatches));
    RecordCursor second = new RecordCursor(new Decompressor(2 * USUAL, LIMIT, largeBatches));

    assertThat(failure(first, Cancellation.NONE)).isEqualTo(ErrorReason.UNSUPPORTED);
    assertThatThrownBy(() -> read(second, LARGE, Cancellation.NONE))
        .isInstanceOf(InvalidBatchException.class);

    assertThat(read(cursor(largeBatches), LARGE, Cancellation.NONE)).isEqualTo(2);
  }

  @Test
  void cursorThatGoesOnToAnotherBatch_keepsNobodyOut() {
    LargeBatches largeBatches = new LargeBatches(USUAL);
    RecordCursor first = cursor(largeBatches);
    first.reset(LARGE);
    first.reset(LARGE);
    first.reset(USUALLY);

    assertThat(read(cursor(largeBatches), LARGE, Cancellation.NONE)).isEqualTo(2);
  }
}
