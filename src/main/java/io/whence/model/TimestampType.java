package io.whence.model;

/** Who set the timestamp of a record: bit 3 of the attributes of its batch. */
public enum TimestampType {
  /** The producer. */
  CREATE_TIME,
  /** The log, when it appended the batch. */
  LOG_APPEND_TIME,
  /** Who told of the record doesn't say. Never in a batch. */
  UNKNOWN
}
