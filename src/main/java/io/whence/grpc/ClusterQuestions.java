package io.whence.grpc;

import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.IsolationLevel;
import io.whence.model.Position;
import io.whence.model.WhenceException;
import io.whence.source.ClusterAnswer;
import io.whence.source.ClusterQuestion;
import io.whence.source.LogSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What one call has to ask the cluster that its source follows, since the copies here can't tell:
 * first all questions are noted, then asked together, and then the call is answered anew. Thread
 * safety: single-writer; goes with its call.
 */
final class ClusterQuestions {
  /** A copy may go out of use between two looks at it, but hardly again and again. */
  private static final int MAX_ROUNDS = 2;

  private final LogSource source;
  private final boolean wanted;
  private final Set<ClusterQuestion> noted = new LinkedHashSet<>();
  private final Map<ClusterQuestion, ClusterAnswer> answers = new HashMap<>();
  private int rounds;

  /**
   * Makes the questions of a call.
   *
   * @param localOnly whether the cluster is not to be asked
   */
  ClusterQuestions(LogSource source, boolean localOnly) {
    this.source = source;
    this.wanted = source.isFollower() && !localOnly;
  }

  /** Returns whether the cluster may know what a copy doesn't. */
  boolean mayAnswer(Position position, RuntimeException failure) {
    return wanted
        && failure instanceof WhenceException known
        && (known.reason() == ErrorReason.NOT_FOLLOWED || known.reason() == ErrorReason.NOT_READY)
        && position.isKnownToBrokers();
  }

  /**
   * Returns what the cluster says, or notes the question.
   *
   * @return null if it is not asked yet
   * @throws RuntimeException the failure, if it was asked about too often
   */
  @Nullable ClusterAnswer answer(ClusterQuestion question, RuntimeException failure) {
    ClusterAnswer answer = answers.get(question);
    if (answer == null) {
      if (rounds == MAX_ROUNDS) {
        throw failure;
      }
      noted.add(question);
    }
    return answer;
  }

  /** Asks what was noted; returns whether there was anything. */
  boolean ask(IsolationLevel isolation, Cancellation cancellation) {
    if (noted.isEmpty()) {
      return false;
    }
    rounds++;
    List<ClusterQuestion> questions = new ArrayList<>(noted);
    noted.clear();
    List<ClusterAnswer> told = source.askCluster(questions, isolation, cancellation);
    for (int i = 0; i < questions.size(); i++) {
      answers.put(questions.get(i), told.get(i));
    }
    return true;
  }
}
