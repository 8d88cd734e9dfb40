package io.whence.source.kafka;

import io.whence.model.ErrorReason;
import io.whence.source.kafka.fetch.FetchFault;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
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
    return new FetchFault(reason, String.valueOf(cause.getMessage()), reason.isRetriable());
  }

  private static ErrorReason reason(@Nullable Throwable failure) {
    if (failure instanceof AuthorizationException || failure instanceof AuthenticationException) {
      return ErrorReason.NOT_AUTHORIZED;
    }
    if (failure instanceof UnsupportedVersionException) {
      return ErrorReason.UNSUPPORTED;
    }
    // The client tries again until its time is over, and keeps why.
    boolean unknown =
        failure instanceof UnknownTopicOrPartitionException
            || (failure != null && failure.getCause() instanceof UnknownTopicOrPartitionException);
    return unknown ? ErrorReason.UNKNOWN_TOPIC : ErrorReason.LEADER_UNAVAILABLE;
  }
}
