package io.whence.resolve;

import static io.whence.model.IsolationLevel.READ_COMMITTED;
import static io.whence.model.IsolationLevel.READ_UNCOMMITTED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.whence.log.TestLogs;
import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.OffsetRange;
import io.whence.model.UnreadRecords;
import io.whence.model.WhenceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Counts come from memory: files that are gone matter only where a block must be read. */
class RecordCountTest {
  private final LogResolver resolver = new LogResolver();
  @TempDir Path directory;
  private TestLogs.Loaded log;

  @BeforeEach
  void load() {
    log = new WrittenLog(directory).write("0:10 1:20 | 2:90 3:40 || 4:50 6:-1 | 7:80").load();
  }

  @AfterEach
  void close() {
    log.close();
  }

  @Test
  void wholeBlocks_count_readsNoFile() throws IOException {
    delete(0);
    delete(4);

    assertThat(count(0, 8)).isEqualTo(7);
    assertThat(count(2, 7)).isEqualTo(4);
    assertThat(count(0, Long.MAX_VALUE)).isEqualTo(7);
    assertThat(count(4, 4)).isZero();
    assertThat(count(8, 100)).isZero();
  }

  @Test
  void partOfABlock_count_readsThatBlock() throws IOException {
    assertThat(count(1, 8)).isEqualTo(6);
    delete(4);

    assertThat(count(1, 7)).isEqualTo(5);
    WhenceException failure = catchThrowableOfType(WhenceException.class, () -> count(0, 6));
    assertThat(failure.reason()).isEqualTo(ErrorReason.STORAGE_ERROR);
  }

  @Test
  void unread_sum_readsTheBlockOfTheFirstRecordOnly() throws IOException {
    delete(4);

    UnreadRecords unread = resolver.unread(log.log(), 1, READ_COMMITTED, Cancellation.NONE);

    assertThat(unread.recordCount()).isEqualTo(6);
    assertThat(unread.firstRecord()).hasValueSatisfying(r -> assertThat(r.offset()).isEqualTo(1));
    assertThat(unread.maxTimestampMs()).isEqualTo(90);
  }

  @Test
  void nothingUnread_sum_readsNoFile() throws IOException {
    delete(0);
    delete(4);

    assertThat(resolver.unread(log.log(), 8, READ_UNCOMMITTED, Cancellation.NONE))
        .isEqualTo(UnreadRecords.NONE);
  }

  private long count(long start, long end) {
    return resolver.countRecords(
        log.log(), new OffsetRange(start, end), READ_UNCOMMITTED, Cancellation.NONE);
  }

  private void delete(long baseOffset) throws IOException {
    log.close();
    Files.delete(directory.resolve("%020d.log".formatted(baseOffset)));
  }
}
