package io.whence.app;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** A source that can't be opened as it is set; the message starts with the setting. Immutable. */
final class SourceNotOpenedException extends Exception {
  private static final long serialVersionUID = 1L;

  private SourceNotOpenedException(String message, Exception cause) {
    super(message, cause);
  }

  /**
   * Returns a failure with the setting that it comes from, or as it is if it is a fault of ours.
   */
  static Exception of(String setting, Exception failure) {
    if (failure instanceof FileSystemException file) {
      return new SourceNotOpenedException(
          setting + ": " + file.getFile() + ": " + reason(file), failure);
    }
    return failure instanceof IOException || failure instanceof IllegalArgumentException
        ? new SourceNotOpenedException(setting + ": " + failure.getMessage(), failure)
        : failure;
  }

  /** The JDK says some reasons by the type of the failure only. */
  private static String reason(FileSystemException failure) {
    if (failure.getReason() != null) {
      return failure.getReason();
    }
    if (failure instanceof AccessDeniedException) {
      return "no permission; the user of the server must be able to read and write it";
    }
    if (failure instanceof FileAlreadyExistsException) {
      return "is a file; expected a directory";
    }
    return failure instanceof NoSuchFileException ? "does not exist" : String.valueOf(failure);
  }
}
