package io.whence.resolve;

import static io.whence.model.IsolationLevel.READ_UNCOMMITTED;
import static org.assertj.core.api.Assertions.assertThat;

import io.whence.log.LogSnapshot;
import io.whence.log.TestLogs;
import io.whence.model.Cancellation;
import io.whence.model.IsolationLevel;
import io.whence.model.OffsetResolution;
import io.whence.model.Outcome;
import io.whence.model.Position;
import io.whence.model.Resolution;
import io.whence.model.TimeWindow;
import io.whence.model.WindowResolution;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** Logs that a test writes, opened, and asked. */
abstract class WrittenLogFixture {
  final LogResolver resolver = new LogResolver();
  private final List<TestLogs.Loaded> open = new ArrayList<>();

  @TempDir Path directory;

  @AfterEach
  void closeFiles() {
    open.forEach(TestLogs.Loaded::close);
    open.clear();
  }

  WrittenLog empty() {
    return new WrittenLog(directory);
  }

  WrittenLog log(String notation) {
    return empty().write(notation);
  }

  LogSnapshot load(WrittenLog written) {
    TestLogs.Loaded loaded = written.load();
    open.add(loaded);
    return loaded.log();
  }

  List<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.sorted().toList();
    }
  }

  void deleteFiles() throws IOException {
    for (Path file : files()) {
      Files.delete(file);
    }
  }

  Resolution resolve(LogSnapshot log, Position position) {
    return resolve(log, position, READ_UNCOMMITTED);
  }

  Resolution resolve(LogSnapshot log, Position position, IsolationLevel isolation) {
    return resolver.resolve(log, position, isolation, Cancellation.NONE);
  }

  WindowResolution resolve(LogSnapshot log, TimeWindow window) {
    return resolver.resolveWindow(log, window, READ_UNCOMMITTED, Cancellation.NONE);
  }

  OffsetResolution resolve(LogSnapshot log, long offset, IsolationLevel isolation) {
    return resolver.resolveOffset(log, offset, isolation, Cancellation.NONE);
  }

  static void assertFound(Resolution answer, long offset, long timestampMs) {
    assertThat(answer.outcome()).isEqualTo(Outcome.FOUND);
    assertThat(answer.offset()).isEqualTo(offset);
    assertThat(Objects.requireNonNull(answer.record()).timestampMs()).isEqualTo(timestampMs);
  }

  static void assertNothing(Resolution answer, Outcome outcome, long endOffset) {
    assertThat(answer.outcome()).isEqualTo(outcome);
    assertThat(answer.record()).isNull();
    assertThat(answer.bounds().endOffset()).isEqualTo(endOffset);
  }
}
