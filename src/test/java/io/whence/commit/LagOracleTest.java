package io.whence.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.log.LogSnapshot;
import io.whence.model.Cancellation;
import io.whence.model.IsolationLevel;
import io.whence.model.LogBounds;
import io.whence.model.RecordStamp;
import io.whence.model.TopicId;
import io.whence.resolve.LogResolver;
import io.whence.resolve.RandomLog;
import io.whence.resolve.RandomLogs;
import io.whence.testkit.OracleRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Compares the lag of a group with what a look at every record says, over logs that were made up.
 * The clock lies before, among and after the timestamps.
 */
class LagOracleTest {
  private static final int OFFSETS = 8;
  private static final TopicId TOPIC = new TopicId(new UUID(1, 2));
  private static final TopicId OTHER_TOPIC = new TopicId(new UUID(3, 4));

  private final LagReader reader = new LagReader(new LogResolver());

  @Test
  void randomLogs_everyOffset_lagEqualsBruteForce() {
    RandomLogs.check("LagOracleTest", 2_000, 2 * OFFSETS, this::check);
  }

  private long check(RandomLog log, LogSnapshot snapshot, long seed) {
    Random random = new Random(~seed);
    long asked = 0;
    for (IsolationLevel isolation : IsolationLevel.values()) {
      for (long offset : offsets(log, random)) {
        Question question = new Question(offset, isolation, nowMs(log, random));
        Figures found = Figures.of(question.ask(reader, snapshot, Optional.of(TOPIC), TOPIC));
        assertThat(found).as("%s", question).isEqualTo(question.bruteForce(log));
        assertThat(found.negatives()).as("negative numbers of %s", found).isEmpty();
        assertStale(question, snapshot);
        asked++;
      }
    }
    return asked;
  }

  /** Another id than that of the commit says everything, whatever the offset. */
  private void assertStale(Question question, LogSnapshot snapshot) {
    PartitionLag stale = question.ask(reader, snapshot, Optional.of(OTHER_TOPIC), TOPIC);
    assertThat(Figures.of(stale))
        .isEqualTo(
            Figures.none(
                LagStatus.STALE_TOPIC, question.offset(), snapshot.bounds(question.isolation())));
  }

  private static List<Long> offsets(RandomLog log, Random random) {
    long first = Math.max(0, log.segments().get(0).baseOffset() - 2);
    int span = (int) Math.min(1 << 20, log.highWatermark() + 3 - first);
    List<Long> offsets = new ArrayList<>();
    offsets.add(0L);
    offsets.add(log.effectiveStartOffset());
    offsets.add(log.highWatermark());
    offsets.add(Math.max(0, log.highWatermark() - 1));
    offsets.add(Long.MAX_VALUE);
    while (offsets.size() < OFFSETS + 1) {
      offsets.add(first + random.nextInt(span));
    }
    return offsets;
  }

  private static long nowMs(RandomLog log, Random random) {
    long[] times = log.distinctTimestamps();
    if (times.length == 0 || random.nextInt(10) == 0) {
      return random.nextBoolean() ? 0 : Long.MAX_VALUE;
    }
    long timeMs = Math.max(0, times[random.nextInt(times.length)]);
    return Math.max(0, timeMs > Long.MAX_VALUE - 2 ? timeMs : timeMs - 1 + random.nextInt(3));
  }

  private record Question(long offset, IsolationLevel isolation, long nowMs) {
    PartitionLag ask(
        LagReader reader, LogSnapshot log, Optional<TopicId> topicId, TopicId committedFor) {
      return reader.lag(
          Optional.of(Commits.offset(offset, committedFor)),
          topicId,
          log,
          isolation,
          nowMs,
          Cancellation.NONE);
    }

    /** Tells the lag in the words of its definition. */
    Figures bruteForce(RandomLog log) {
      LogBounds bounds = log.oracle().bounds(isolation);
      List<OracleRecord> unread =
          log.oracle().visible(isolation).stream().filter(r -> r.offset() >= offset).toList();
      long lost = Math.max(0, bounds.logStartOffset() - offset);
      long ahead = Math.max(0, offset - bounds.endOffset());
      LagStatus status =
          lost > 0
              ? LagStatus.BELOW_START
              : ahead > 0
                  ? LagStatus.AHEAD_OF_END
                  : unread.isEmpty() ? LagStatus.CAUGHT_UP : LagStatus.BEHIND;
      Optional<OracleRecord> next = unread.stream().findFirst();
      boolean timed = next.isEmpty() || next.get().isTimed();
      long nextMs = next.map(OracleRecord::timestampMs).orElse(nowMs);
      long largestMs = unread.stream().mapToLong(OracleRecord::timestampMs).max().orElse(nextMs);
      return new Figures(
          status,
          OptionalLong.of(offset),
          Optional.of(bounds),
          OptionalLong.of(ahead > 0 ? 0 : bounds.endOffset() - offset - lost),
          OptionalLong.of(unread.size()),
          next.map(OracleRecord::stamp),
          timed ? OptionalLong.of(nextMs > nowMs ? 0 : nowMs - nextMs) : OptionalLong.empty(),
          timed ? OptionalLong.of(largestMs - nextMs) : OptionalLong.empty(),
          timed && nextMs > nowMs,
          lost > 0 ? OptionalLong.of(lost) : OptionalLong.empty(),
          ahead > 0 ? OptionalLong.of(ahead) : OptionalLong.empty());
    }
  }

  /** All that a lag tells. */
  @SuppressWarnings("OptionalUsedAsFieldOrParameterType")
  private record Figures(
      LagStatus status,
      OptionalLong committedOffset,
      Optional<LogBounds> bounds,
      OptionalLong offsetLag,
      OptionalLong recordLag,
      Optional<RecordStamp> nextUnread,
      OptionalLong stalenessMs,
      OptionalLong spanMs,
      boolean futureTimestamp,
      OptionalLong lostOffsets,
      OptionalLong aheadBy) {
    static Figures of(PartitionLag lag) {
      return new Figures(
          lag.status(),
          lag.committedOffset(),
          lag.bounds(),
          lag.offsetLag(),
          lag.recordLag(),
          lag.nextUnread(),
          lag.stalenessMs(),
          lag.spanMs(),
          lag.isFutureTimestamp(),
          lag.lostOffsets(),
          lag.aheadBy());
    }

    static Figures none(LagStatus status, long committed, LogBounds bounds) {
      OptionalLong unknown = OptionalLong.empty();
      return new Figures(
          status,
          OptionalLong.of(committed),
          Optional.of(bounds),
          unknown,
          unknown,
          Optional.empty(),
          unknown,
          unknown,
          false,
          unknown,
          unknown);
    }

    List<Long> negatives() {
      return Stream.of(offsetLag, recordLag, stalenessMs, spanMs, lostOffsets, aheadBy)
          .flatMap(figure -> figure.stream().boxed())
          .filter(figure -> figure < 0)
          .toList();
    }
  }
}
