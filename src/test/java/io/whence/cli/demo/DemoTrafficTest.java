package io.whence.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.v1.AppendEntry;
import io.whence.v1.AppendRequest;
import io.whence.v1.RecordData;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DemoTrafficTest {
  private static final int MAX_REQUEST_BYTES = 2 << 20;

  // Just after and just before midnight in Shanghai: the hours at which yesterday is farthest off.
  @ParameterizedTest
  @ValueSource(strings = {"2026-03-09T16:00:01Z", "2026-03-10T15:59:59Z", "2026-03-10T08:30:00Z"})
  void anyHourOfTheDay_fillsYesterdaysWindowAsPromised(Instant now) {
    Map<Integer, List<Long>> times = timesByPartition(now);
    LocalDate day = DemoQuestions.yesterday(now);
    ZoneId zone = ZoneId.of(DemoQuestions.ZONE);
    long from = DemoQuestions.start(day).atZone(zone).toInstant().toEpochMilli();

    for (int p = 0; p < DemoTraffic.CLOSED; p++) {
      assertThat(times.get(p)).as("partition %d", p).anyMatch(t -> isIn(t, from));
    }
    assertThat(times.get(DemoTraffic.CLOSED)).isNotEmpty().allMatch(t -> t < from);
    assertThat(times.get(DemoTraffic.NIGHTLY))
        .anyMatch(t -> t < from)
        .noneMatch(t -> isIn(t, from));
    assertThat(times).doesNotContainKey(DemoTraffic.EMPTY);
  }

  @Test
  void records_areInThePastAndOutOfOrder() {
    Instant now = Instant.parse("2026-03-10T08:30:00Z");
    List<Long> times = timesByPartition(now).getOrDefault(0, List.of());

    assertThat(times).allMatch(t -> t < now.toEpochMilli());
    assertThat(times).isNotEqualTo(times.stream().sorted().toList());
  }

  @Test
  void sameClock_sameTrafficInSmallRequests() {
    Instant now = Instant.parse("2026-03-10T08:30:00Z");
    List<AppendRequest> requests = new DemoTraffic(now).requests("embedded", "orders");

    assertThat(requests).isEqualTo(new DemoTraffic(now).requests("embedded", "orders"));
    assertThat(requests).allMatch(r -> r.getSerializedSize() < MAX_REQUEST_BYTES);
    assertThat(requests.stream().flatMap(r -> r.getEntriesList().stream()))
        .allMatch(e -> e.getRecordsCount() > 0);
    long records =
        requests.stream()
            .flatMap(r -> r.getEntriesList().stream())
            .mapToLong(AppendEntry::getRecordsCount)
            .sum();
    assertThat(records).isBetween(20_000L, 90_000L);
  }

  private static boolean isIn(long timestampMs, long fromMs) {
    return timestampMs >= fromMs && timestampMs < fromMs + 3_600_000;
  }

  private static Map<Integer, List<Long>> timesByPartition(Instant now) {
    return new DemoTraffic(now)
        .requests("embedded", "orders").stream()
            .flatMap(r -> r.getEntriesList().stream())
            .collect(
                Collectors.groupingBy(
                    AppendEntry::getPartition,
                    Collectors.flatMapping(
                        e -> e.getRecordsList().stream().map(RecordData::getTimestampMs),
                        Collectors.toList())));
  }
}
