package io.whence.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.whence.commit.LagFindings;
import io.whence.commit.TopicLag;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class LagBoardTest {
  private final MeterRegistry registry = new SimpleMeterRegistry();

  private static TopicLag lag(String group, String topic, long messages, long waitingMs) {
    return new TopicLag(group, topic, messages, waitingMs);
  }

  private static void show(LagBoard board, TopicLag... lags) {
    board.show(new LagFindings(List.of(lags), 0, 0, ""), 1);
  }

  /** Returns the values of a metric by group and topic. */
  private Map<String, Double> values(String metric) {
    Map<String, Double> values = new TreeMap<>();
    registry.find(metric).gauges().forEach(gauge -> values.put(place(gauge), gauge.value()));
    return values;
  }

  private static String place(Meter meter) {
    return meter.getId().getTag("group") + "/" + meter.getId().getTag("topic");
  }

  private Map<String, Double> messages() {
    return values("whence.group.lag.messages");
  }

  private Map<String, Double> seconds() {
    return values("whence.group.lag.seconds");
  }

  private double folded() {
    return registry.get("whence.group.lag.folded").gauge().value();
  }

  @Test
  void asManyAsAllowed_allAreShownByName() {
    LagBoard board = new LagBoard("prod", 2, registry);

    show(board, lag("a", "orders", 5, 1_500), lag("b", "orders", 0, 0));

    assertThat(messages()).isEqualTo(Map.of("a/orders", 5.0, "b/orders", 0.0));
    assertThat(seconds()).isEqualTo(Map.of("a/orders", 1.5, "b/orders", 0.0));
    assertThat(folded()).isZero();
  }

  @Test
  void moreThanAllowed_restIsOne_andCounted() {
    LagBoard board = new LagBoard("prod", 3, registry);

    show(
        board,
        lag("a", "t", 1, 100),
        lag("b", "t", 2, 200),
        lag("c", "t", 3, 9_000),
        lag("d", "t", 4, -1),
        lag("e", "t", Long.MAX_VALUE, 300));

    assertThat(messages())
        .isEqualTo(Map.of("a/t", 1.0, "b/t", 2.0, "_other/_other", (double) Long.MAX_VALUE));
    assertThat(seconds()).isEqualTo(Map.of("a/t", 0.1, "b/t", 0.2, "_other/_other", 9.0));
    assertThat(folded()).isEqualTo(3);
  }

  @Test
  void newGroups_doNotPushOutThoseThatAreShown() {
    LagBoard board = new LagBoard("prod", 3, registry);
    show(board, lag("m", "t", 1, 0), lag("n", "t", 2, 0));

    show(board, lag("a", "t", 7, 0), lag("b", "t", 8, 0), lag("m", "t", 3, 0), lag("n", "t", 4, 0));

    assertThat(messages()).isEqualTo(Map.of("m/t", 3.0, "n/t", 4.0, "_other/_other", 15.0));
  }

  @Test
  void groupThatIsGone_takesItsSeriesWithIt_andMakesRoom() {
    LagBoard board = new LagBoard("prod", 2, registry);
    show(board, lag("a", "t", 1, 0), lag("b", "t", 2, 0), lag("c", "t", 3, 0));
    assertThat(messages()).containsOnlyKeys("a/t", "_other/_other");

    show(board, lag("b", "t", 2, 0), lag("c", "t", 3, 0));

    assertThat(messages()).isEqualTo(Map.of("b/t", 2.0, "c/t", 3.0));
    assertThat(seconds()).containsOnlyKeys("b/t", "c/t");
    assertThat(folded()).isZero();
  }

  @Test
  void seriesThatStays_isTheSameMeter() {
    LagBoard board = new LagBoard("prod", 5, registry);
    show(board, lag("a", "t", 1, 10));
    Gauge before = registry.get("whence.group.lag.messages").gauge();

    show(board, lag("a", "t", 2, 10), lag("b", "t", 1, 10));

    assertThat(registry.get("whence.group.lag.messages").tag("group", "a").gauge())
        .as("a scrape in between must not miss it")
        .isSameAs(before);
    assertThat(before.value()).isEqualTo(2);
  }

  @Test
  void groupOfTheNameOfTheRest_isPartOfIt() {
    LagBoard board = new LagBoard("prod", 5, registry);

    show(board, lag("_other", "_other", 1, 5_000), lag("a", "t", 2, 0));

    assertThat(messages()).isEqualTo(Map.of("_other/_other", 1.0, "a/t", 2.0));
    assertThat(folded()).isEqualTo(1);
  }

  @Test
  void recordsWithoutTimestamp_haveNoSeconds() {
    LagBoard board = new LagBoard("prod", 5, registry);
    show(board, lag("a", "t", 1, 1_000));

    show(board, lag("a", "t", 1, -1));

    assertThat(messages()).containsOnlyKeys("a/t");
    assertThat(seconds()).isEmpty();
  }

  @Test
  void failedLook_leavesNothingOld() {
    LagBoard board = new LagBoard("prod", 5, registry);
    board.show(new LagFindings(List.of(lag("a", "t", 1, 1)), 3, 2, "a problem"), 1);
    assertThat(registry.get("whence.group.lag.unknown.partitions").gauge().value()).isEqualTo(3);
    assertThat(registry.get("whence.group.lag.failed.groups").gauge().value()).isEqualTo(2);

    board.failed();

    assertThat(messages()).isEmpty();
    assertThat(registry.get("whence.group.lag.unknown.partitions").gauge().value()).isZero();
    assertThat(registry.get("whence.group.lag.failed.groups").gauge().value()).isZero();
    assertThat(registry.get("whence.group.lag.failed.looks").counter().count()).isEqualTo(1);
  }

  @Test
  void series_areNeverMoreThanAllowed() {
    for (int max = 1; max <= 4; max++) {
      MeterRegistry own = new SimpleMeterRegistry();
      LagBoard board = new LagBoard("prod", max, own);
      for (int round = 0; round < 20; round++) {
        List<TopicLag> lags = new ArrayList<>();
        for (int i = 0; i < round % 7; i++) {
          lags.add(lag("g" + (i * round) % 11, "t" + i, 1, 1));
        }
        board.show(new LagFindings(lags, 0, 0, ""), 1);
        assertThat(own.find("whence.group.lag.messages").gauges()).hasSizeLessThanOrEqualTo(max);
        assertThat(
                own.find("whence.group.lag.messages").gauges().stream()
                    .mapToDouble(Gauge::value)
                    .sum())
            .isEqualTo(lags.size());
      }
    }
  }

  @Test
  void closedBoards_leaveNoMeters_andSourcesAreApart() {
    LagBoard board = new LagBoard("prod", 5, registry);
    LagBoard other = new LagBoard("test", 5, registry);
    show(board, lag("a", "t", 1, 1));
    show(other, lag("a", "t", 2, 1));

    board.close();

    assertThat(registry.getMeters())
        .isNotEmpty()
        .allSatisfy(meter -> assertThat(meter.getId().getTag("source")).isEqualTo("test"));
    assertThat(messages()).isEqualTo(Map.of("a/t", 2.0));
    other.close();
    show(other, lag("a", "t", 3, 1));
    assertThat(registry.getMeters()).isEmpty();
  }
}
