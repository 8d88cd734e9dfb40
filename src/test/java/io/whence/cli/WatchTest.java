package io.whence.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class WatchTest {
  @Command
  private static final class Printer {
    @Mixin private final OutputOptions output = new OutputOptions();
  }

  private final List<Duration> pauses = new ArrayList<>();
  private final Printer printer = new Printer();
  private int rounds;

  WatchTest() {
    assertThat(new CommandLine(printer)).isNotNull();
  }

  @AfterEach
  void clearInterrupt() {
    Thread.interrupted();
  }

  @Test
  void threeRounds_waitTwiceInBetween() {
    Watch watch = new Watch(Duration.ofSeconds(5), 3, pauses::add);

    int exitCode = watch.run(printer.output, () -> () -> ++rounds);

    assertThat(exitCode).isEqualTo(3);
    assertThat(pauses).containsExactly(Duration.ofSeconds(5), Duration.ofSeconds(5));
  }

  @Test
  void interruptedWhileWaiting_endsAndStaysInterrupted() {
    Watch watch =
        new Watch(
            Duration.ofSeconds(5),
            Long.MAX_VALUE,
            interval -> {
              if (rounds == 2) {
                throw new InterruptedException();
              }
            });

    watch.run(printer.output, () -> () -> ++rounds);

    assertThat(rounds).isEqualTo(2);
    assertThat(Thread.currentThread().isInterrupted()).isTrue();
  }
}
