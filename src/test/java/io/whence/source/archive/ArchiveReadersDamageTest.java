package io.whence.source.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.log.FoundDamage;
import io.whence.log.LogEvents;
import io.whence.log.LogSnapshot;
import io.whence.model.Cancellation;
import io.whence.model.IsolationLevel;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.testkit.Fixtures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An archive that is damaged after it was opened. */
class ArchiveReadersDamageTest {
  private static final TopicPartition ORDERS = new TopicPartition("orders_i100000", 0);

  @TempDir private Path directory;

  @Test
  void flippedByte_isToldOfOnce_byWhoeverReadsIt() throws IOException {
    Path archive = Fixtures.unpack("ordered-plain", directory.resolve("archive"));
    List<String> told = new ArrayList<>();
    LogEvents listener =
        new LogEvents() {
          @Override
          public void damaged(Path log, long position, String expected, String found) {
            told.add(log + " at " + position + ": " + expected + ", " + found);
          }
        };
    LogSnapshot log =
        Archives.load(ArchiveOptions.of(List.of(archive)).withEvents(listener)).snapshot(ORDERS);
    assertThat(FoundDamage.count(log)).isZero();
    Path segment = archive.resolve(ORDERS.toString()).resolve("%020d.log".formatted(73));
    byte[] bytes = Files.readAllBytes(segment);
    bytes[bytes.length - 1] ^= 4;
    Files.write(segment, bytes);

    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(
              () ->
                  log.read(
                      73, 1000, Long.MAX_VALUE, IsolationLevel.READ_UNCOMMITTED, Cancellation.NONE))
          .isInstanceOf(WhenceException.class)
          .hasMessageContaining("CRC-32C");
    }

    assertThat(told).singleElement().asString().startsWith(segment + " at ").contains("CRC-32C");
    assertThat(FoundDamage.count(log)).isEqualTo(1);
  }
}
