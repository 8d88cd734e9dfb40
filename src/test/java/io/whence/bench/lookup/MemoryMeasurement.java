package io.whence.bench.lookup;

import io.whence.bench.Machine;
import io.whence.bench.data.Shape;
import io.whence.bench.report.Goal;
import io.whence.bench.report.Section;
import io.whence.bench.report.Table;
import io.whence.model.TimestampType;
import io.whence.timeline.SegmentTimeline;
import io.whence.timeline.SegmentTimelineBuilder;
import io.whence.timeline.TimelineHit;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** How much memory a timeline takes, record by record. Thread safety: immutable. */
record MemoryMeasurement() implements Measurement {
  private static final int BATCH_RECORDS = 1000;
  private static final int KAFKA_ENTRY_BYTES = 12;
  private static final int CHECKS = 1000;
  private static final Map<Shape, Double> MOST_BYTES = new EnumMap<>(Shape.class);

  static {
    MOST_BYTES.put(Shape.EVERY_MS, 1.1);
    MOST_BYTES.put(Shape.ABOUT_EVERY_MS, 1.1);
    MOST_BYTES.put(Shape.EVERY_1_TO_20_MS, 1.6);
    MOST_BYTES.put(Shape.TEN_PER_MS, 0.3);
    MOST_BYTES.put(Shape.DISORDERED, 0.2);
  }

  @Override
  public String name() {
    return "memory";
  }

  @Override
  public Section measure(Lab lab) {
    List<List<Object>> rows = new ArrayList<>();
    List<Goal> goals = new ArrayList<>();
    int records = lab.settings().growth().memoryRecords();
    for (Shape shape : Shape.values()) {
      Machine.progress(name() + ": " + shape.title());
      SegmentTimeline growing = timeline(shape, records);
      SegmentTimeline sealed = growing.compacted();
      check(shape, records, sealed);
      double bytes = (double) sealed.sizeInBytes() / records;
      rows.add(
          List.of(
              shape.title(),
              records,
              sealed.sizeInBytes(),
              bytes,
              (double) growing.sizeInBytes() / records,
              bytes / KAFKA_ENTRY_BYTES));
      goals.add(Goal.atMost(MOST_BYTES.get(shape), shape.title(), "bytes a record", bytes));
    }
    return new Section(
        name(),
        Map.of("size", "timelines of " + records + " records, whatever the machine"),
        List.of(
            new Table(
                "Memory of a preloaded segment",
                List.of(
                    "timestamps",
                    "records",
                    "bytes, sealed",
                    "bytes a record, sealed",
                    "bytes a record, active",
                    "sealed ÷ Kafka's 12 bytes an index entry"),
                rows)),
        goals,
        List.of());
  }

  /** Returns the timeline of a segment that grew to so many records. */
  static SegmentTimeline timeline(Shape shape, int records) {
    SegmentTimelineBuilder builder = new SegmentTimelineBuilder();
    for (int i = 0; i < records; i++) {
      if (i % BATCH_RECORDS == 0) {
        builder.beginBatch(i, TimestampType.CREATE_TIME, 0);
      }
      builder.addRecord(i, shape.timestampMs(i));
    }
    return builder.build();
  }

  private static void check(Shape shape, int records, SegmentTimeline timeline) {
    TimelineHit hit = new TimelineHit();
    long lastMs = shape.timestampMs(records - 1);
    for (int i = 0; i < CHECKS; i++) {
      long ms = Shape.BASE_MS + (lastMs - Shape.BASE_MS) * i / CHECKS;
      timeline.firstAtOrAfter(ms, hit);
      long expected = shape.firstAtOrAfter(ms, records).orElseThrow();
      if (hit.offset() != expected) {
        throw new WrongAnswerException(
            "timeline of %s: %d instead of %d".formatted(shape, hit.offset(), expected));
      }
    }
  }
}
