package io.whence.model;

/** Why something failed. The names are those of the protobuf enum, without its prefix. */
public enum ErrorReason {
  INVALID_ARGUMENT(false),
  INVALID_TIME(false),
  UNKNOWN_SOURCE(false),
  UNKNOWN_TOPIC(false),
  UNKNOWN_PARTITION(false),
  PARTITION_COUNT_CHANGED(false),
  TOPIC_EXISTS(false),
  STALE_TOPIC(false),
  READ_ONLY_SOURCE(false),
  OFFSET_OUT_OF_RANGE(false),
  INVALID_TIMESTAMP(false),
  RECORD_TOO_LARGE(false),
  DAMAGED_LOG(false),
  UNSUPPORTED_FORMAT(false),
  STORAGE_ERROR(true),
  STORAGE_FULL(true),
  NOT_READY(true),
  OVERLOADED(true),
  DEADLINE_EXCEEDED(true),
  LIMIT_EXCEEDED(false),
  DRAINING(true),
  UNSUPPORTED(false),
  INTERNAL(false),
  REGRESSION(false),
  CONFLICT(false),
  METADATA_TOO_LARGE(false),
  FENCED(false),
  REQUEST_ID_REUSED(false),
  UNKNOWN_GROUP(false),
  UNKNOWN_PLAN(false),
  PLAN_OUTDATED(false),
  PLAN_INCOMPLETE(false),
  FALLBACK_NOT_ACCEPTED(false),
  INTERNAL_TOPIC(false),
  LEADER_UNAVAILABLE(true),
  NOT_AUTHORIZED(false),
  GROUP_ACTIVE(false),
  NOT_FOLLOWED(false);

  private final boolean retriable;

  ErrorReason(boolean retriable) {
    this.retriable = retriable;
  }

  /** Returns whether the same request may succeed later without anybody changing anything. */
  public boolean isRetriable() {
    return retriable;
  }
}
