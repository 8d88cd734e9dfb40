package io.whence.grpc;

import io.whence.log.LogSetting;
import io.whence.log.LogSnapshot;
import io.whence.log.SegmentInfo;
import io.whence.log.TimestampHealth;
import io.whence.model.TimestampSurvey;
import io.whence.model.TopicPartition;
import io.whence.resolve.LogResolver;
import io.whence.source.LogSource;
import io.whence.source.TopicInfo;
import io.whence.source.WritableLogSource;
import io.whence.v1.TimestampEffect;
import io.whence.v1.TimestampReport;
import io.whence.v1.UnusualRecords;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** Tells which records of a partition have unusual timestamps. Thread safety: immutable. */
final class TimestampReports {
  private final LogResolver resolver = new LogResolver();
  private final CallScope scope;
  private final RetentionRule retention;

  TimestampReports(CallScope scope, LogSource source, TopicInfo topic) {
    this.scope = scope;
    this.retention = RetentionRule.of(source, topic.config());
  }

  /** Reports; what can't be read is said in the report. */
  TimestampReport report(TopicPartition partition, LogSnapshot log) {
    return PartitionGuard.answer(
        scope,
        partition.topic(),
        partition.partition(),
        () -> found(log),
        error -> TimestampReport.newBuilder().setError(error).build());
  }

  private TimestampReport found(LogSnapshot log) {
    TimestampSurvey survey =
        resolver.surveyTimestamps(log, scope.serverTimeMs(), scope.cancellation());
    TimestampReport.Builder report =
        TimestampReport.newBuilder()
            .setRecordCount(survey.recordCount())
            .setFuture(proto(survey.future()))
            .setMissing(proto(survey.missing()))
            .setDisordered(proto(survey.disordered()))
            .setMaxDisorderMs(survey.maxDisorderMs());
    retention
        .heldFrom(log.segments(), scope.serverTimeMs())
        .ifPresent(
            offset ->
                report
                    .addEffects(TimestampEffect.TIMESTAMP_EFFECT_RETENTION_HELD)
                    .setRetentionHeldFromOffset(offset));
    add(survey.future(), TimestampEffect.TIMESTAMP_EFFECT_REACHED_EARLY, report);
    add(survey.missing(), TimestampEffect.TIMESTAMP_EFFECT_NOT_FOUND_BY_TIME, report);
    add(survey.disordered(), TimestampEffect.TIMESTAMP_EFFECT_MIXED_RANGES, report);
    return report.build();
  }

  private static void add(
      io.whence.model.UnusualRecords records,
      TimestampEffect effect,
      TimestampReport.Builder report) {
    if (records.count() > 0) {
      report.addEffects(effect);
    }
  }

  private static UnusualRecords proto(io.whence.model.UnusualRecords records) {
    UnusualRecords.Builder proto = UnusualRecords.newBuilder().setCount(records.count());
    records.first().ifPresent(first -> proto.setFirst(Protos.record(first)));
    records.last().ifPresent(last -> proto.setLast(Protos.record(last)));
    return proto.build();
  }

  /**
   * What of the settings of a topic decides which segments age deletes.
   *
   * @param deletesByAge whether it deletes any
   * @param futureBlocks whether a timestamp after the clock keeps a segment
   */
  record RetentionRule(boolean deletesByAge, boolean futureBlocks) {
    static RetentionRule of(LogSource source, Map<String, String> config) {
      return new RetentionRule(
          source instanceof WritableLogSource
              && Long.parseLong(value(LogSetting.RETENTION_MS, config)) >= 0,
          !value(LogSetting.RETENTION_FUTURE_TIMESTAMPS, config).equals("ignore"));
    }

    private static String value(LogSetting setting, Map<String, String> config) {
      return config.getOrDefault(setting.key(), setting.defaultValue());
    }

    /** Returns the base offset of the first segment that age can't delete now, however old. */
    OptionalLong heldFrom(List<SegmentInfo> segments, long nowMs) {
      return deletesByAge
          ? segments.stream()
              .filter(segment -> isHeld(segment.timestamps(), nowMs))
              .mapToLong(SegmentInfo::baseOffset)
              .findFirst()
          : OptionalLong.empty();
    }

    private boolean isHeld(TimestampHealth times, long nowMs) {
      return times.maxTimestampMs().isEmpty()
          ? times.recordCount() > 0
          : futureBlocks && times.maxMs() > nowMs;
    }
  }
}
