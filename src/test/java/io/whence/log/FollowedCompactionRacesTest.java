package io.whence.log;

import static io.whence.log.FollowedCompactionTest.appendRandom;
import static io.whence.log.FollowedCompactionTest.batch;
import static io.whence.log.FollowedCompactionTest.contents;
import static io.whence.log.FollowedCompactionTest.filtered;
import static io.whence.log.FollowedCompactionTest.has;
import static io.whence.log.FollowedCompactionTest.keep;
import static io.whence.log.FollowedCompactionTest.names;
import static io.whence.model.IsolationLevel.READ_UNCOMMITTED;
import static org.assertj.core.api.Assertions.assertThat;

import io.whence.model.IsolationLevel;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongPredicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A log that follows is cut, begun anew or trimmed while what its leader has removed goes from it.
 */
class FollowedCompactionRacesTest {
  private static final long SEED = Long.getLong("whence.oracle.seed", System.nanoTime());
  private static final LongPredicate THIRDS = offset -> offset % 3 == 0;

  @TempDir private Path given;

  private Path path() {
    return given.resolve("log");
  }

  @Test
  void cutOrBegunAnewMeanwhile_passIsDropped() throws IOException {
    try (Follower follower = Follower.open(path(), 0, "segment.bytes", 1024)) {
      appendRandom(follower, 80, new Random(SEED));
      Map<IsolationLevel, List<Long>> before = contents(follower);
      long end = follower.position();

      // What is asked about first is in a segment of which nothing was replaced yet.
      assertThat(keep(follower, offset -> cut(follower, end - 1))).isEmpty();
      assertThat(follower.offsets(READ_UNCOMMITTED))
          .isEqualTo(
              filtered(before.get(READ_UNCOMMITTED), offset -> offset < follower.position()));
      follower.append(batch(follower.position(), 1));
      assertThat(keep(follower, offset -> cut(follower, 0))).isEmpty();
      assertThat(follower.append(batch(0, 1, 2)).offsets(READ_UNCOMMITTED)).containsExactly(0L, 1L);
    }
  }

  private static boolean cut(Follower follower, long offset) {
    try {
      follower.log().truncateTo(offset);
      return false;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void startRaisedMeanwhile_whatIsLeftIsCleaned() throws IOException {
    try (Follower follower = Follower.open(path(), 0, "segment.bytes", 1024)) {
      for (long offset = 0; offset < 400; offset += 4) {
        follower.append(batch(offset, 1, 2, 3, 4));
      }

      assertThat(keep(follower, offset -> raise(follower, 202) && offset % 2 == 0)).isPresent();

      keep(follower, offset -> offset % 2 == 0);
      for (int round = 0; round < 2; round++) {
        assertThat(follower.offsets(READ_UNCOMMITTED)).hasSize(99).startsWith(202L, 204L);
        follower.reopen();
      }
    }
  }

  @Test
  void startRaisedMeanwhile_andFilesDeleted_restIsCleanedInTheSamePass() throws IOException {
    try (Follower follower = Follower.open(path(), 0, "segment.bytes", 1024)) {
      for (long offset = 0; offset < 400; offset += 4) {
        follower.append(batch(offset, 1, 2, 3, 4));
      }
      LongPredicate even = offset -> offset % 2 == 0;

      assertThat(keep(follower, offset -> raiseAndDelete(follower, 202) && even.test(offset)))
          .isPresent();

      assertThat(follower.offsets(READ_UNCOMMITTED)).hasSize(99).startsWith(202L, 204L);
      assertThat(names(path())).noneMatch(name -> name.endsWith("cleaned"));
    }
  }

  @Test
  void startRaisedWhileWritten_andFilesDeleted_restIsCleanedInTheSamePass() throws IOException {
    try (Follower follower = Follower.open(path(), 0, "segment.bytes", 1024)) {
      for (long offset = 0; offset < 400; offset += 4) {
        follower.append(batch(offset, 1, 2, 3, 4));
      }
      AtomicBoolean raised = new AtomicBoolean();
      follower.disk.beforeForce =
          () -> {
            // What replaces the first group is written, and not in its place yet.
            if (has(path(), "cleaned") && !raised.getAndSet(true)) {
              raiseAndDelete(follower, 202);
            }
          };

      assertThat(keep(follower, offset -> offset % 2 == 0)).isPresent();

      assertThat(raised).isTrue();
      assertThat(follower.offsets(READ_UNCOMMITTED)).hasSize(99).startsWith(202L, 204L);
      assertThat(names(path())).noneMatch(name -> name.endsWith("cleaned"));
    }
  }

  /** Raises the log start; files that are no longer part of the log are deleted at once. */
  private static boolean raiseAndDelete(Follower follower, long offset) {
    raise(follower, offset);
    List<LogEnvironment.Deletion> due = List.copyOf(follower.deletions);
    follower.deletions.clear();
    try {
      for (LogEnvironment.Deletion deletion : due) {
        deletion.run();
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return true;
  }

  private static boolean raise(Follower follower, long offset) {
    try {
      follower.log().raiseStart(offset);
      return true;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
