package io.whence.app;

/**
 * Tells calls of our services from those of health, of reflection, and of what is not there. Thread
 * safety: thread-safe; holds nothing.
 */
final class OurServices {
  private static final String PACKAGE = "whence.v1.";

  private OurServices() {}

  /** Returns whether a method, with the name of its service before a slash, is one of ours. */
  static boolean have(String fullMethodName) {
    return fullMethodName.startsWith(PACKAGE);
  }
}
