package io.whence.model;

/** The rule for the names of topics: Kafka's, so that a directory can be opened by both. */
public final class TopicName {
  /** How many characters a name may have. */
  public static final int MAX_LENGTH = 249;

  /** The name of the topic of group offsets. */
  public static final String GROUP_OFFSETS = "__consumer_offsets";

  /** The name of the topic of the state of transactions. */
  public static final String TRANSACTION_STATE = "__transaction_state";

  private TopicName() {}

  /** Returns whether a topic of this name is written by the server alone, as in Kafka. */
  public static boolean isInternal(String name) {
    return name.equals(GROUP_OFFSETS) || name.equals(TRANSACTION_STATE);
  }

  /**
   * Rejects names that Kafka would reject.
   *
   * @throws IllegalArgumentException with a message that says what is wrong and what is allowed
   */
  public static void requireValid(String name) {
    if (name.isEmpty()) {
      throw new IllegalArgumentException("a topic needs a name");
    }
    if (name.length() > MAX_LENGTH) {
      throw new IllegalArgumentException(
          "the name has " + name.length() + " characters; " + MAX_LENGTH + " are allowed");
    }
    if (name.equals(".") || name.equals("..")) {
      throw new IllegalArgumentException("'" + name + "' names a directory, not a topic");
    }
    for (int i = 0; i < name.length(); i++) {
      if (!isAllowed(name.charAt(i))) {
        throw new IllegalArgumentException(
            "'" + name + "' has a character outside [a-zA-Z0-9._-] at index " + i);
      }
    }
  }

  private static boolean isAllowed(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '.'
        || c == '_'
        || c == '-';
  }
}
