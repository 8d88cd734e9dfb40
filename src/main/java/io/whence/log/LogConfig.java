package io.whence.log;

import io.whence.model.ErrorReason;
import io.whence.model.TimestampType;
import io.whence.model.WhenceException;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;

/** The settings of a topic. Thread safety: immutable. */
public final class LogConfig {
  private final Map<String, String> given;
  private final EnumMap<LogSetting, String> values = new EnumMap<>(LogSetting.class);
  private final boolean largeBatches;

  private LogConfig(Map<String, String> given, boolean largeBatches) {
    this.given = Map.copyOf(given);
    this.largeBatches = largeBatches;
    for (LogSetting setting : LogSetting.values()) {
      values.put(setting, given.getOrDefault(setting.key(), setting.defaultValue()));
    }
  }

  /**
   * Makes settings.
   *
   * @param given values by Kafka's names; what is not given has its default
   * @throws WhenceException {@code INVALID_ARGUMENT} for an unknown name or a value against its
   *     rule
   */
  public static LogConfig of(Map<String, String> given) {
    given.forEach(LogConfig::validate);
    return new LogConfig(given, false);
  }

  private static void validate(String key, String value) {
    LogSetting setting =
        LogSetting.byKey(key)
            .orElseThrow(
                () ->
                    invalid(
                        key,
                        value,
                        "is not a setting; there are "
                            + Arrays.stream(LogSetting.values()).map(LogSetting::key).toList()));
    if (!setting.allows(value)) {
      throw invalid(key, value, "has the value '" + value + "'; it takes " + setting.rule());
    }
  }

  private static WhenceException invalid(String key, String value, String fault) {
    return WhenceException.of(
        ErrorReason.INVALID_ARGUMENT,
        "config: '" + key + "' " + fault,
        "field",
        "config." + key,
        "value",
        value);
  }

  /**
   * Returns these settings for a log whose batches may be larger than {@code segment.bytes}, and
   * get a segment of their own then. Kafka refuses them, but only when they are appended.
   */
  public LogConfig withLargeBatches() {
    return new LogConfig(given, true);
  }

  /** Returns which setting limits the size of a batch. */
  LogSetting batchLimit() {
    return !largeBatches && size(LogSetting.SEGMENT_BYTES) < size(LogSetting.MAX_MESSAGE_BYTES)
        ? LogSetting.SEGMENT_BYTES
        : LogSetting.MAX_MESSAGE_BYTES;
  }

  /** Returns the settings that were given, by name. */
  public Map<String, String> given() {
    return given;
  }

  /** Returns all settings, by name. */
  public Map<String, String> all() {
    Map<String, String> byName = new TreeMap<>();
    values.forEach((setting, value) -> byName.put(setting.key(), value));
    return byName;
  }

  /** Returns who sets the timestamps of records. */
  public TimestampType timestampType() {
    return "LogAppendTime".equals(values.get(LogSetting.MESSAGE_TIMESTAMP_TYPE))
        ? TimestampType.LOG_APPEND_TIME
        : TimestampType.CREATE_TIME;
  }

  boolean ignoresFutureTimestamps() {
    return "ignore".equals(values.get(LogSetting.RETENTION_FUTURE_TIMESTAMPS));
  }

  long number(LogSetting setting) {
    return Long.parseLong(String.valueOf(values.get(setting)));
  }

  int size(LogSetting setting) {
    return Math.toIntExact(number(setting));
  }
}
