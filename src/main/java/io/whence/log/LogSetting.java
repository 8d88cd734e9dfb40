package io.whence.log;

import java.util.List;
import java.util.Optional;

/**
 * A setting of a topic, by Kafka's name and with Kafka's default where Kafka has it. The order is
 * that of the documentation.
 */
public enum LogSetting {
  /** Largest size of a segment. */
  SEGMENT_BYTES(
      "segment.bytes", 1L << 30, 1024, Integer.MAX_VALUE, "Largest size of a segment, in bytes."),
  /** Longest time that a segment spans. */
  SEGMENT_MS(
      "segment.ms",
      604_800_000,
      1,
      Long.MAX_VALUE,
      "Longest time that the timestamps of a segment span before a new one begins, in milliseconds."),
  /** Distance of index entries. */
  INDEX_INTERVAL_BYTES(
      "index.interval.bytes",
      4096,
      0,
      Integer.MAX_VALUE,
      "Bytes of log between two index entries. Smaller: less to read for a lookup, more memory."),
  /** Largest size of an index file. */
  SEGMENT_INDEX_BYTES(
      "segment.index.bytes",
      10 << 20,
      36,
      Integer.MAX_VALUE,
      "Largest size of an index file, in bytes; a full one begins a new segment."),
  /** How long records are kept. */
  RETENTION_MS(
      "retention.ms",
      604_800_000,
      -1,
      Long.MAX_VALUE,
      "How long a segment is kept after its largest timestamp, in milliseconds; -1: for ever."),
  /** How many bytes are kept. */
  RETENTION_BYTES(
      "retention.bytes",
      -1,
      -1,
      Long.MAX_VALUE,
      "How many bytes of a partition are kept; -1: without limit."),
  /** What a far-future record does to retention. */
  RETENTION_FUTURE_TIMESTAMPS(
      "retention.future.timestamps",
      "block",
      List.of("block", "ignore"),
      "What a record with a timestamp after the clock does to the deletion of its segment: block, as"
          + " in Kafka, or ignore: the largest timestamp that is not after the clock counts."),
  /** Who sets timestamps. */
  MESSAGE_TIMESTAMP_TYPE(
      "message.timestamp.type",
      "CreateTime",
      List.of("CreateTime", "LogAppendTime"),
      "Whether records keep the time that their producer gave them, or get that of their append."),
  /** Oldest timestamp that is taken. */
  MESSAGE_TIMESTAMP_BEFORE_MAX_MS(
      "message.timestamp.before.max.ms",
      Long.MAX_VALUE,
      0,
      Long.MAX_VALUE,
      "How far before the clock a record's timestamp may lie, in milliseconds."),
  /** Newest timestamp that is taken. */
  MESSAGE_TIMESTAMP_AFTER_MAX_MS(
      "message.timestamp.after.max.ms",
      3_600_000,
      0,
      Long.MAX_VALUE,
      "How far after the clock a record's timestamp may lie, in milliseconds."),
  /** Largest batch. */
  MAX_MESSAGE_BYTES(
      "max.message.bytes", 1_048_588, 0, Integer.MAX_VALUE, "Largest size of a batch, in bytes.");

  private final String key;
  private final String defaultValue;
  private final long min;
  private final long max;

  @SuppressWarnings("ImmutableEnumChecker") // Made by List.of.
  private final List<String> choices;

  private final String description;

  LogSetting(String key, long defaultValue, long min, long max, String description) {
    this.key = key;
    this.defaultValue = Long.toString(defaultValue);
    this.min = min;
    this.max = max;
    this.choices = List.of();
    this.description = description;
  }

  LogSetting(String key, String defaultValue, List<String> choices, String description) {
    this.key = key;
    this.defaultValue = defaultValue;
    this.min = 0;
    this.max = 0;
    this.choices = choices;
    this.description = description;
  }

  /** Returns the name. */
  public String key() {
    return key;
  }

  /** Returns the value that holds when none is given. */
  public String defaultValue() {
    return defaultValue;
  }

  /** Returns what it means, with its unit. */
  public String description() {
    return description;
  }

  /** Returns which values there are, in words. */
  public String rule() {
    return choices.isEmpty() ? "a whole number from " + min + " to " + max : "one of " + choices;
  }

  /** Returns whether a value is one of this setting. */
  boolean allows(String value) {
    if (!choices.isEmpty()) {
      return choices.contains(value);
    }
    try {
      long number = Long.parseLong(value);
      return min <= number && number <= max;
    } catch (NumberFormatException e) {
      return false;
    }
  }

  static Optional<LogSetting> byKey(String key) {
    for (LogSetting setting : values()) {
      if (setting.key.equals(key)) {
        return Optional.of(setting);
      }
    }
    return Optional.empty();
  }
}
