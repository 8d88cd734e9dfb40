package io.whence.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FatalErrorsTest {
  private static final int LIMIT_SECONDS = 60;

  @ParameterizedTest
  @CsvSource({
    "thread, 3, thread=loop-1",
    "periodic, 3, thread=loop-1",
    "periodic-exception, 0, a task failed: thread=loop-1",
    "call, 0, call-1",
  })
  void errorInTheBackground_endsTheProcess_andNothingElseDoes(
      String mode, int exitCode, String told) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                FailingProcess.class.getName(),
                mode)
            .redirectErrorStream(true)
            .start();
    try {
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).as(output).isTrue();
      assertThat(process.exitValue()).as(output).isEqualTo(exitCode);
      assertThat(output).contains(told);
    } finally {
      process.destroyForcibly();
    }
  }
}
