package io.whence.source.kafka;

import io.whence.model.ErrorReason;
import io.whence.model.TopicId;
import io.whence.model.WhenceException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.jspecify.annotations.Nullable;

/**
 * Asks a cluster again and again for its topics, and has them followed. Invariant: whatever fails
 * is told of once, and tried again the next time. Thread safety: thread-safe.
 */
final class TopicRefresh implements AutoCloseable {
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(2);

  private final String source;
  private final KafkaOptions options;
  private final Question question;
  private final ClusterTopics topics;
  private final Starts starts;
  private final ForgottenTopics forgotten;

  /** Set before the lock is taken, so that a long first look ends soon. */
  private volatile boolean closed;

  private final Thread thread;

  /** Whether the cluster has told its topics since the start; their logs may not be open yet. */
  private volatile boolean told;

  /** Whether all topics that the cluster has told at first can be asked about. */
  private volatile boolean listed;

  /** Whether it was noted what is there from earlier starts; of the thread alone. */
  private boolean begun;

  /** Whether the cluster could not be asked for want of rights, or for a wrong password. */
  private volatile boolean denied;

  private volatile @Nullable String problem;

  /**
   * Makes one that has not asked yet.
   *
   * @param source the name of the source
   * @param question asks the cluster
   */
  TopicRefresh(
      String source,
      KafkaOptions options,
      Question question,
      ClusterTopics topics,
      Starts starts,
      ForgottenTopics forgotten) {
    this.source = source;
    this.options = options;
    this.question = question;
    this.topics = topics;
    this.starts = starts;
    this.forgotten = forgotten;
    this.thread = options.resources().threads().newThread(this::runAgainAndAgain);
  }

  /** Asks a cluster which topics it has that are to be followed. */
  @FunctionalInterface
  interface Question {
    /** Returns the topics, by name. */
    Map<String, ClusterAdmin.Topic> ask()
        throws InterruptedException, ExecutionException, TimeoutException;
  }

  /** Asks now, and after each interval, by a thread of its own: opening logs may take minutes. */
  void start() {
    thread.start();
  }

  private void runAgainAndAgain() {
    try {
      while (!closed) {
        run();
        Thread.sleep(pause().toMillis());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // It is closed.
    }
  }

  /** As long as nothing is known, sooner than usual; but not where the cluster refuses. */
  private Duration pause() {
    Duration refresh = options.timing().refresh();
    return listed || denied || refresh.compareTo(FIRST_PAUSE) < 0 ? refresh : FIRST_PAUSE;
  }

  private void run() throws InterruptedException {
    try {
      Map<String, ClusterAdmin.Topic> cluster = question.ask();
      if (!told) {
        problem = null; // It was that the cluster had not told them.
        told = true;
      }
      if (!begun) {
        forgotten.begin();
        begun = true;
      }
      topics.update(cluster, () -> closed);
      if (closed) {
        return;
      }
      starts.ask();
      String undeleted = listed ? deleteForgotten(cluster) : null;
      listed = true;
      tell(
          topics.failures().values().stream()
              .findFirst()
              .map(Throwable::getMessage)
              .orElse(undeleted));
    } catch (IOException e) {
      tell("the directory can't be read: " + e);
    } catch (ExecutionException | TimeoutException | RuntimeException e) {
      denied = isDenied(e.getCause());
      tell("the cluster can't be asked for its topics: " + KafkaText.of(e));
    }
  }

  /** Returns what could not be deleted, and why; null if nothing. */
  private @Nullable String deleteForgotten(Map<String, ClusterAdmin.Topic> cluster)
      throws InterruptedException {
    Set<TopicId> followed = new HashSet<>();
    cluster.values().forEach(topic -> followed.add(topic.id()));
    topics.all().values().forEach(topic -> followed.add(topic.id()));
    try {
      forgotten.look(followed);
      return null;
    } catch (IOException e) {
      return "logs of topics that are gone could not be deleted: " + e; // They only take room.
    }
  }

  private void tell(@Nullable String now) {
    if (closed) {
      return; // What was under way fails of that.
    }
    options.resources().events().refreshed(source, now == null);
    if (now != null && !now.equals(problem)) {
      options.resources().events().refreshFailed(source, now);
    }
    problem = now;
  }

  private static boolean isDenied(@Nullable Throwable cause) {
    return cause instanceof AuthenticationException || cause instanceof AuthorizationException;
  }

  /** Returns whether the cluster has told its topics since the start. */
  boolean hasTold() {
    return told;
  }

  /** Returns whether, since then, the logs of its topics were opened, which may take minutes. */
  boolean isListed() {
    return listed;
  }

  /**
   * Returns why not all topics are followed that the cluster has, in a sentence; null if all are.
   */
  @Nullable String problem() {
    return problem;
  }

  /** Returns all such problems, and that there is nothing to follow where there isn't. */
  List<String> warnings() {
    List<String> all = new ArrayList<>();
    topics.failures().values().forEach(failure -> all.add(failure.getMessage()));
    String now = problem;
    if (now != null && !all.contains(now)) {
      all.add(0, now);
    }
    if (listed && all.isEmpty() && topics.all().isEmpty()) {
      all.add(
          "no topic is followed: the cluster has none that whence.kafka."
              + source
              + ".topics and .exclude let in, or does not let this server see it");
    }
    return all;
  }

  /** Returns why a topic is not there. */
  WhenceException unknown(String topic) {
    requireListed();
    WhenceException failure = topics.failures().get(topic);
    if (failure != null) {
      return failure;
    }
    return WhenceException.of(
        ErrorReason.UNKNOWN_TOPIC,
        "topic '"
            + topic
            + "' is not followed from source '"
            + source
            + "': the cluster does not have it, does not let this server see it, or it is left out by"
            + " whence.kafka."
            + source
            + ".topics or .exclude; a new one is noticed within "
            + options.timing().refresh(),
        "source",
        source,
        "topic",
        topic);
  }

  /**
   * Requires that the cluster has told its topics, and that their logs are open.
   *
   * @throws WhenceException {@code NOT_READY}, or {@code NOT_AUTHORIZED} if it let nobody ask
   */
  void requireListed() {
    if (!listed) {
      String now = problem;
      throw WhenceException.of(
          now != null && denied ? ErrorReason.NOT_AUTHORIZED : ErrorReason.NOT_READY,
          "source '"
              + source
              + (told
                  ? "' is still opening the logs of its topics"
                  : "' does not know its topics yet")
              + (now == null ? "; try again soon" : ": " + now),
          "source",
          source);
    }
  }

  /** Begins to end, and returns at once. */
  void stop() {
    closed = true;
    thread.interrupt();
  }

  /** Returns whether it changes nothing any more, and never will. */
  boolean hasEnded() {
    return !thread.isAlive();
  }

  /** Changes topics no longer. Logs that are just being opened are waited for, for a while. */
  @Override
  public void close() {
    stop();
    try {
      thread.join(CLOSE_LIMIT.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
