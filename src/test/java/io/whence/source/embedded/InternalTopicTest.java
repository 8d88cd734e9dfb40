package io.whence.source.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.whence.log.AppendBatch;
import io.whence.model.ErrorReason;
import io.whence.model.OffsetRange;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.record.CompressionCodec;
import io.whence.record.SourceRecord;
import io.whence.source.InternalTopic;
import io.whence.source.TopicInfo;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InternalTopicTest {
  private static final String NAME = "__consumer_offsets";
  private static final AppendBatch BATCH =
      new AppendBatch(
          List.of(new SourceRecord(7, new byte[] {1}, new byte[] {2}, List.of())),
          CompressionCodec.NONE);

  private final DataDir dir = new DataDir();
  @TempDir private Path given;

  @AfterEach
  void stop() {
    dir.close();
  }

  @Test
  void topic_createdAndWritten_isThereAfterReopen() throws IOException {
    try (EmbeddedSource source = dir.open(given)) {
      assertThat(source.internalTopic(NAME)).isEmpty();
      InternalTopic topic = source.createInternalTopic(NAME, 3, Map.of("retention.ms", "-1"));
      assertThat(topic.partitionCount()).isEqualTo(3);
      assertThat(topic.append(2, BATCH, 0).toCompletableFuture().join())
          .isEqualTo(new OffsetRange(0, 1));
      assertConflict(topic);
    }
    try (EmbeddedSource source = dir.open(given)) {
      InternalTopic topic = source.internalTopic(NAME).orElseThrow();
      assertThat(topic.snapshot(2).highWatermark()).isEqualTo(1);
      assertThat(topic.snapshot(1).highWatermark()).isZero();
      assertConflict(topic);
    }
  }

  private static void assertConflict(InternalTopic topic) {
    assertThatThrownBy(() -> topic.append(2, BATCH, 2).toCompletableFuture().join())
        .isInstanceOfSatisfying(
            CompletionException.class,
            failure ->
                assertThat(((WhenceException) failure.getCause()).reason())
                    .isEqualTo(ErrorReason.CONFLICT));
  }

  @Test
  void create_again_isTheSameTopic() throws IOException {
    try (EmbeddedSource source = dir.open(given)) {
      source.createInternalTopic(NAME, 2, Map.of("segment.bytes", "2048"));
      TopicInfo made = source.topic(NAME);

      InternalTopic again = source.createInternalTopic(NAME, 50, Map.of());

      assertThat(again.partitionCount()).isEqualTo(2);
      assertThat(source.topic(NAME)).isEqualTo(made);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {NAME, "__transaction_state"})
  void client_writesIt_isRefusedAndToldWhatToUse(String name) throws IOException {
    TopicPartition partition = new TopicPartition(name, 0);
    try (EmbeddedSource source = dir.open(given)) {
      assertRefused(name, () -> source.createTopic(name, 1, Map.of()));
      assertThat(source.topics()).isEmpty();
      source.createInternalTopic(name, 1, Map.of()).append(0, BATCH, 0);

      assertRefused(name, () -> source.createTopic(name, 1, Map.of()));
      assertRefused(name, () -> source.deleteTopic(name, Optional.empty()));
      assertRefused(name, () -> source.append(partition, BATCH));
      assertRefused(name, () -> source.trim(partition, 1));

      assertThat(source.topic(name).partitionCount()).isEqualTo(1);
      assertThat(source.snapshot(partition).highWatermark()).isEqualTo(1);
      assertThat(source.snapshot(partition).logStartOffset()).isZero();
    }
  }

  private static void assertRefused(String name, ThrowingCallable call) {
    WhenceException failure = catchThrowableOfType(WhenceException.class, call);
    assertThat(failure.reason()).isEqualTo(ErrorReason.INTERNAL_TOPIC);
    assertThat(failure.metadata()).containsEntry("topic", name);
    assertThat(failure.getMessage())
        .startsWith("topic: '" + name + "' is written by the server alone; ");
    if (name.equals(NAME)) {
      assertThat(failure.getMessage()).contains("CommitOffset");
    }
  }

  @Test
  void otherName_isNoInternalTopic() throws IOException {
    try (EmbeddedSource source = dir.open(given)) {
      assertThatThrownBy(() -> source.internalTopic("t")).hasMessageContaining("'t'");
      assertThatThrownBy(() -> source.createInternalTopic("t", 1, Map.of()))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(source.topics()).isEmpty();
    }
  }

  @Test
  void create_fiftyPartitions_isQuick() throws IOException {
    try (EmbeddedSource source = dir.open(given)) {
      long start = System.nanoTime();
      source.createInternalTopic(NAME, 50, Map.of());
      Duration took = Duration.ofNanos(System.nanoTime() - start);

      System.out.println("50 partitions made in " + took.toMillis() + " ms");
      assertThat(took).isLessThan(Duration.ofSeconds(20));
    }
  }
}
