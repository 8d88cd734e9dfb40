package io.whence.cli;

import java.lang.Character.UnicodeScript;

/**
 * Text as a terminal shows it: how many columns it takes, cut to a width, without control
 * characters. The contents of a log are written by strangers: they must not move the cursor.
 * Immutable.
 */
final class DisplayText {
  private DisplayText() {}

  /** Returns how many columns the text takes; its length for plain ASCII. */
  static int width(String text) {
    return text.codePoints().map(DisplayText::width).sum();
  }

  /** Returns the text with control characters and lone surrogates written as escapes. */
  static String printable(String text) {
    StringBuilder safe = new StringBuilder(text.length());
    text.codePoints().forEach(c -> appendPrintable(safe, c));
    return safe.toString();
  }

  /** Returns the text, cut to at most so many columns; a cut one ends in an ellipsis. */
  static String cut(String text, int columns) {
    if (width(text) <= columns) {
      return text;
    }
    StringBuilder kept = new StringBuilder();
    int used = 1;
    for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
      used += width(text.codePointAt(i));
      if (used > columns) {
        break;
      }
      kept.appendCodePoint(text.codePointAt(i));
    }
    return kept.append('…').toString();
  }

  private static void appendPrintable(StringBuilder safe, int c) {
    switch (Character.getType(c)) {
      case Character.CONTROL, Character.FORMAT, Character.SURROGATE ->
          safe.append(c == '\n' ? "\\n" : c == '\t' ? "\\t" : c == '\r' ? "\\r" : hex(c));
      case Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> safe.append(hex(c));
      default -> safe.appendCodePoint(c);
    }
  }

  private static String hex(int c) {
    String digits = Integer.toHexString(c);
    return "\\u" + "0".repeat(Math.max(0, 4 - digits.length())) + digits;
  }

  private static int width(int c) {
    if (c < 0x300) {
      return 1;
    }
    int type = Character.getType(c);
    if (type == Character.NON_SPACING_MARK || type == Character.ENCLOSING_MARK) {
      return 0;
    }
    return isWide(c) ? 2 : 1;
  }

  private static boolean isWide(int c) {
    UnicodeScript script = UnicodeScript.of(c);
    return script == UnicodeScript.HAN
        || script == UnicodeScript.HIRAGANA
        || script == UnicodeScript.KATAKANA
        || script == UnicodeScript.HANGUL
        || (c >= 0x3000 && c <= 0x303F)
        || (c >= 0xFF01 && c <= 0xFF60)
        || (c >= 0x1F300 && c <= 0x1FAFF);
  }
}
