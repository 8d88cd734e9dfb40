package io.whence.log;

import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Turns failures of the file system into what clients are told. */
final class StorageFailures {
  private StorageFailures() {}

  /** Makes the failure of a write of which nothing is in the log. */
  static WhenceException ofWrite(IOException cause, Path path) {
    if (isFull(cause)) {
      return WhenceException.causedBy(
          cause,
          ErrorReason.STORAGE_FULL,
          "no space left to write " + path + "; nothing was written; free some and try again",
          "path",
          path);
    }
    return WhenceException.causedBy(
        cause,
        ErrorReason.STORAGE_ERROR,
        "could not write " + path + ": " + cause.getMessage() + "; nothing was written",
        "path",
        path);
  }

  /** Returns whether there was no room; Java tells only by the text of the operating system. */
  private static boolean isFull(@Nullable Throwable cause) {
    String reason = cause instanceof FileSystemException failure ? failure.getReason() : null;
    String text = String.valueOf(reason != null || cause == null ? reason : cause.getMessage());
    String lower = text.toLowerCase(Locale.ROOT);
    return lower.contains("no space left")
        || lower.contains("quota exceeded")
        || lower.contains("file too large");
  }
}
