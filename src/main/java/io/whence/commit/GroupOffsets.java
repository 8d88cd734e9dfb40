package io.whence.commit;

import io.whence.model.Cancellation;
import io.whence.model.TopicPartition;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The offsets that the groups of one source have committed. What is read is on disk, and all of a
 * group is from one moment. Thread safety: thread-safe.
 *
 * <p>Writing fails with {@code READ_ONLY_SOURCE} where the source can't be written to.
 */
public interface GroupOffsets {
  /** Returns what the operator should know, such as groups that can't be told. */
  default List<String> warnings() {
    return List.of();
  }

  /** Returns a group as it is now; nothing if it has not committed anything. */
  Optional<Group> group(String group);

  /** Returns all groups, in no order; each is as it was at some moment of the call. */
  Collection<Group> groups();

  /**
   * Reads some groups, many at once. One that can't be read leaves the others alone.
   *
   * @param wanted which, by name
   * @throws io.whence.model.WhenceException if none can be read
   */
  default GroupsRead groups(Predicate<String> wanted) {
    return new GroupsRead(
        groups().stream().filter(group -> wanted.test(group.name())).toList(), List.of());
  }

  /**
   * Returns when an offset expires unless it is committed again, in epoch milliseconds; nothing if
   * never, or if that can't be told.
   */
  OptionalLong expiresAtMs(Group group, CommittedOffset offset);

  /**
   * Returns the latest changes of an offset, newest first. Reads files.
   *
   * @param limit how many at the most
   */
  List<OffsetChange> history(
      String group, TopicPartition partition, int limit, Cancellation cancellation);

  /**
   * Returns what tells the latest changes of the offsets of a group, for many partitions: a source
   * that has to read much for one of them reads it once for all.
   *
   * @param limit how many at the most of each
   * @return newest first; fails as {@link #history} does
   */
  default Function<TopicPartition, List<OffsetChange>> histories(
      String group, int limit, Cancellation cancellation) {
    return partition -> history(group, partition, limit, cancellation);
  }

  /**
   * Commits, unless nobody waits for it any more when it can be begun. Doesn't wait for the disk:
   * the reply says when it holds.
   *
   * @param cancellation of the call; not looked at once the commit is begun
   * @return fails with {@code DEADLINE_EXCEEDED} if it was not begun
   * @throws io.whence.model.WhenceException when the whole request is refused
   */
  CommitReply commit(CommitRequest request, Cancellation cancellation);

  /**
   * Removes offsets, all of them at once, unless nobody waits for it any more when that can be
   * begun. Completes when that is on disk.
   *
   * @param partitions which; those without an offset are left as they are
   */
  CompletionStage<List<DeletedOffset>> deleteOffsets(
      String group, List<TopicPartition> partitions, Cancellation cancellation);

  /**
   * Removes all offsets of a group, unless nobody waits for it any more when that can be begun;
   * completes when that is on disk.
   *
   * @return how many there were; fails with {@code UNKNOWN_GROUP} if there is no such group
   */
  CompletionStage<Integer> deleteGroup(String group, Cancellation cancellation);
}
