package io.whence.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.model.WhenceException;
import io.whence.testkit.BatchBuilder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Where a codec's library can't be unpacked, nothing is said of the bytes. */
class CodecLibraryTest {
  @TempDir private Path directory;

  @ParameterizedTest
  @EnumSource(names = {"SNAPPY", "ZSTD"})
  void libraryThatCantBeLoaded_isNoDamage(CompressionCodec codec) throws Exception {
    byte[] batch = BatchBuilder.batch(0).records(100, 200, 300).codec(codec).build();
    Path file = Files.write(directory.resolve("batch"), batch);
    assertThat(read(System.getProperty("java.io.tmpdir"), file))
        .isEqualTo("3 records, 3 records, written");

    Path missing = file.resolve("missing"); // A file is no directory: nobody can make it.
    String failure = read(missing.toString(), file);

    assertThat(failure)
        .as("the second time, too, when it is not tried any more")
        .matches("(?s)UNSUPPORTED .*, UNSUPPORTED .*, UNSUPPORTED .*")
        .contains(codec.name(), "java.io.tmpdir, " + missing, "noexec");
  }

  private String read(String temporary, Path file) throws IOException, InterruptedException {
    Path output = directory.resolve("output");
    Process child =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-Djava.io.tmpdir=" + temporary,
                "-cp",
                System.getProperty("java.class.path"),
                Reading.class.getName(),
                file.toString(),
                output.toString())
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("log").toFile())
            .start();
    try {
      assertThat(child.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(child.exitValue()).as(Files.readString(directory.resolve("log"))).isZero();
    } finally {
      child.destroyForcibly();
    }
    return Files.readString(output);
  }

  /** Reads a batch twice, in a JVM of its own. */
  static final class Reading {
    private Reading() {}

    public static void main(String[] args) throws IOException {
      ByteBuffer batch = ByteBuffer.wrap(Files.readAllBytes(Path.of(args[0])));
      String told = String.join(", ", List.of(read(batch), read(batch), write(batch)));
      Files.writeString(Path.of(args[1]), told);
    }

    private static String write(ByteBuffer batch) {
      try {
        RecordBatchBuilder.compressed(
            new byte[1_000], 1_000, new RecordBatch().wrap(batch, 0).codec());
        return "written";
      } catch (WhenceException e) {
        return e.reason() + " " + e.getMessage();
      }
    }

    private static String read(ByteBuffer batch) {
      RecordCursor cursor = new RecordCursor(1 << 20);
      try {
        cursor.reset(new RecordBatch().wrap(batch, 0));
        int count = 0;
        while (cursor.next()) {
          count++;
        }
        return count + " records";
      } catch (WhenceException e) {
        return e.reason() + " " + e.getMessage();
      } catch (InvalidBatchException e) {
        return "invalid: " + e.getMessage();
      }
    }
  }
}
