package io.whence.resolve;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.model.Cancellation;
import io.whence.model.TimestampSurvey;
import io.whence.model.UnusualRecords;
import io.whence.testkit.OracleRecord;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compares what is found unusual with a look at every record, and how much that takes. */
class TimestampSurveyTest {
  private static final long NOW_MS = 100;

  private final LogResolver resolver = new LogResolver();
  @TempDir private Path directory;

  @Test
  void randomLogs_equalBruteForce() {
    AtomicIntegerArray unusual = new AtomicIntegerArray(3);
    RandomLogs.check(
        "TimestampSurveyTest",
        3_000,
        0,
        (log, snapshot, seed) -> {
          long[] times = log.distinctTimestamps();
          long nowMs = times.length == 0 ? 0 : times[new Random(seed).nextInt(times.length)];
          TimestampSurvey expected = bruteForce(log, nowMs);
          assertThat(resolver.surveyTimestamps(snapshot, nowMs, Cancellation.NONE))
              .as("now=%d %s", nowMs, log)
              .isEqualTo(expected);
          unusual.addAndGet(0, expected.future().count() > 0 ? 1 : 0);
          unusual.addAndGet(1, expected.missing().count() > 0 ? 1 : 0);
          unusual.addAndGet(2, expected.disordered().count() > 0 ? 1 : 0);
          return 1;
        });
    assertThat(IntStream.range(0, 3).map(unusual::get)).allMatch(count -> count > 0);
  }

  private static TimestampSurvey bruteForce(RandomLog log, long nowMs) {
    List<OracleRecord> visible =
        log.records().stream()
            .filter(record -> record.kind() != OracleRecord.Kind.CONTROL)
            .filter(record -> record.offset() >= log.effectiveStartOffset())
            .filter(record -> record.offset() < log.highWatermark())
            .toList();
    List<OracleRecord> disordered = new ArrayList<>();
    long maxDisorderMs = 0;
    for (int i = 0; i < visible.size(); i++) {
      OracleRecord record = visible.get(i);
      long earlierMs =
          visible.subList(0, i).stream().mapToLong(OracleRecord::timestampMs).max().orElse(-1);
      if (record.isTimed() && earlierMs > record.timestampMs()) {
        disordered.add(record);
        maxDisorderMs = Math.max(maxDisorderMs, earlierMs - record.timestampMs());
      }
    }
    return new TimestampSurvey(
        visible.size(),
        unusual(
            visible.stream()
                .filter(record -> record.isTimed() && record.timestampMs() > nowMs)
                .toList()),
        unusual(visible.stream().filter(record -> !record.isTimed()).toList()),
        unusual(disordered),
        maxDisorderMs);
  }

  private static UnusualRecords unusual(List<OracleRecord> records) {
    return records.isEmpty()
        ? UnusualRecords.NONE
        : new UnusualRecords(
            records.size(), records.get(0).stamp(), records.get(records.size() - 1).stamp());
  }

  @Test
  void usualTimestamps_readNothing() {
    try (var loaded = new WrittenLog(directory).write("0:10 1:20 | 2:20 || 3:40 | 4:90").load()) {
      TimestampSurvey survey =
          resolver.surveyTimestamps(
              loaded.log(),
              NOW_MS,
              () -> {
                throw new AssertionError("a block is read");
              });
      assertThat(survey)
          .isEqualTo(
              new TimestampSurvey(
                  5, UnusualRecords.NONE, UnusualRecords.NONE, UnusualRecords.NONE, 0));
    }
  }

  @Test
  void disorderAcrossSegments_found() {
    try (var loaded = new WrittenLog(directory).write("0:10 1:70 || 2:20 3:80 || 4:75").load()) {
      TimestampSurvey survey = resolver.surveyTimestamps(loaded.log(), NOW_MS, Cancellation.NONE);
      assertThat(survey.disordered().count()).isEqualTo(2);
      assertThat(survey.disordered().first().orElseThrow().offset()).isEqualTo(2);
      assertThat(survey.disordered().last().orElseThrow().timestampMs()).isEqualTo(75);
      assertThat(survey.maxDisorderMs()).isEqualTo(50);
    }
  }
}
