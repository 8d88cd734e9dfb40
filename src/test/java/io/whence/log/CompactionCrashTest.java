package io.whence.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.testkit.Directories;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Opens the directory as it was at each step of a compaction. */
class CompactionCrashTest {
  private static final long SEED = Long.getLong("whence.oracle.seed", System.nanoTime());

  @TempDir private Path given;

  private final Random random = new Random(SEED);
  private final List<Path> copies = new ArrayList<>();

  @Test
  void crashAtEveryStep_leavesOldOrNewContents() {
    System.out.println("CompactionCrashTest seed=" + SEED);
    Path path = given.resolve("log");
    try (CompactedLog log = new CompactedLog(path, random, "segment.bytes", 1024)) {
      log.appendRandom(90);
      Map<Long, String> old = new TreeMap<>(log.contents);
      copyAtEveryStep(log.owned);

      log.compact(offset -> offset % 3 == 0);
      copy(path);

      assertThat(copies).hasSizeGreaterThan(log.owned.deletions.size());
      for (Path copy : copies) {
        assertBetween(copy, log.contents, old);
      }
    }
  }

  private void copyAtEveryStep(OwnedLog owned) {
    owned.disk.beforeForce = () -> copy(owned.directory);
    owned.afterDeletion = () -> copy(owned.directory);
  }

  private void copy(Path directory) {
    Path copy = given.resolve("copy-" + copies.size());
    Directories.copy(directory, copy);
    copies.add(copy);
  }

  @Test
  void crashBehindTheCommit_leavesTheNewContentsWhateverIsLeftOfTheOld() throws IOException {
    System.out.println("CompactionCrashTest seed=" + SEED);
    Path path = given.resolve("log");
    List<Path> old;
    Map<Long, String> contents;
    try (CompactedLog log =
        new CompactedLog(path, random, "segment.bytes", 1024, "index.interval.bytes", 0)) {
      log.appendRandom(40);
      long active = log.owned.baseOffsets().get(log.owned.baseOffsets().size() - 1);
      copyAtEveryStep(log.owned);
      log.compact(offset -> offset % 80 == 0);
      assertThat(log.owned.baseOffsets()).containsExactly(0L, active);
      contents = Map.copyOf(log.contents);
    }
    Path committed = copies.get(0); // At the force of the file, all of which is written.
    Files.move(file(committed, 0, ".log.cleaned"), file(committed, 0, ".log.swap"));
    old = replaced(committed);
    // The segments go from the first on; their indexes may go or stay.
    for (int gone = 0; gone <= old.size(); gone++) {
      for (int round = 0; round < 2; round++) {
        Path crashed = given.resolve("crashed-" + gone + "-" + round);
        Directories.copy(committed, crashed);
        for (int i = 0; i < gone; i++) {
          Path log = crashed.resolve(old.get(i).getFileName());
          Files.move(log, log.resolveSibling(log.getFileName() + ".deleted"));
        }
        deleteSomeIndexes(crashed);
        assertBetween(crashed, contents, contents);
      }
    }
  }

  @Test
  void damagedResultOfACrash_isNotUsedWhileTheOldIsThere() throws IOException {
    Path path = given.resolve("log");
    try (CompactedLog log = new CompactedLog(path, random, "segment.bytes", 1024)) {
      log.appendRandom(60);
      copyAtEveryStep(log.owned);
      Map<Long, String> old = new TreeMap<>(log.contents);
      log.compact(offset -> offset % 2 == 0);

      Path copy = copies.get(0);
      byte[] bytes = Files.readAllBytes(file(copy, 0, ".log.cleaned"));
      bytes[bytes.length / 2] ^= 1;
      Files.write(file(copy, 0, ".log.swap"), bytes);
      assertBetween(copy, old, old);
    }
  }

  private void assertBetween(Path directory, Map<Long, String> kept, Map<Long, String> old) {
    Object[] settings = {"segment.bytes", 1024, "index.interval.bytes", 0};
    try (OwnedLog owned = OwnedLog.open(directory, settings)) {
      for (int open = 0; open < 2; open++) {
        assertThat(owned.snapshot().damages()).as("%s", directory).isEmpty();
        Map<Long, String> read = CompactedLog.read(owned.snapshot());
        assertThat(read).as("%s seed %s", directory, SEED).containsAllEntriesOf(kept);
        assertThat(old).as("%s seed %s", directory, SEED).containsAllEntriesOf(read);
        assertThat(leftovers(directory)).isEmpty();
        owned.reopen();
      }
      owned.log().compact((batch, record) -> kept.containsKey(record.offset()));
      long active = owned.baseOffsets().get(owned.baseOffsets().size() - 1);
      owned.reopen();
      Map<Long, String> compacted = new TreeMap<>(old);
      compacted.keySet().removeIf(offset -> offset < active && !kept.containsKey(offset));
      assertThat(CompactedLog.read(owned.snapshot())).isEqualTo(compacted);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void deleteSomeIndexes(Path directory) throws IOException {
    for (Path file : list(directory, ".*index")) {
      if (random.nextBoolean()) {
        Files.delete(file);
      }
    }
  }

  /** Returns all segments but the active one, by base offset. */
  private static List<Path> replaced(Path directory) {
    List<Path> logs = list(directory, ".*[0-9].log");
    return logs.subList(0, logs.size() - 1);
  }

  private static List<Path> leftovers(Path directory) {
    return list(directory, ".*(cleaned|swap|deleted)");
  }

  private static List<Path> list(Path directory, String pattern) {
    try (var files = Files.list(directory)) {
      return files.filter(file -> file.toString().matches(pattern)).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path file(Path directory, long baseOffset, String suffix) {
    return SegmentNames.path(directory, baseOffset, suffix);
  }
}
