package io.whence.cli;

/** How a piece of text looks on a terminal with colour. Immutable. */
public enum Ink {
  PLAIN(""),
  BOLD("1"),
  DIM("2"),
  GREEN("32"),
  YELLOW("33"),
  RED("31");

  private final String code;

  Ink(String code) {
    this.code = code;
  }

  /** Returns the text, wrapped in escape sequences if colour is on. */
  public String paint(String text, boolean colour) {
    return !colour || code.isEmpty() || text.isEmpty()
        ? text
        : "\u001b[" + code + "m" + text + "\u001b[0m";
  }
}
