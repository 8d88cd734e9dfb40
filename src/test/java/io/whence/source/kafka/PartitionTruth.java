package io.whence.source.kafka;

import io.whence.testkit.BruteForce;
import io.whence.testkit.OracleRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * All records that the log of a partition ever had, and what was answered about it and not judged
 * yet. Answers are judged when nothing moves, also those that were given while all did: a log only
 * grows, so what an answer saw is what lies within the bounds that it was given in. Only an unclean
 * election makes a second history; an answer is of the one or of the other. Thread safety:
 * thread-safe for {@link #asked}, single-writer for the rest.
 */
final class PartitionTruth {
  private final Queue<Asked> asked = new ConcurrentLinkedQueue<>();

  /** The last one is the one that counts now. */
  private final List<History> histories = new ArrayList<>(List.of(new History()));

  private static final class History {
    private final WrittenRecords written = new WrittenRecords();
    private NavigableMap<Long, OracleRecord> records = new TreeMap<>();
  }

  /**
   * A question and its answer.
   *
   * @param what the question, for messages
   * @param answer the answer, in the form of the oracle
   * @param truth gives the answer of an oracle
   */
  record Question(String what, Object answer, Function<BruteForce, Object> truth) {}

  /**
   * Questions that one snapshot answered.
   *
   * @param logStart its log start offset
   * @param highWatermark its end
   * @param lastStable its last stable offset
   */
  record Asked(long logStart, long highWatermark, long lastStable, List<Question> questions) {}

  /** Keeps answers until they are judged. */
  void asked(Asked answers) {
    asked.add(answers);
  }

  /** Has more of what brokers wrote added; nothing is being written, and no transaction is open. */
  void add(Consumer<WrittenRecords> files) {
    History history = current();
    files.accept(history.written);
    history.records = history.written.decided();
  }

  /** From here on answers may also be those of another history, which begins empty. */
  void begin() {
    histories.add(new History());
  }

  /** From here on only the last history counts. */
  void forgetOthers() {
    histories.subList(0, histories.size() - 1).clear();
  }

  private History current() {
    return histories.get(histories.size() - 1);
  }

  /** Returns the records from an offset to another. */
  List<OracleRecord> records(long startOffset, long endOffset) {
    return records(current(), startOffset, endOffset);
  }

  private static List<OracleRecord> records(History history, long startOffset, long endOffset) {
    return startOffset >= endOffset
        ? List.of()
        : List.copyOf(history.records.subMap(startOffset, endOffset).values());
  }

  /** What judging came to. */
  record Verdict(int answers, List<String> wrong) {}

  /** Judges all answers that wait. */
  Verdict judge() {
    int answers = 0;
    List<String> wrong = new ArrayList<>();
    for (Asked next = asked.poll(); next != null; next = asked.poll()) {
      answers += next.questions().size();
      wrong.addAll(wrong(next));
    }
    return new Verdict(answers, wrong);
  }

  /** Of which history nothing is wrong, that one it was; else all is told of the last. */
  private List<String> wrong(Asked answers) {
    List<String> wrong = new ArrayList<>();
    for (History history : histories) {
      wrong = wrong(answers, history);
      if (wrong.isEmpty()) {
        return wrong;
      }
    }
    return wrong;
  }

  private static List<String> wrong(Asked answers, History history) {
    List<OracleRecord> records = records(history, answers.logStart(), answers.highWatermark());
    BruteForce oracle =
        new BruteForce(records, answers.logStart(), answers.highWatermark(), answers.lastStable());
    List<String> wrong = new ArrayList<>();
    for (Question question : answers.questions()) {
      Object truth = question.truth().apply(oracle);
      if (!Objects.equals(truth, question.answer())) {
        wrong.add(question.what() + ": answered " + question.answer() + ", true is " + truth);
      }
    }
    return wrong;
  }
}
