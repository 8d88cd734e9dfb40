package io.whence.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReadAllTest {
  @TempDir private Path directory;

  @Test
  void readAll_overSegments_visitsFromTheOffsetOn() {
    try (OwnedLog owned = OwnedLog.open(directory, "segment.bytes", 1024)) {
      assertThat(visit(owned, 0, 100)).isEmpty();
      for (int i = 0; i < 40; i++) {
        owned.append(i, i);
      }
      assertThat(owned.baseOffsets()).hasSizeGreaterThan(2);

      assertThat(visit(owned, 0, 100)).isEqualTo(LongStream.range(0, 80).boxed().toList());
      assertThat(visit(owned, 33, 100)).isEqualTo(LongStream.range(33, 80).boxed().toList());
      assertThat(visit(owned, 80, 100)).isEmpty();
      assertThat(visit(owned, Long.MAX_VALUE, 100)).isEmpty();
      owned.trim(45);
      assertThat(visit(owned, 0, 100)).isEqualTo(LongStream.range(45, 80).boxed().toList());
    }
  }

  @Test
  void readAll_visitorHasEnough_ends() {
    try (OwnedLog owned = OwnedLog.open(directory, "segment.bytes", 1024)) {
      for (int i = 0; i < 40; i++) {
        owned.append(i, i);
      }
      assertThat(visit(owned, 5, 7)).isEqualTo(LongStream.range(5, 12).boxed().toList());
    }
  }

  @Test
  void readAll_overDamage_visitsNothing() throws IOException {
    OwnedLog owned = OwnedLog.open(directory);
    for (int i = 0; i < 10; i++) {
      owned.append(i, i);
    }
    owned.close();
    Files.delete(owned.file(0, ".blockindex"));
    byte[] log = Files.readAllBytes(owned.file(0, ".log"));
    log[log.length / 2] ^= 1;
    Files.write(owned.file(0, ".log"), log);
    owned.recoveryPoint = 20;
    try (OwnedLog damaged = owned.load()) {
      List<Long> visited = new ArrayList<>();

      WhenceException failure =
          catchThrowableOfType(
              WhenceException.class,
              () ->
                  damaged
                      .snapshot()
                      .readAll(
                          0, (batch, record) -> visited.add(record.offset()), Cancellation.NONE));

      assertThat(failure.reason()).isEqualTo(ErrorReason.DAMAGED_LOG);
      assertThat(visited).isEmpty();
      assertThat(visit(damaged, 18, 100)).containsExactly(18L, 19L);
    }
  }

  private static List<Long> visit(OwnedLog owned, long fromOffset, int count) {
    List<Long> visited = new ArrayList<>();
    owned
        .snapshot()
        .readAll(
            fromOffset,
            (batch, record) -> {
              visited.add(record.offset());
              return visited.size() < count;
            },
            Cancellation.NONE);
    return visited;
  }
}
