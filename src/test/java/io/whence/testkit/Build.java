package io.whence.testkit;

import java.nio.file.Path;

/** Where the build keeps things. Thread safety: immutable. */
final class Build {
  private Build() {}

  /** Returns the directory of the project. Surefire sets the property; an editor starts there. */
  static Path directory() {
    return Path.of(System.getProperty("basedir", "")).toAbsolutePath();
  }
}
