package io.whence.source.kafka;

import io.whence.model.ErrorReason;
import io.whence.source.kafka.fetch.FetchFault;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.jspecify.annotations.Nullable;

/** What the failure of a question to a leader means. Thread safety: thread-safe. */
final class LeaderFailures {
  private LeaderFailures() {}

  /** Returns the reason and what happened. */
  static FetchFault of(Throwable failure) {
    Throwable cause = failure;
    while (cause.getCause() != null
        && (cause instanceof CompletionException || cause instanceof ExecutionException)) {
      cause = cause.getCause();
    }
    ErrorReason reason = reason(cause);
    return new FetchFault(reason, KafkaText.of(cause));
  }

  private static ErrorReason reason(@Nullable Throwable failure) {
    if (failure instanceof AuthorizationException || failure instanceof AuthenticationException) {
      return ErrorReason.NOT_AUTHORIZED;
    }
    if (failure instanceof UnsupportedVersionException) {
      return ErrorReason.UNSUPPORTED;
    }
    // A topic that a broker doesn't know may be unknown to it alone: whether it is gone, the next
    // look at all topics says.
    return ErrorReason.LEADER_UNAVAILABLE;
  }
}
