package io.whence.log;

import static io.whence.model.IsolationLevel.READ_COMMITTED;
import static io.whence.model.IsolationLevel.READ_UNCOMMITTED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.model.ErrorReason;
import io.whence.model.IsolationLevel;
import io.whence.model.WhenceException;
import io.whence.testkit.BatchBuilder;
import io.whence.testkit.Directories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.function.LongPredicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the cleaner of a leader has removed goes from the log that follows it, and nothing else. */
class FollowedCompactionTest {
  private static final long SEED = Long.getLong("whence.oracle.seed", System.nanoTime());
  private static final LongPredicate THIRDS = offset -> offset % 3 == 0;

  @TempDir private Path given;

  private final List<Path> copies = new ArrayList<>();

  private Path path() {
    return given.resolve("log");
  }

  static byte[] batch(long baseOffset, long... timestampsMs) {
    return BatchBuilder.batch(baseOffset).records(timestampsMs).build();
  }

  static byte[] transactional(long baseOffset, long producer, long... timestampsMs) {
    return BatchBuilder.batch(baseOffset)
        .producer(producer, 0)
        .transactional()
        .records(timestampsMs)
        .build();
  }

  /** Appends batches of all kinds, all of them decided. */
  static void appendRandom(Follower follower, int count, Random random) throws IOException {
    for (int i = 0; i < count; i++) {
      long offset = follower.position() + random.nextInt(2);
      int producer = random.nextInt(3);
      if (random.nextBoolean()) {
        follower.append(batch(offset, random.nextInt(5_000), i, 9));
      } else {
        byte[] marker =
            random.nextBoolean()
                ? BatchBuilder.commit(offset + 2, producer, 0, i)
                : BatchBuilder.abort(offset + 2, producer, 0, i);
        follower.append(transactional(offset, producer, i, random.nextInt(5_000)), marker);
      }
    }
  }

  static OptionalLong keep(Follower follower, LongPredicate has) throws IOException {
    return follower.log().keepOnly(leader(has, true));
  }

  static LeaderRecords leader(LongPredicate has, boolean isOfSameLog) {
    return new LeaderRecords() {
      @Override
      public boolean has(long offset, long timestampMs) {
        return has.test(offset);
      }

      @Override
      public boolean isOfSameLog() {
        return isOfSameLog;
      }
    };
  }

  static Map<IsolationLevel, List<Long>> contents(Follower follower) {
    return Map.of(
        READ_UNCOMMITTED, follower.offsets(READ_UNCOMMITTED),
        READ_COMMITTED, follower.offsets(READ_COMMITTED));
  }

  static List<Long> filtered(List<Long> offsets, LongPredicate has) {
    return offsets.stream().filter(has::test).toList();
  }

  @Test
  void removed_alsoFromTheNewestSegment_andAfterRestart() throws IOException {
    try (Follower follower = Follower.open(path(), 0, "segment.bytes", 1024)) {
      appendRandom(follower, 100, new Random(SEED));
      Map<IsolationLevel, List<Long>> before = contents(follower);
      LogSnapshot old = follower.log().snapshot();
      long position = follower.position();

      assertThat(keep(follower, THIRDS))
          .hasValue(before.get(READ_UNCOMMITTED).stream().filter(o -> !THIRDS.test(o)).count());

      for (int round = 0; round < 2; round++) {
        for (IsolationLevel isolation : IsolationLevel.values()) {
          assertThat(follower.offsets(isolation))
              .as("seed %d", SEED)
              .isEqualTo(filtered(before.get(isolation), THIRDS));
          assertThat(follower.log().snapshot().timelines(isolation)).isNotNull();
        }
        assertThat(follower.position()).isEqualTo(position);
        assertThat(follower.append(batch(position, 1)).position()).isEqualTo(position + 1);
        follower.log().truncateTo(position);
        assertThat(Follower.offsets(old, READ_UNCOMMITTED)).isEqualTo(before.get(READ_UNCOMMITTED));
        follower.reopen();
        old = follower.log().snapshot();
        before = contents(follower);
      }
      assertThat(follower.warnings).isEmpty();
    }
  }

  @Test
  void nothingRemoved_filesStay() throws IOException {
    try (Follower follower = Follower.open(path(), 0, "segment.bytes", 1024)) {
      appendRandom(follower, 60, new Random(SEED));
      keep(follower, offset -> true);
      List<SegmentInfo> segments = follower.log().snapshot().segments();
      int deletions = follower.deletions.size();

      assertThat(keep(follower, offset -> true)).hasValue(0);

      assertThat(follower.log().snapshot().segments()).isEqualTo(segments);
      assertThat(follower.deletions).hasSize(deletions);
    }
  }

  @Test
  void anotherLogInItsPlace_nothingRemoved() throws IOException {
    try (Follower follower = Follower.open(path(), 0)) {
      follower.append(batch(0, 1, 2, 3));

      assertThat(follower.log().keepOnly(leader(offset -> false, false))).isEmpty();

      assertThat(follower.offsets(READ_UNCOMMITTED)).containsExactly(0L, 1L, 2L);
    }
  }

  @Test
  void leaderThatDoesNotSayWhetherItIsTheSameLog_fails_andNothingIsRemoved() throws IOException {
    try (Follower follower = Follower.open(path(), 0)) {
      follower.append(batch(0, 1, 2, 3));
      LeaderRecords silent =
          new LeaderRecords() {
            @Override
            public boolean has(long offset, long timestampMs) {
              return false;
            }

            @Override
            public boolean isOfSameLog() throws IOException {
              throw new IOException("timed out");
            }
          };

      assertThatThrownBy(() -> follower.log().keepOnly(silent))
          .isInstanceOf(IOException.class)
          .hasMessage("timed out");

      assertThat(follower.offsets(READ_UNCOMMITTED)).containsExactly(0L, 1L, 2L);
      assertThat(names(path())).noneMatch(name -> name.endsWith("cleaned"));
    }
  }

  @Test
  void fullDisk_logStaysAsItWas() throws IOException {
    try (Follower follower = Follower.open(path(), 0, "segment.bytes", 1024)) {
      appendRandom(follower, 80, new Random(SEED));
      keep(follower, offset -> true);
      Map<IsolationLevel, List<Long>> before = contents(follower);
      follower.disk.failWrite(FaultyDisk.FULL);

      assertThatThrownBy(() -> keep(follower, THIRDS)).isInstanceOf(IOException.class);

      assertThat(contents(follower)).isEqualTo(before);
      follower.disk.heal();
      keep(follower, THIRDS);
      assertThat(follower.reopen().offsets(READ_UNCOMMITTED))
          .isEqualTo(filtered(before.get(READ_UNCOMMITTED), THIRDS));
    }
  }

  @Test
  void unfinishedSwap_forbidsMore_untilTheLogBeginsAnew() throws IOException {
    try (Follower follower = Follower.open(path(), 0)) {
      follower.append(batch(0, 1, 2, 3, 4));
      Path inTheWay = SegmentNames.path(path(), 0, SegmentNames.LOG).resolve("x");
      follower.onDeletion = () -> assertThat(inTheWay.toFile().mkdirs()).isTrue();

      assertThat(keep(follower, offset -> offset != 1)).hasValue(1);
      follower.onDeletion = () -> {};
      Files.delete(inTheWay);
      Files.delete(inTheWay.getParent());

      assertThat(follower.warnings).anyMatch(each -> each.contains("could not be finished"));
      assertThatThrownBy(() -> keep(follower, offset -> offset != 2))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("an earlier compaction");
      follower.log().restartAt(0);
      follower.append(batch(0, 1, 2, 3, 4));
      assertThat(keep(follower, offset -> offset != 2)).hasValue(1);
      assertThat(follower.reopen().offsets(READ_UNCOMMITTED)).containsExactly(0L, 1L, 3L);
    }
  }

  @Test
  void closed_refused() throws IOException {
    Follower follower = Follower.open(path(), 0);
    follower.close();

    assertThatThrownBy(() -> keep(follower, THIRDS))
        .isInstanceOfSatisfying(
            WhenceException.class, e -> assertThat(e.reason()).isEqualTo(ErrorReason.DRAINING));
  }

  @Test
  void committedTimelines_notReadAgainByTheNextStart() throws IOException {
    try (Follower follower = Follower.open(path(), 0, "segment.bytes", 20_000)) {
      for (long offset = 0; offset < 22_000; offset += 11) {
        follower.append(
            transactional(offset, 7, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
            BatchBuilder.abort(offset + 10, 7, 0, 9));
      }
      keep(follower, offset -> offset % 11 < 5);
      long sizeBytes = follower.log().snapshot().sizeBytes();
      follower.log().close();
      follower.disk.resetReadBytes();

      follower.reopen();

      assertThat(sizeBytes).isGreaterThan(150_000);
      assertThat(follower.disk.readBytes()).isLessThan(30_000);
      assertThat(follower.log().snapshot().timelines(READ_COMMITTED)).isNotNull();
      assertThat(follower.offsets(READ_COMMITTED)).isEmpty();
      assertThat(follower.offsets(READ_UNCOMMITTED)).hasSize(10_000);
    }
  }

  @Test
  void crashAtEveryStep_leavesOldOrNewContents() throws IOException {
    System.out.println("FollowedCompactionTest seed " + SEED);
    Map<IsolationLevel, List<Long>> before;
    long position;
    try (Follower follower = Follower.open(path(), 0, "segment.bytes", 1024)) {
      appendRandom(follower, 90, new Random(SEED));
      follower.reopen(); // So that what is known of its transactions is on disk.
      before = contents(follower);
      position = follower.position();
      follower.disk.beforeForce = this::copy;
      follower.onDeletion = this::copy;

      keep(follower, THIRDS);
      copy();
      follower.disk.beforeForce = () -> {};
      follower.onDeletion = () -> {};
      assertThat(copies).hasSizeGreaterThan(follower.deletions.size());
    }
    for (Path copy : List.copyOf(copies)) {
      assertBetween(copy, before, position);
    }
  }

  private void copy() {
    // With the name of the directory, which index files are of.
    Path copy = given.resolve("copy-" + copies.size()).resolve(path().getFileName());
    Directories.copy(path(), copy);
    copies.add(copy);
  }

  private static void assertBetween(
      Path copy, Map<IsolationLevel, List<Long>> before, long position) throws IOException {
    try (Follower follower = Follower.open(copy, 0, "segment.bytes", 1024)) {
      for (int round = 0; round < 2; round++) {
        assertThat(follower.warnings).as("%s seed %d", copy, SEED).isEmpty();
        assertThat(follower.position()).as("%s seed %d", copy, SEED).isEqualTo(position);
        for (IsolationLevel isolation : IsolationLevel.values()) {
          assertThat(follower.offsets(isolation))
              .as("%s %s seed %d", copy, isolation, SEED)
              .containsAll(filtered(before.get(isolation), THIRDS))
              .isSubsetOf(before.get(isolation));
        }
        assertThat(names(copy)).noneMatch(name -> name.matches(".*(cleaned|swap|deleted)"));
        follower.reopen();
      }
      keep(follower, THIRDS);
      for (IsolationLevel isolation : IsolationLevel.values()) {
        assertThat(follower.reopen().offsets(isolation))
            .isEqualTo(filtered(before.get(isolation), THIRDS));
      }
    }
  }

  static boolean has(Path directory, String suffix) {
    try {
      return names(directory).stream().anyMatch(name -> name.endsWith(suffix));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  static List<String> names(Path directory) throws IOException {
    try (var files = Files.list(directory)) {
      return files.map(Path::toString).toList();
    }
  }
}
