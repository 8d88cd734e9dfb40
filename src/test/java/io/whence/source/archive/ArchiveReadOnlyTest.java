package io.whence.source.archive;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.testkit.Fixtures;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nothing in an archive changes, whatever state it is in. */
class ArchiveReadOnlyTest {
  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"kill9-corrupt", "index-damage", "delete-records", "transactions"})
  void openedAndAsked_archiveIsUnchanged(String fixture) throws IOException {
    Path archive = Fixtures.unpack(fixture, directory.resolve("archive"));
    Map<String, String> before = contents(archive);
    ArchiveOptions options =
        ArchiveOptions.of(List.of(archive)).withCache(directory.resolve("cache"));

    setPermissions(archive, "r-xr-xr-x", "r--r--r--");
    try {
      Archives.assertAnswersOf(fixture, Archives.load(options), new Random(1));
      Archives.load(options.withSalvage(true));
      assertThat(contents(archive)).isEqualTo(before);
    } finally {
      setPermissions(archive, "rwxr-xr-x", "rw-r--r--");
    }
  }

  @Test
  void cacheUnchangedArchive_isNotWrittenAgain() throws IOException {
    Path archive = Fixtures.unpack("ordered-plain", directory.resolve("archive"));
    Path cache = directory.resolve("cache");
    ArchiveOptions options = ArchiveOptions.of(List.of(archive)).withCache(cache);
    Archives.load(options);
    Map<String, String> before = contents(cache);

    Archives.load(options);

    assertThat(contents(cache)).isEqualTo(before).hasSizeGreaterThan(16);
  }

  @Test
  void cacheThatCannotBeWritten_isAWarning() throws IOException {
    Path archive = Fixtures.unpack("disordered", directory.resolve("archive"));
    Path file = Files.writeString(directory.resolve("file"), "not a directory");

    ArchiveSource source =
        Archives.load(ArchiveOptions.of(List.of(archive)).withCache(file.resolve("cache")));

    assertThat(source.warnings())
        .hasSize(4)
        .allSatisfy(warning -> assertThat(warning).contains("could not be written"));
    Archives.assertAnswersOf("disordered", source, new Random(1));
  }

  /** Returns length, modification time and checksum of every file and directory by name. */
  private static Map<String, String> contents(Path root) throws IOException {
    Map<String, String> contents = new TreeMap<>();
    try (Stream<Path> paths = Files.walk(root)) {
      paths.forEach(path -> contents.put(root.relativize(path).toString(), describe(path)));
    }
    return contents;
  }

  private static String describe(Path path) {
    try {
      CRC32C crc = new CRC32C();
      long length = 0;
      if (Files.isRegularFile(path)) {
        byte[] bytes = Files.readAllBytes(path);
        crc.update(bytes);
        length = bytes.length;
      }
      String checksum = HexFormat.of().toHexDigits(crc.getValue());
      return length + " " + checksum + " " + Files.getLastModifiedTime(path).toInstant();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void setPermissions(Path root, String directories, String files)
      throws IOException {
    try (Stream<Path> paths = Files.walk(root)) {
      for (Path path : paths.toList()) {
        String permissions = Files.isDirectory(path) ? directories : files;
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
      }
    }
  }
}
