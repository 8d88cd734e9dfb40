package io.whence.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.model.ErrorReason;
import io.whence.model.TopicId;
import io.whence.model.WhenceException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The byte formats of the offsets topic; the bytes marked as Kafka's were written by a broker. */
class OffsetRecordsTest {
  private static final HexFormat HEX = HexFormat.of();
  private static final String KAFKA_KEY = "0001000267310002743100000000";
  private static final String KAFKA_VALUE =
      "0004000000003b9aca000000004d026d000001a22890a4a9010010";

  @ParameterizedTest
  @CsvSource({
    "my-group, 12",
    "test, 48",
    "a, 47",
    "group1, 40",
    "console-consumer-12345, 6",
    "'', 0",
    "polygenelubricants, 0"
  })
  void group_hasThePartitionThatKafkaGivesIt(String group, int partition) {
    assertThat(OffsetsTopic.partitionFor(group, 50)).isEqualTo(partition);
  }

  @Test
  void keyOfAnOffset_hasKafkasBytes() {
    byte[] key = OffsetsKey.offset(utf8("g1"), utf8("t1"), 0);
    assertThat(HEX.formatHex(key)).isEqualTo(KAFKA_KEY);
    assertThat(OffsetsKey.parse(key)).isEqualTo(new OffsetsKey.Offset("g1", "t1", 0));
  }

  @Test
  void valueOfAnOffset_hasKafkasBytes() {
    TopicId id = new TopicId(new UUID(0x0102030405060708L, 0x090a0b0c0d0e0f10L));
    OffsetValue value = new OffsetValue(1_000_000_000, 77, "m", 0x1a22890a4a9L, -1, id);
    String expected = KAFKA_VALUE + "0102030405060708090a0b0c0d0e0f10";
    assertThat(HEX.formatHex(value.toBytes())).isEqualTo(expected);
    assertThat(OffsetValue.parse(HEX.parseHex(expected))).isEqualTo(value);
  }

  @Test
  void olderValues_areRead() {
    assertThat(value("0000 0000000000000005 0001 78 0000000000000009"))
        .isEqualTo(new OffsetValue(5, -1, "x", 9, -1, null));
    assertThat(value("0001 0000000000000005 0000 0000000000000009 000000000000000b"))
        .isEqualTo(new OffsetValue(5, -1, "", 9, 11, null));
    assertThat(value("0002 0000000000000005 0000 0000000000000009"))
        .isEqualTo(new OffsetValue(5, -1, "", 9, -1, null));
    assertThat(value("0003 0000000000000005 00000003 0000 0000000000000009"))
        .isEqualTo(new OffsetValue(5, 3, "", 9, -1, null));
    assertThat(value("0004 0000000000000005 ffffffff 01 0000000000000009 01 07 02 abcd"))
        .as("a field that isn't known is passed over")
        .isEqualTo(new OffsetValue(5, -1, "", 9, -1, null));
  }

  private static OffsetValue value(String hex) {
    return OffsetValue.parse(HEX.parseHex(hex.replace(" ", "")));
  }

  @Test
  void otherKeys_areToldApart() {
    assertThat(key("0000 0001 67 0001 74 00000002")).isEqualTo(new OffsetsKey.Offset("g", "t", 2));
    assertThat(key("0002 0001 67")).isEqualTo(new OffsetsKey.ClassicGroup("g"));
    assertThat(key("0003 0001 67")).isEqualTo(new OffsetsKey.ConsumerGroup("g"));
    assertThat(key("0005 0001 67 0001 6d")).isEqualTo(new OffsetsKey.ConsumerMember("g", "m"));
    assertThat(key("0063 ff")).isEqualTo(new OffsetsKey.Other((short) 99));
    assertThat(OffsetsKey.parse(OffsetsKey.request(utf8("g"), "r")))
        .isEqualTo(new OffsetsKey.Request("g", "r"));
  }

  private static OffsetsKey key(String hex) {
    return OffsetsKey.parse(HEX.parseHex(hex.replace(" ", "")));
  }

  @Test
  void everyValue_survivesItsBytes() {
    long seed = Long.getLong("whence.seed", System.nanoTime());
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    for (int i = 0; i < 10_000; i++) {
      TopicId id = random.nextBoolean() ? null : new TopicId(UUID.randomUUID());
      OffsetValue value =
          new OffsetValue(
              random.nextLong() >>> 1, random.nextInt(), text(random), random.nextLong(), -1, id);
      assertThat(OffsetValue.parse(value.toBytes())).isEqualTo(value);
      ChangeNote note =
          new ChangeNote(
              ChangeCause.values()[random.nextInt(3)],
              random.nextBoolean(),
              random.nextLong(),
              random.nextLong(),
              random.nextLong(),
              text(random),
              text(random));
      assertThat(ChangeNote.find(List.of(note.toHeader()))).contains(note);
    }
  }

  private static String text(Random random) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(random.nextInt(10) == 0 ? 5_000 : 20); i > 0; i--) {
      text.appendCodePoint("aé✓𝄞".codePointAt("aé✓𝄞".offsetByCodePoints(0, random.nextInt(4))));
    }
    return text.toString();
  }

  @Test
  void answerOfARequest_survivesItsBytes() {
    List<CommitResult> results = new ArrayList<>();
    results.add(new CommitResult(CommitOutcome.COMMITTED, -1, 7, null));
    results.add(
        new CommitResult(
            CommitOutcome.FAILED,
            9,
            9,
            WhenceException.of(ErrorReason.REGRESSION, "back", "topic", "t", "offset", 3)));
    results.add(new CommitResult(CommitOutcome.NOT_APPLIED, 5, 5, null));
    AnsweredRequest read = AnsweredRequest.parse(new AnsweredRequest(-42, results).toBytes());
    assertThat(read.fingerprint()).isEqualTo(-42);
    assertThat(read.results().get(0)).isEqualTo(results.get(0));
    assertThat(read.results().get(2)).isEqualTo(results.get(2));
    WhenceException failure = read.results().get(1).failure().orElseThrow();
    assertThat(failure.reason()).isEqualTo(ErrorReason.REGRESSION);
    assertThat(failure).hasMessage("back");
    assertThat(failure.metadata()).containsEntry("topic", "t").containsEntry("offset", "3");
  }

  @Test
  void bytesThatAreNoRecord_areNamedWithTheirPlace() {
    byte[] value = new OffsetValue(1, 2, "abc", 3, -1, null).toBytes();
    for (int length = 0; length < value.length; length++) {
      byte[] cut = java.util.Arrays.copyOf(value, length);
      assertThatThrownBy(() -> OffsetValue.parse(cut))
          .as("cut to %s", length)
          .isInstanceOf(MalformedRecordException.class)
          .hasMessageContaining("at byte");
    }
    assertThatThrownBy(() -> value("0009"))
        .hasMessage("offset value at byte 2: expected version 0 to 4, found 9");
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
