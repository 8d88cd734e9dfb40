package io.whence.grpc;

import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.function.Predicate;

/**
 * Work that waits, by owners in turn: each gives one piece, in the order in which they came. What
 * has ended meanwhile is passed over. Thread safety: single-writer.
 */
final class WaitingByOwner {
  /** In the order of turns; compared by identity, as connections are. */
  private final Map<Connection, Queue<PendingWork>> waiting = new LinkedHashMap<>();

  /** Adds work that waits. */
  void add(PendingWork work) {
    waiting.computeIfAbsent(work.owner(), key -> new ArrayDeque<>()).add(work);
  }

  /**
   * Takes the next piece, whose owner goes behind the others.
   *
   * @param mayBegin which owners may begin one
   */
  Optional<PendingWork> take(Predicate<Connection> mayBegin) {
    Optional<Connection> owner = first(mayBegin);
    while (owner.isPresent()) {
      PendingWork work = removeFirst(owner.get());
      // It may end by that, and who is told may add another one.
      if (work.take()) {
        return Optional.of(work);
      }
      owner = first(mayBegin);
    }
    return Optional.empty();
  }

  private Optional<Connection> first(Predicate<Connection> mayBegin) {
    return waiting.keySet().stream().filter(mayBegin).findFirst();
  }

  private PendingWork removeFirst(Connection owner) {
    Queue<PendingWork> queue = waiting.remove(owner);
    if (queue == null) {
      throw new IllegalStateException("an owner has a turn and no work");
    }
    PendingWork first = queue.remove();
    if (!queue.isEmpty()) {
      waiting.put(owner, queue);
    }
    return first;
  }
}
