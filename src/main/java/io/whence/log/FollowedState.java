package io.whence.log;

import io.whence.log.CheckpointLines.Line;
import io.whence.model.OffsetRange;
import java.io.IOException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What is known of a followed log that its segments don't say. Thread safety: immutable.
 *
 * <pre>
 *   start 40 12 90 1 -                      log start, followed from, end, whether all is decided
 *   poison 57 60 4 CRC-32C+0x1 CRC-32C+0x2  offsets [57, 60) can't be read; the epoch, or - for none
 *   unknown 61 70 - the+end none            offsets [61, 70) have a fate that can't be told
 * </pre>
 *
 * @param logStartOffset the earliest offset that a client may read, inclusive
 * @param followedFrom what lies below was never seen
 * @param endOffset where the log ended when this held, exclusive
 * @param decided whether all transactions that began below {@code followedFrom} are known to be
 *     decided; holds only while the log has all up to that end
 * @param poison what can't be read, by offset
 * @param unknown what a reader of committed records can't be told
 */
record FollowedState(
    long logStartOffset,
    long followedFrom,
    long endOffset,
    boolean decided,
    List<Poison> poison,
    List<Damage> unknown) {
  /** The name of the file in the directory of a partition. */
  static final String FILE_NAME = "followed-checkpoint";

  private static final int FIELDS = 6;
  private static final String START = "start";
  private static final String POISON = "poison";
  private static final String UNKNOWN = "unknown";
  private static final String NOTHING = "-";

  /** Copies the lists. */
  FollowedState {
    poison = List.copyOf(poison);
    unknown = List.copyOf(unknown);
  }

  /**
   * A batch that can't be read.
   *
   * @param damage the offsets, and what is wrong
   * @param leaderEpoch the leader epoch that its header says; negative for none
   */
  record Poison(Damage damage, int leaderEpoch) {}

  /** Makes the state of a log that begins at an offset, of which nothing was seen. */
  static FollowedState startingAt(long offset) {
    return new FollowedState(offset, offset, offset, false, List.of(), List.of());
  }

  /**
   * Reads the file, if there is one.
   *
   * @param log how messages name the log
   * @throws CorruptFileException if the file does not have the form
   */
  static Optional<FollowedState> read(Path directory, String log) throws IOException {
    AtomicFile file = new AtomicFile(directory.resolve(FILE_NAME));
    FollowedState state = null;
    List<Poison> poison = new ArrayList<>();
    List<Damage> unknown = new ArrayList<>();
    for (Line line : CheckpointLines.read(file, FIELDS)) {
      switch (line.text(0)) {
        case START -> state = start(line);
        case POISON -> poison.add(new Poison(damage(line, log), epoch(line)));
        case UNKNOWN -> unknown.add(damage(line, log));
        default -> throw line.corrupt("start, poison or unknown", "'" + line.text(0) + "'");
      }
    }
    return Optional.ofNullable(state).map(start -> start.with(poison, unknown));
  }

  private static FollowedState start(Line line) {
    return new FollowedState(
        line.number(1, Long.MAX_VALUE),
        line.number(2, Long.MAX_VALUE),
        line.number(3, Long.MAX_VALUE),
        line.number(4, 1) == 1,
        List.of(),
        List.of());
  }

  /** Returns the same with other damage. */
  FollowedState with(List<Poison> otherPoison, List<Damage> otherUnknown) {
    return new FollowedState(
        logStartOffset, followedFrom, endOffset, decided, otherPoison, otherUnknown);
  }

  /**
   * Returns the same where some of the log is lost: a transaction whose end was seen may be open
   * again.
   *
   * @param firstBase where the first segment begins: what began before, nobody sees
   */
  FollowedState undecided(long firstBase) {
    return new FollowedState(
        logStartOffset, Math.max(followedFrom, firstBase), endOffset, false, poison, unknown);
  }

  private static Damage damage(Line line, String log) {
    long from = line.number(1, Long.MAX_VALUE);
    OffsetRange range = new OffsetRange(from, Math.max(from, line.number(2, Long.MAX_VALUE)));
    return new Damage(range, log, 0, decoded(line.text(4)), decoded(line.text(5)));
  }

  private static int epoch(Line line) {
    return line.text(3).equals(NOTHING)
        ? FollowPosition.NO_EPOCH
        : (int) line.number(3, Integer.MAX_VALUE);
  }

  /** Replaces the file; on disk when this returns. */
  void write(Path directory) throws IOException {
    List<String> lines = new ArrayList<>();
    lines.add(
        String.join(
            " ",
            START,
            Long.toString(logStartOffset),
            Long.toString(followedFrom),
            Long.toString(endOffset),
            decided ? "1" : "0",
            NOTHING));
    poison.forEach(each -> lines.add(line(POISON, each.damage(), each.leaderEpoch())));
    unknown.forEach(each -> lines.add(line(UNKNOWN, each, FollowPosition.NO_EPOCH)));
    CheckpointLines.write(new AtomicFile(directory.resolve(FILE_NAME)), lines);
  }

  private static String line(String kind, Damage damage, int epoch) {
    return String.join(
        " ",
        kind,
        Long.toString(damage.range().startOffset()),
        Long.toString(damage.range().endOffset()),
        epoch < 0 ? NOTHING : Integer.toString(epoch),
        encoded(damage.expected()),
        encoded(damage.found()));
  }

  /** Fields have no white space. */
  private static String encoded(String text) {
    return text.isEmpty() ? NOTHING : URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private static String decoded(String text) {
    return text.equals(NOTHING) ? "" : URLDecoder.decode(text, StandardCharsets.UTF_8);
  }
}
