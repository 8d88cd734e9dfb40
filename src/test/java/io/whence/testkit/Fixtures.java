package io.whence.testkit;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.whence.model.TimestampType;
import io.whence.testkit.OracleRecord.Kind;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.zip.GZIPInputStream;

/**
 * The log directories in {@code src/test/resources/fixtures}, written by a real broker. Thread
 * safety: thread-safe.
 */
public final class Fixtures {
  private static final Path ROOT = Build.directory().resolve("src/test/resources/fixtures");
  private static final ObjectMapper JSON = new ObjectMapper();

  private Fixtures() {}

  /** Returns the names of all fixtures, sorted. */
  public static List<String> names() {
    try (var entries = Files.list(ROOT)) {
      return entries
          .filter(Files::isDirectory)
          .map(dir -> dir.getFileName().toString())
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads what is known about a fixture. */
  public static Fixture load(String name) {
    try {
      return FixtureParser.fixture(
          JSON.readTree(Files.readAllBytes(ROOT.resolve(name).resolve("expected.json"))));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Unpacks the log directory of a fixture, with sparse files and modification times as they were.
   *
   * @param into an empty or absent directory
   * @return {@code into}
   */
  public static Path unpack(String name, Path into) {
    return Archive.unpack(ROOT.resolve(name).resolve("data.tar.gz"), into);
  }

  /** Reads all records of a partition by offset, also those below the log start offset. */
  public static List<OracleRecord> records(String name, String dir) {
    Path file = ROOT.resolve(name).resolve("records").resolve(dir + ".csv.gz");
    try (var reader =
        new BufferedReader(
            new InputStreamReader(
                new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8))) {
      return reader.lines().skip(1).map(Fixtures::record).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Makes the oracle of a partition. */
  public static BruteForce oracle(String name, Fixture.Partition partition) {
    return new BruteForce(
        records(name, partition.dir()),
        partition.logStartOffset(),
        partition.highWatermark(),
        partition.lastStableOffset());
  }

  private static OracleRecord record(String line) {
    String[] fields = line.split(",", -1);
    return new OracleRecord(
        Long.parseLong(fields[0]),
        Long.parseLong(fields[1]),
        fields[2].equals("LogAppendTime")
            ? TimestampType.LOG_APPEND_TIME
            : TimestampType.CREATE_TIME,
        Integer.parseInt(fields[3]),
        Kind.valueOf(fields[4].toUpperCase(Locale.ROOT)));
  }
}
