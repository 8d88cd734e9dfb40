package io.whence.model;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A failure that a client is told about: a reason, a message for people, and facts by name. Thread
 * safety: immutable.
 *
 * <p>Carries no stack trace unless it has a cause: most are answers to bad requests, and a client
 * that sends many of these must not cost more than one that doesn't.
 */
public final class WhenceException extends RuntimeException {
  /** The fact that says that a change may have been made all the same: it is {@link #UNKNOWN}. */
  public static final String OUTCOME = "outcome";

  /** That nobody said whether a change was made. */
  public static final String UNKNOWN = "unknown";

  private static final long serialVersionUID = 1L;

  private final ErrorReason reason;
  private final transient Map<String, String> metadata;

  private WhenceException(
      ErrorReason reason, String message, Map<String, String> metadata, @Nullable Throwable cause) {
    super(message, cause, true, cause != null);
    this.reason = reason;
    this.metadata = metadata;
  }

  /**
   * Makes a failure.
   *
   * @param reason why
   * @param message what happened and what to do
   * @param facts names and values in turn
   */
  public static WhenceException of(ErrorReason reason, String message, Object... facts) {
    return new WhenceException(reason, message, factsByName(facts), null);
  }

  /** Makes a failure with a cause, whose stack trace is kept for the log of the server. */
  public static WhenceException causedBy(
      Throwable cause, ErrorReason reason, String message, Object... facts) {
    return new WhenceException(reason, message, factsByName(facts), cause);
  }

  private static Map<String, String> factsByName(Object[] facts) {
    if (facts.length % 2 != 0) {
      throw new IllegalArgumentException(facts.length + " facts: names and values come in pairs");
    }
    Map<String, String> byName = new LinkedHashMap<>();
    for (int i = 0; i < facts.length; i += 2) {
      byName.put(String.valueOf(facts[i]), String.valueOf(facts[i + 1]));
    }
    return Map.copyOf(byName);
  }

  /** Returns why. */
  public ErrorReason reason() {
    return reason;
  }

  /** Returns the facts by name. */
  public Map<String, String> metadata() {
    return metadata;
  }

  /** Returns whether what was to be changed may have been changed all the same. */
  public boolean isOutcomeUnknown() {
    return UNKNOWN.equals(metadata.get(OUTCOME));
  }

  /** Returns the message; never null. */
  @Override
  public String getMessage() {
    return String.valueOf(super.getMessage());
  }
}
