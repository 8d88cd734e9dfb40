package io.whence.commit;

import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;

/** What clients are told when a commit or a deletion comes to nothing. */
final class CommitFailures {
  private CommitFailures() {}

  /** Returns what those are told whose commit is not on disk. */
  static RuntimeException reasonOf(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (cause instanceof WhenceException known && known.reason() == ErrorReason.CONFLICT) {
      return WhenceException.of(
          ErrorReason.STORAGE_ERROR,
          "an earlier commit, which this one follows, could not be put on disk; try again",
          "path",
          OffsetsTopic.NAME);
    }
    if (cause instanceof WhenceException known && known.reason() == ErrorReason.RECORD_TOO_LARGE) {
      return WhenceException.of(
          ErrorReason.RECORD_TOO_LARGE,
          "entries: what they take in the log is larger than one batch may be; send fewer in a call",
          known.metadata().entrySet().stream()
              .flatMap(fact -> Stream.of(fact.getKey(), fact.getValue()))
              .toArray());
    }
    return cause instanceof RuntimeException known ? known : new IllegalStateException(cause);
  }

  /** Returns the failure of a group that is not there. */
  static WhenceException unknownGroup(String group) {
    return WhenceException.of(
        ErrorReason.UNKNOWN_GROUP,
        "group: '" + group + "' has not committed anything; list the groups to see which have",
        "group",
        group);
  }
}
