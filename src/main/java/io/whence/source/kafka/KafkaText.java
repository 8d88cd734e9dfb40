package io.whence.source.kafka;

import io.whence.model.FailureText;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.regex.Pattern;

/** Says what a failure of Kafka's client is, the same each time for the same failure. */
public final class KafkaText {
  /** How the client for administration names a question whose time has passed (4.4.0). */
  private static final Pattern TIMED_OUT =
      Pattern.compile(
          "Call\\(callName=(.*?), deadlineMs=\\d+, tries=\\d+, nextAllowedTryMs=-?\\d+\\)"
              + " timed out at \\d+ after \\d+ attempt\\(s\\)");

  /** The same, where it was not sent yet. */
  private static final Pattern NOT_SENT =
      Pattern.compile("Timed out waiting (?:for a node assignment|to send the call)\\. Call: (.*)");

  private KafkaText() {}

  /** Returns what a failure says, without the moments and numbers of tries of Kafka's client. */
  public static String of(Throwable failure) {
    Throwable cause = failure;
    while (cause.getCause() != null
        && (cause instanceof CompletionException || cause instanceof ExecutionException)) {
      cause = cause.getCause();
    }
    String message = cause.getMessage();
    if (message == null || message.isBlank()) {
      return FailureText.of(cause);
    }
    String named = TIMED_OUT.matcher(message).replaceAll("$1 timed out");
    return NOT_SENT.matcher(named).replaceAll("$1 timed out");
  }
}
