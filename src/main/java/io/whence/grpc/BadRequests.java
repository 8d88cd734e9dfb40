package io.whence.grpc;

import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;

/** Makes the failures of requests that break a rule: each names the field and shows its value. */
final class BadRequests {
  /** Longer values are cut: an error travels in trailers, which clients limit to 8 KiB. */
  private static final int SHOWN_LENGTH = 100;

  private BadRequests() {}

  /** A field breaks a rule. The message starts with the path of the field. */
  static WhenceException invalid(FieldPath field, Object value, String problem) {
    return failure(ErrorReason.INVALID_ARGUMENT, field, value, problem);
  }

  /** A required field is missing. */
  static WhenceException missing(FieldPath field, String needed) {
    return failure(ErrorReason.INVALID_ARGUMENT, field, "", needed);
  }

  /** A time can't be used. */
  static WhenceException invalidTime(FieldPath field, Object value, String problem) {
    return failure(ErrorReason.INVALID_TIME, field, value, problem);
  }

  /** The request asks for more than one call may. */
  static WhenceException tooMany(FieldPath field, long value, long limit, String what) {
    return WhenceException.of(
        ErrorReason.LIMIT_EXCEEDED,
        field + ": " + value + " " + what + "; a call may have " + limit,
        "field",
        field,
        "value",
        value,
        "limit",
        limit);
  }

  /** Returns text from a client, cut so that it fits an error. */
  static String shown(String text) {
    return text.length() <= SHOWN_LENGTH
        ? text
        : text.substring(0, SHOWN_LENGTH) + "… (" + text.length() + " characters)";
  }

  private static WhenceException failure(
      ErrorReason reason, FieldPath field, Object value, String problem) {
    return WhenceException.of(
        reason, field + ": " + problem, "field", field, "value", shown(String.valueOf(value)));
  }
}
