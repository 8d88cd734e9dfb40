package io.whence.source.kafka;

import io.whence.model.TopicId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * The logs of topics that are followed no longer. Invariant: they are deleted only when the cluster
 * says, several times in a row, that it has no such topic; what it doesn't let be seen, or what is
 * only not to be followed, stays, and so does all from earlier starts while the cluster has none of
 * the topics that were followed then, since it may be another one. Thread safety: single-writer.
 */
final class ForgottenTopics {
  /** One answer may be from a broker behind. */
  private static final int DENIALS_UNTIL_DELETED = 2;

  private final Path directory;
  private final Function<Collection<String>, Map<String, CompletableFuture<TopicId>>> ids;
  private final Duration limit;
  private final Map<TopicId, Integer> denials = new HashMap<>();
  private Set<TopicId> fromEarlierStarts = Set.of();
  private boolean isSameCluster;

  /**
   * Makes one that has not looked.
   *
   * @param ids asks which ids the topics of some names have
   * @param limit how long that may take
   */
  ForgottenTopics(
      Path directory,
      Function<Collection<String>, Map<String, CompletableFuture<TopicId>>> ids,
      Duration limit) {
    this.directory = directory;
    this.ids = ids;
    this.limit = limit;
  }

  /** Notes what is there from earlier starts; to be called before logs are opened. */
  void begin() throws IOException {
    fromEarlierStarts = Set.copyOf(onDisk());
  }

  /**
   * Deletes what is gone for good.
   *
   * @param followed the topics that the cluster has just told, and those that are followed
   * @throws IOException if something could not be deleted; it is tried again the next time
   */
  void look(Set<TopicId> followed) throws IOException, InterruptedException {
    isSameCluster |= fromEarlierStarts.stream().anyMatch(followed::contains);
    Map<TopicId, String> names = new HashMap<>();
    for (TopicId id : onDisk()) {
      if (!followed.contains(id) && (isSameCluster || !fromEarlierStarts.contains(id))) {
        name(id).ifPresent(name -> names.put(id, name));
      }
    }
    Set<TopicId> gone = gone(names);
    denials.keySet().retainAll(gone);
    FirstFailure failed = new FirstFailure();
    for (TopicId id : gone) {
      if (denials.merge(id, 1, Integer::sum) >= DENIALS_UNTIL_DELETED) {
        failed.keep(() -> delete(directory, id));
      }
    }
    failed.throwIfAny();
  }

  /** Returns those of which the cluster says that there is none, or another one of the name. */
  private Set<TopicId> gone(Map<TopicId, String> names) throws InterruptedException {
    Set<TopicId> gone = new HashSet<>();
    if (names.isEmpty()) {
      return gone;
    }
    Map<String, CompletableFuture<TopicId>> answers = ids.apply(new HashSet<>(names.values()));
    for (Map.Entry<TopicId, String> each : names.entrySet()) {
      if (isGone(each.getKey(), Objects.requireNonNull(answers.get(each.getValue()), "an id"))) {
        gone.add(each.getKey());
      }
    }
    return gone;
  }

  private boolean isGone(TopicId id, CompletableFuture<TopicId> answer)
      throws InterruptedException {
    try {
      return !answer.get(limit.toMillis(), TimeUnit.MILLISECONDS).equals(id);
    } catch (ExecutionException e) {
      // Who may not describe it is not told whether it is there.
      return e.getCause() instanceof UnknownTopicOrPartitionException;
    } catch (TimeoutException e) {
      return false;
    }
  }

  private List<TopicId> onDisk() throws IOException {
    List<TopicId> found = new ArrayList<>();
    try (Stream<Path> children = Files.list(directory)) {
      for (Path child : children.filter(Files::isDirectory).toList()) {
        topicId(String.valueOf(child.getFileName())).ifPresent(found::add);
      }
    }
    return found;
  }

  private static Optional<TopicId> topicId(String name) {
    try {
      return Optional.of(TopicId.parse(name)).filter(id -> id.toString().equals(name));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /** Returns the name that the directories of its partitions begin with. */
  private Optional<String> name(TopicId id) throws IOException {
    try (Stream<Path> partitions = Files.list(directory.resolve(id.toString()))) {
      return partitions
          .map(path -> String.valueOf(path.getFileName()))
          .filter(name -> name.matches(".+-\\d+"))
          .map(name -> name.substring(0, name.lastIndexOf('-')))
          .findFirst();
    }
  }

  /** Deletes the logs of a topic, which must be closed. */
  static void delete(Path directory, TopicId id) throws IOException {
    Path root = directory.resolve(id.toString());
    if (!Files.exists(root)) {
      return;
    }
    List<Path> all;
    try (Stream<Path> files = Files.walk(root)) {
      all = files.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : all) {
      Files.deleteIfExists(path);
    }
  }
}
