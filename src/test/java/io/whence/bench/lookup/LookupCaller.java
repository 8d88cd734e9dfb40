package io.whence.bench.lookup;

import io.whence.bench.Caller;
import java.util.BitSet;
import java.util.List;

/**
 * Asks questions in turn, again and again, and checks the first answer to each. Thread safety:
 * single-writer.
 */
final class LookupCaller implements Caller {
  private final LookupClient client;
  private final List<Question> questions;
  private final String who;
  private final BitSet checked = new BitSet();
  private int next;

  /**
   * Makes a caller.
   *
   * @param who the name of what answers
   * @param start the question to begin with, so that callers don't ask the same at the same time
   */
  LookupCaller(LookupClient client, List<Question> questions, String who, int start) {
    this.client = client;
    this.questions = List.copyOf(questions);
    this.who = who;
    this.next = start % questions.size();
  }

  @Override
  public void prepare() {
    next = (next + 1) % questions.size();
  }

  @Override
  public void call() throws Exception {
    client.ask(next);
  }

  @Override
  public void check() {
    if (!checked.get(next)) {
      try {
        questions.get(next).check(client.offsets(), who);
      } catch (WrongAnswerException e) {
        throw e;
      } catch (Exception e) {
        throw new WrongAnswerException(who + ": can't be read: " + e);
      }
      checked.set(next);
    }
  }

  /** Throws unless at least one answer was checked. */
  void requireChecked() {
    if (checked.isEmpty()) {
      throw new IllegalStateException(who + ": no answer was checked");
    }
  }
}
