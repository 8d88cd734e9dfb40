package io.whence.cli;

import io.whence.cli.TextTable.Cell;
import io.whence.v1.Outcome;
import io.whence.v1.RecordInfo;
import io.whence.v1.TimestampType;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The cells that several tables share. Immutable. */
public final class Cells {
  private static final Cell NONE = new Cell("–", Ink.DIM);

  private Cells() {}

  /** Returns the cell for something that isn't there. */
  static Cell none() {
    return NONE;
  }

  /** Returns the outcome in words. */
  public static Cell outcome(Outcome outcome) {
    Ink ink =
        switch (outcome) {
          case OUTCOME_FOUND -> Ink.GREEN;
          case OUTCOME_FAILED -> Ink.RED;
          default -> Ink.YELLOW;
        };
    return new Cell(words(outcome, "OUTCOME_"), ink);
  }

  /** Returns the name of a proto enum's value in words, without its prefix. */
  static String words(Enum<?> value, String prefix) {
    String name = value.name();
    return (name.startsWith(prefix) ? name.substring(prefix.length()) : name)
        .replace('_', ' ')
        .toLowerCase(Locale.ROOT);
  }

  /** Returns the cell for a number that may not be there. */
  static Cell number(boolean isThere, long number) {
    return isThere ? Cell.of(number) : NONE;
  }

  /** Returns the cell for a span in milliseconds that may not be there. */
  static Cell span(boolean isThere, long ms) {
    return isThere ? Cell.of(TimeDisplay.span(ms)) : NONE;
  }

  /** Returns the timestamp of a record. */
  static Cell time(RecordInfo record, TimeDisplay times) {
    return record.hasTimestampMs() ? Cell.of(times.text(record.getTimestampMs())) : NONE;
  }

  /** Returns the notes on an answer, separated by commas. */
  static Cell notes(RecordInfo record, boolean startCut, boolean future, String more) {
    List<String> notes = new ArrayList<>();
    if (startCut) {
      notes.add("start cut");
    }
    if (future) {
      notes.add("future");
    }
    if (record.getTimestampType() == TimestampType.TIMESTAMP_TYPE_LOG_APPEND_TIME) {
      notes.add("append time");
    }
    if (!more.isEmpty()) {
      notes.add(more);
    }
    return new Cell(String.join(", ", notes), startCut || future ? Ink.YELLOW : Ink.PLAIN);
  }
}
