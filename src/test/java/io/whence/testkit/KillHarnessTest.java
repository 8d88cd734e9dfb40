package io.whence.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KillHarnessTest {

  @Test
  void child_killedAtRandomTimes_hasDoneWhatItPrinted(@TempDir Path directory) throws IOException {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    Path file = directory.resolve("written");
    KillHarness harness = harness(Writer.class, directory, file.toString());

    for (int round = 0; round < 3; round++) {
      Files.deleteIfExists(file);
      KillHarness.Round killed =
          harness.killAfterFirstLine(Duration.ofNanos(random.nextLong(100_000_000)));

      assertThat(killed.killed()).isTrue();
      assertThat(killed.lines()).isNotEmpty();
      assertThat(Files.readAllLines(file)).startsWith(killed.lines().toArray(String[]::new));
    }
  }

  @Test
  void child_endsByItself_isNotKilled(@TempDir Path directory) {
    KillHarness.Round round =
        harness(Sayer.class, directory, "one", "two").killAfterLines(3, Duration.ofSeconds(60));

    assertThat(round.killed()).isFalse();
    assertThat(round.lines()).containsExactly("one", "two");
  }

  @Test
  void child_fails_isReportedWithItsError(@TempDir Path directory) {
    KillHarness harness = harness(Sayer.class, directory);

    assertThatThrownBy(() -> harness.killAfterFirstLine(Duration.ZERO))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("nothing to say");
  }

  private static KillHarness harness(Class<?> main, Path directory, String... args) {
    return new KillHarness(main, List.of(args), directory.resolve("err"));
  }

  /** Writes numbers to a file for ever and prints each one that is in it. */
  static final class Writer {
    public static void main(String[] args) throws IOException {
      for (long number = 0; ; number++) {
        String line = number + "\n";
        Files.write(
            Path.of(args[0]),
            line.getBytes(StandardCharsets.UTF_8),
            StandardOpenOption.CREATE,
            StandardOpenOption.APPEND);
        System.out.print(line);
      }
    }
  }

  /** Prints its arguments, and a last line that is not whole. */
  static final class Sayer {
    public static void main(String[] args) {
      if (args.length == 0) {
        throw new IllegalStateException("nothing to say");
      }
      for (String arg : args) {
        System.out.println(arg);
      }
      System.out.print("half");
    }
  }
}
