package io.whence.log;

import java.nio.file.Path;

/** A small file of a log does not hold what it should. */
public final class CorruptFileException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient Path path;
  private final String position;
  private final String expected;
  private final String found;

  /**
   * Makes a failure.
   *
   * @param path the file
   * @param position where in the file, for people: "line 3", "byte 40"
   * @param expected what should be there
   * @param found what is there
   */
  public CorruptFileException(Path path, String position, String expected, String found) {
    super(path + " at " + position + ": expected " + expected + ", found " + found);
    this.path = path;
    this.position = position;
    this.expected = expected;
    this.found = found;
  }

  /** Returns the file. */
  public Path path() {
    return path;
  }

  /** Returns where in the file. */
  public String position() {
    return position;
  }

  /** Returns what should be there. */
  public String expected() {
    return expected;
  }

  /** Returns what is there. */
  public String found() {
    return found;
  }
}
