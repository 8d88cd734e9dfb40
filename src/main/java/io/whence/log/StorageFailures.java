package io.whence.log;

import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Turns failures of the file system into what clients are told. */
public final class StorageFailures {
  private StorageFailures() {}

  /** Makes the failure of a write of which nothing is in the log. */
  static WhenceException ofWrite(Exception cause, Path path) {
    return of(cause, "write " + path + "; nothing was written", path);
  }

  /**
   * Makes a failure: {@code STORAGE_FULL} if there was no room, else {@code STORAGE_ERROR}.
   *
   * @param what what could not be done, and what that means
   * @param path the file or directory
   */
  public static WhenceException of(Exception cause, String what, Path path) {
    return isFull(cause)
        ? WhenceException.causedBy(
            cause,
            ErrorReason.STORAGE_FULL,
            "no space left to " + what + "; free some and try again",
            "path",
            path)
        : WhenceException.causedBy(
            cause, ErrorReason.STORAGE_ERROR, "could not " + what + ": " + cause, "path", path);
  }

  /** Returns whether there was no room; Java tells only by the text of the operating system. */
  static boolean isFull(@Nullable Throwable cause) {
    String reason = cause instanceof FileSystemException failure ? failure.getReason() : null;
    String text = String.valueOf(reason != null || cause == null ? reason : cause.getMessage());
    String lower = text.toLowerCase(Locale.ROOT);
    return lower.contains("no space left")
        || lower.contains("quota exceeded")
        || lower.contains("file too large");
  }
}
