package io.whence.resolve;

import static io.whence.model.IsolationLevel.READ_UNCOMMITTED;
import static org.assertj.core.api.Assertions.assertThat;

import io.whence.log.LogSnapshot;
import io.whence.model.IsolationLevel;
import io.whence.model.OffsetResolution;
import io.whence.model.Origin;
import io.whence.model.Outcome;
import io.whence.model.Position.AtOrAfter;
import io.whence.model.Resolution;
import io.whence.testkit.BatchBuilder;
import io.whence.testkit.Directories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What other projects' users reported about large, old and copied logs, as rules of ours. */
class ReportScaleTest extends WrittenLogFixture {
  private static final long SEED = Long.getLong("whence.oracle.seed", System.nanoTime());

  // Report 20.
  @Test
  void atOrAfter_laterThanFiveThousandSegments_readsNoFile() throws IOException {
    WrittenLog written = empty();
    for (int i = 0; i < 5000; i++) {
      written.segment(i, BatchBuilder.batch(i).record(1000 + i).build());
    }
    LogSnapshot log = load(written);
    deleteFiles();

    Resolution answer = resolve(log, new AtOrAfter(6000));

    assertNothing(answer, Outcome.AFTER_END, 5000);
    assertThat(answer.origin()).isEqualTo(Origin.MEMORY);
  }

  // Report 29.
  @Test
  void fileTimes_touchedOrCopied_changeNoAnswer(@TempDir Path copy) throws IOException {
    LogSnapshot log = load(log("0:10 1:20 | 2:-1 || 3:5 4:40 || 5:30"));
    List<Resolution> before = answers(log);
    Random random = new Random(29);
    for (Path file : files()) {
      Files.setLastModifiedTime(file, FileTime.fromMillis(Math.abs(random.nextInt())));
    }
    Directories.copy(directory, copy);

    assertThat(answers(load(empty()))).isEqualTo(before);
    assertThat(answers(load(new WrittenLog(copy)))).isEqualTo(before);
  }

  // Report 34.
  @Test
  void timeAndOffsetPath_randomLogs_meetAtTheSameRecord() {
    System.out.println("ReportScaleTest seed=" + SEED);
    for (int i = 0; i < 200; i++) {
      RandomLog random = new RandomLogGenerator(SEED + i).generate();
      random.write(directory);
      LogSnapshot log = load(empty().startingAt(random.effectiveStartOffset()));
      for (IsolationLevel isolation : IsolationLevel.values()) {
        for (long target : random.distinctTimestamps()) {
          Resolution byTime = resolve(log, new AtOrAfter(target), isolation);
          if (byTime.outcome() == Outcome.FOUND) {
            OffsetResolution byOffset = resolve(log, byTime.offset(), isolation);
            assertThat(byOffset.exact()).as("log %d", i).isTrue();
            assertThat(byOffset.record()).as("log %d", i).isEqualTo(byTime.record());
          }
        }
      }
      closeFiles();
    }
  }

  // Report 37.
  @Test
  void atOrAfter_matchInTheLastOfAMillion_readsOneBlock() throws IOException {
    LogSnapshot log = load(million().indexIntervalBytes(4096));
    AtomicInteger blocks = new AtomicInteger();

    Resolution answer =
        resolver.resolveFromLog(
            log, new AtOrAfter(5_000_000), READ_UNCOMMITTED, blocks::incrementAndGet);

    assertFound(answer, 999_999, 5_000_000);
    assertThat(answer.origin()).isEqualTo(Origin.LOG_SCAN);
    assertThat(blocks).hasValue(1);
  }

  private WrittenLog million() throws IOException {
    byte[][] batches = new byte[2000][];
    for (int batch = 0; batch < batches.length; batch++) {
      BatchBuilder records = BatchBuilder.batch(batch * 500L);
      for (int i = 0; i < 500; i++) {
        long offset = batch * 500L + i;
        records.record(offset == 999_999 ? 5_000_000 : offset);
      }
      batches[batch] = records.build();
    }
    return empty().segment(0, batches);
  }

  private List<Resolution> answers(LogSnapshot log) {
    return IntStream.range(0, 50)
        .mapToObj(target -> new AtOrAfter(target))
        .map(position -> resolve(log, position))
        .toList();
  }
}
