package io.whence.model;

/** Says in one line what a failure is, for logs and for people. */
public final class FailureText {
  private FailureText() {}

  /**
   * Returns what a failure says, or its class where it says nothing; in brackets what was at the
   * bottom of it, unless it says that itself.
   */
  public static String of(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    String said = own(failure);
    String why = own(root);
    return said.contains(why) ? said : said + " (" + why + ")";
  }

  private static String own(Throwable failure) {
    String message = failure.getMessage();
    return message == null || message.isBlank() ? failure.getClass().getSimpleName() : message;
  }
}
