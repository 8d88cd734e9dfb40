package io.whence.timeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.model.TimestampType;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Timelines against a scan of the records, over many shapes of logs. */
class SegmentTimelineTest {
  private static final long SEED = Long.getLong("whence.seed", 20261130);
  private static final int LOGS = 400;

  /** A record, as the oracle keeps it. */
  record Rec(long offset, long ms, TimestampType type, int epoch) {}

  @Test
  void randomRecords_answersEqualAScan() {
    System.out.println("SegmentTimelineTest seed " + SEED);
    Random random = new Random(SEED);
    for (int log = 0; log < LOGS; log++) {
      List<Rec> records = records(random);
      SegmentTimelineBuilder builder = new SegmentTimelineBuilder();
      int checkAt = records.isEmpty() ? 0 : random.nextInt(records.size());
      SegmentTimeline half = builder.build();
      for (int i = 0; i < records.size(); i++) {
        if (i == checkAt) {
          half = builder.build();
        }
        add(builder, records, i);
      }
      SegmentTimeline all = builder.build();
      check(all, records, random);
      check(half, records.subList(0, checkAt), random);
      check(all.compacted(), records, random);
      check(copy(all), records, random);
      check(copy(all.compacted()), records, random);
      SegmentTimelineBuilder resumed = new SegmentTimelineBuilder(half);
      for (int i = checkAt; i < records.size(); i++) {
        add(resumed, records, i);
      }
      check(resumed.build(), records, random);
      checkCut(all, records, random);
      checkCut(all.compacted(), records, random);
    }
  }

  private static void add(SegmentTimelineBuilder builder, List<Rec> records, int i) {
    Rec record = records.get(i);
    builder.beginBatch(record.offset(), record.type(), record.epoch());
    builder.addRecord(record.offset(), record.ms());
  }

  private static SegmentTimeline copy(SegmentTimeline timeline) {
    ByteBuffer bytes = ByteBuffer.allocate((int) timeline.writtenBytes());
    timeline.writeTo(bytes);
    assertThat(bytes.remaining()).isZero();
    return SegmentTimeline.readFrom(bytes.flip());
  }

  private static void checkCut(SegmentTimeline timeline, List<Rec> records, Random random) {
    if (records.isEmpty()) {
      return;
    }
    Rec at = records.get(random.nextInt(records.size()));
    long start = at.offset() + random.nextInt(2);
    long knownFrom = timeline.knownFrom(start);
    assertThat(knownFrom).isGreaterThanOrEqualTo(start);
    SegmentTimelineBuilder head = new SegmentTimelineBuilder();
    List<Rec> rest = new ArrayList<>();
    for (Rec record : records) {
      if (record.offset() >= start && record.offset() < knownFrom) {
        head.beginBatch(record.offset(), record.type(), record.epoch());
        head.addRecord(record.offset(), record.ms());
      }
      if (record.offset() >= start) {
        rest.add(record);
      }
    }
    SegmentTimeline cut = timeline.startingAt(start, knownFrom, head.build());
    check(cut, rest, random);
    check(cut.compacted(), rest, random);
  }

  private static List<Rec> records(Random random) {
    int count = random.nextInt(4) == 0 ? random.nextInt(8) : random.nextInt(6000);
    long disorder = random.nextInt(3) == 0 ? 0 : 1L << random.nextInt(14);
    int tick = random.nextInt(4);
    int untimedOf = random.nextInt(3) == 0 ? 1 + random.nextInt(20) : 0;
    boolean gaps = random.nextInt(3) == 0;
    long ms = random.nextInt(10) == 0 ? 0 : 1_700_000_000_000L;
    long offset = random.nextInt(3) == 0 ? 0 : random.nextLong(1L << 40);
    int epoch = random.nextInt(3) - 1;
    List<Rec> records = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ms += tick == 0 ? 1 : tick == 1 ? random.nextInt(20) : tick == 2 ? random.nextInt(10) / 9 : 0;
      long shown = Math.max(0, ms - (disorder == 0 ? 0 : random.nextLong(disorder)));
      if (random.nextInt(5000) == 0) {
        shown = random.nextBoolean() ? Long.MAX_VALUE : 0;
      }
      if (untimedOf > 0 && random.nextInt(untimedOf) == 0) {
        shown = random.nextInt(10) == 0 ? Long.MIN_VALUE : -1;
      }
      epoch += random.nextInt(1000) == 0 ? 1 : 0;
      TimestampType type =
          epoch % 4 == 3 ? TimestampType.LOG_APPEND_TIME : TimestampType.CREATE_TIME;
      records.add(new Rec(offset, shown, type, epoch));
      offset += 1 + (gaps && random.nextInt(7) == 0 ? random.nextInt(50) : 0);
    }
    return records;
  }

  private static void check(SegmentTimeline timeline, List<Rec> records, Random random) {
    assertThat(timeline.isEmpty()).isEqualTo(records.isEmpty());
    long largest = records.stream().mapToLong(Rec::ms).max().orElse(-1);
    assertThat(timeline.maxMs()).isEqualTo(Math.max(largest, -1));
    TimelineHit hit = new TimelineHit();
    assertHit(timeline.first(hit), hit, records.isEmpty() ? null : records.get(0));
    Rec max =
        records.stream().filter(r -> r.ms() >= 0 && r.ms() == largest).findFirst().orElse(null);
    assertHit(timeline.firstOfLargest(hit), hit, max);
    for (int i = 0; i < 40; i++) {
      checkTime(timeline, records, time(records, random));
    }
    checkTime(timeline, records, Long.MAX_VALUE);
    checkTime(timeline, records, 0);
  }

  private static long time(List<Rec> records, Random random) {
    if (records.isEmpty() || random.nextInt(20) == 0) {
      return random.nextLong(Long.MAX_VALUE);
    }
    long near = records.get(random.nextInt(records.size())).ms() + random.nextInt(5) - 2;
    return Math.max(0, near);
  }

  private static void checkTime(SegmentTimeline timeline, List<Rec> records, long ms) {
    TimelineHit hit = new TimelineHit();
    TimelineHit next = new TimelineHit();
    Rec first = null;
    Rec last = null;
    Rec afterLast = null;
    for (int i = 0; i < records.size(); i++) {
      Rec record = records.get(i);
      if (first == null && record.ms() >= ms) {
        first = record;
      }
      if (record.ms() >= 0 && record.ms() <= ms) {
        last = record;
        afterLast = i + 1 < records.size() ? records.get(i + 1) : null;
      }
    }
    assertHit(timeline.firstAtOrAfter(ms, hit), hit, first);
    assertHit(timeline.lastAtOrBefore(ms, hit, next), hit, last);
    assertHit(next.isFound(), next, afterLast);
  }

  private static void assertHit(boolean found, TimelineHit hit, Rec expected) {
    assertThat(found).isEqualTo(expected != null);
    assertThat(hit.isFound()).isEqualTo(found);
    if (expected != null) {
      Rec actual = new Rec(hit.offset(), hit.timestampMs(), hit.timestampType(), hit.leaderEpoch());
      assertThat(actual).isEqualTo(expected);
    }
  }

  @Test
  void logThatIsTrimmedWhileItGrows_hasFewParts() {
    Random random = new Random(SEED);
    SegmentTimelineBuilder builder = new SegmentTimelineBuilder();
    long[] ms = new long[400_000];
    int start = 0;
    for (int i = 0; i < ms.length; i++) {
      ms[i] = 1_000_000 + i + random.nextInt(300);
      builder.beginBatch(i, TimestampType.CREATE_TIME, 0);
      builder.addRecord(i, ms[i]);
      if (i > 2000 && i % 400 == 0) {
        start += 390;
        SegmentTimeline grown = builder.build();
        long knownFrom = grown.knownFrom(start);
        SegmentTimelineBuilder head = new SegmentTimelineBuilder();
        for (int k = start; k < Math.min(knownFrom, i + 1); k++) {
          head.beginBatch(k, TimestampType.CREATE_TIME, 0);
          head.addRecord(k, ms[k]);
        }
        builder =
            new SegmentTimelineBuilder(grown.startingAt(start, knownFrom, head.build()));
        assertThat(builder.build().parts()).hasSizeLessThan(50);
      }
    }
    List<Rec> left = new ArrayList<>();
    for (int i = start; i < ms.length; i++) {
      left.add(new Rec(i, ms[i], TimestampType.CREATE_TIME, 0));
    }
    check(builder.build(), left, random);
  }

  @Test
  void truncatedBytes_areRefused() {
    SegmentTimelineBuilder builder = new SegmentTimelineBuilder();
    builder.beginBatch(0, TimestampType.CREATE_TIME, 0);
    for (int i = 0; i < 1000; i++) {
      builder.addRecord(i, 1000 + i * 7919L % 5000);
    }
    SegmentTimeline timeline = builder.build();
    ByteBuffer bytes = ByteBuffer.allocate((int) timeline.writtenBytes());
    timeline.writeTo(bytes);
    for (int length = 0; length < bytes.position(); length += 13) {
      ByteBuffer part = ByteBuffer.wrap(bytes.array(), 0, length);
      assertThatThrownBy(() -> SegmentTimeline.readFrom(part)).isInstanceOf(RuntimeException.class);
    }
  }

  @Test
  void memory_staysBelowTheGoals() {
    Random random = new Random(SEED);
    assertThat(bytesPerRecord(i -> i)).isLessThan(1.1);
    long[] ms = new long[1];
    assertThat(bytesPerRecord(i -> ms[0] += 1 + random.nextInt(20))).isLessThan(1.6);
    assertThat(bytesPerRecord(i -> i / 10)).isLessThan(0.3);
    assertThat(bytesPerRecord(i -> i + random.nextInt(5000))).isLessThan(0.2);
  }

  private static double bytesPerRecord(java.util.function.LongUnaryOperator time) {
    int count = 1_000_000;
    SegmentTimelineBuilder builder = new SegmentTimelineBuilder();
    builder.beginBatch(0, TimestampType.CREATE_TIME, 0);
    for (int i = 0; i < count; i++) {
      builder.addRecord(i, 1_700_000_000_000L + time.applyAsLong(i));
    }
    double bytes = (double) builder.build().compacted().sizeInBytes() / count;
    System.out.printf("SegmentTimelineTest %.3f bytes a record%n", bytes);
    return bytes;
  }
}
