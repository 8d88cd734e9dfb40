package io.whence.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Archives packed and unpacked by the {@code tar} command, which alone keeps sparse files sparse
 * and modification times as they were. Thread safety: thread-safe.
 */
public final class Archive {
  private static final Duration TIME_LIMIT = Duration.ofMinutes(2);

  private Archive() {}

  /** Unpacks a {@code .tar.gz} into a directory, which is made if absent, and returns it. */
  public static Path unpack(Path archive, Path into) {
    try {
      Files.createDirectories(into);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Command.run(
        List.of("tar", "-xzSf", archive.toString(), "-C", into.toString()), into, TIME_LIMIT);
    return into;
  }

  /**
   * Packs entries of a directory, sorted and owned by nobody in particular.
   *
   * @param entries names in the directory
   */
  public static void pack(Path directory, List<String> entries, Path archive) {
    List<String> command =
        new ArrayList<>(
            List.of("tar", "--sort=name", "--owner=0", "--group=0", "--numeric-owner", "-cSf"));
    command.addAll(List.of(archive.toString(), "-I", "gzip -9n", "-C", directory.toString()));
    command.addAll(entries);
    Command.run(command, directory, TIME_LIMIT);
  }
}
