package io.whence.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import io.whence.model.ErrorReason;
import io.whence.model.LogBounds;
import io.whence.model.Origin;
import io.whence.model.Outcome;
import io.whence.model.Position;
import io.whence.model.RecordStamp;
import io.whence.model.Resolution;
import io.whence.model.TimestampType;
import io.whence.model.WhenceException;
import io.whence.resolve.PositionAnswer;
import io.whence.v1.PartitionError;
import io.whence.v1.PositionKind;
import io.whence.v1.ResolveTimestampResponse;
import io.whence.v1.StreamResolveTimestampResponse;
import io.whence.v1.TimestampQueryResult;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimestampEncoderTest {
  private static final long[] EDGES = {
    0,
    1,
    -1,
    127,
    128,
    16_383,
    16_384,
    Integer.MAX_VALUE,
    Integer.MIN_VALUE,
    Long.MAX_VALUE,
    Long.MIN_VALUE
  };
  private static final List<String> TEXTS =
      List.of("", "t", "orders", "größe", "订单", "\uD83D\uDE00", "x".repeat(127), "y".repeat(5000));

  private final TimestampEncoder encoder = new TimestampEncoder();
  private long stalenessMs;
  private final PositionAnswer answer = new PositionAnswer();

  @Test
  void anyAnswers_bytesOfTheGeneratedClasses() throws IOException {
    long seed = System.nanoTime();
    System.out.println("TimestampEncoderTest seed " + seed);
    Random random = new Random(seed);
    for (int i = 0; i < 3_000; i++) {
      ResolveTimestampResponse expected = encodeAny(random);
      assertThat(bytes(encoder.response()))
          .as("response %d of seed %d", i, seed)
          .isEqualTo(expected.toByteArray());
      long tag = number(random);
      assertThat(bytes(encoder.streamResponse(tag)))
          .as("stream response %d of seed %d", i, seed)
          .isEqualTo(
              StreamResolveTimestampResponse.newBuilder()
                  .setTag(tag)
                  .setResponse(expected)
                  .build()
                  .toByteArray());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 100, 101, 5_000, 70_000})
  void lengthsOfAllSizes_bytesOfTheGeneratedClasses(int count) throws IOException {
    Target target =
        new Target(PositionKind.POSITION_KIND_AT_OR_AFTER, new Position.AtOrAfter(5), 5, true);
    Resolution resolution = found(7);
    answer.set(resolution);
    TimestampAnswers oracle = new TimestampAnswers(3, 4);
    TimestampQueryResult.Builder result =
        TimestampQueryResult.newBuilder()
            .setTopic("t")
            .setPositionKind(target.kind())
            .setTargetTimestampMs(5)
            .setPartitionCount(count);
    encoder.begin("s", 3);
    encoder.beginResult(0, "t", target);
    encoder.partitionCount(count);
    for (int i = 0; i < count; i++) {
      encoder.answer(i, target, answer, 4);
      result.addAnswers(oracle.answer(i, target, resolution));
    }
    encoder.endResult();
    assertThat(bytes(encoder.response()))
        .isEqualTo(
            ResolveTimestampResponse.newBuilder()
                .setSource("s")
                .setServerTimeMs(3)
                .addResults(result)
                .build()
                .toByteArray());
  }

  @Test
  void longestAnswer_lengthInOneByte() throws InvalidProtocolBufferException, IOException {
    Target target =
        new Target(
            PositionKind.POSITION_KIND_ALL_AFTER,
            new Position.AllAfter(Long.MAX_VALUE),
            Long.MAX_VALUE,
            true);
    Resolution resolution =
        new Resolution(
            Outcome.FOUND,
            -1,
            new RecordStamp(-1, Long.MAX_VALUE, TimestampType.CREATE_TIME, Integer.MAX_VALUE),
            -1,
            new LogBounds(-1, -1),
            true,
            Origin.LOG_SCAN);
    answer.set(resolution);
    encoder.begin("", 0);
    encoder.beginResult(0, "", target);
    encoder.answer(-1, target, answer, -1);
    encoder.endResult();
    ResolveTimestampResponse response =
        ResolveTimestampResponse.parseFrom(bytes(encoder.response()));
    assertThat(response.getResults(0).getAnswers(0).getSerializedSize()).isLessThan(128);
    assertThat(response.getResults(0).getAnswers(0))
        .isEqualTo(new TimestampAnswers(0, -1).answer(-1, target, resolution));
  }

  private ResolveTimestampResponse encodeAny(Random random) {
    long serverTimeMs = number(random);
    stalenessMs = number(random);
    String source = text(random);
    ResolveTimestampResponse.Builder expected =
        ResolveTimestampResponse.newBuilder().setSource(source).setServerTimeMs(serverTimeMs);
    encoder.begin(source, serverTimeMs);
    int results = random.nextInt(5);
    for (int i = 0; i < results; i++) {
      expected.addResults(encodeResult(random, new TimestampAnswers(serverTimeMs, stalenessMs)));
    }
    return expected.build();
  }

  private TimestampQueryResult encodeResult(Random random, TimestampAnswers oracle) {
    int index = random.nextInt(3) * random.nextInt(1000);
    String topic = text(random);
    Target target = target(random);
    TimestampQueryResult.Builder expected =
        TimestampQueryResult.newBuilder()
            .setQueryIndex(index)
            .setTopic(topic)
            .setPositionKind(target.kind());
    if (target.timed()) {
      expected.setTargetTimestampMs(target.timestampMs());
    }
    encoder.beginResult(index, topic, target);
    if (random.nextBoolean()) {
      int count = random.nextInt(3) * random.nextInt(100_000);
      encoder.partitionCount(count);
      expected.setPartitionCount(count);
    }
    if (random.nextInt(4) == 0) {
      PartitionError error = error(random);
      encoder.failedResult(error);
      expected.setError(error);
    } else {
      int answers = random.nextInt(4) * random.nextInt(40);
      for (int i = 0; i < answers; i++) {
        encodeAnswer(random, target, oracle, expected);
      }
    }
    encoder.endResult();
    return expected.build();
  }

  private void encodeAnswer(
      Random random,
      Target target,
      TimestampAnswers oracle,
      TimestampQueryResult.Builder expected) {
    int partition = (int) number(random);
    if (random.nextInt(10) == 0) {
      PartitionError error = error(random);
      encoder.failedAnswer(partition, error);
      expected.addAnswers(TimestampAnswers.failed(partition, error));
    } else {
      Resolution resolution = resolution(random);
      answer.set(resolution);
      encoder.answer(partition, target, answer, stalenessMs);
      expected.addAnswers(oracle.answer(partition, target, resolution));
    }
  }

  private static Target target(Random random) {
    long ms = number(random);
    return switch (random.nextInt(6)) {
      case 0 ->
          new Target(PositionKind.POSITION_KIND_AT_OR_AFTER, new Position.AtOrAfter(ms), ms, true);
      case 1 ->
          new Target(
              PositionKind.POSITION_KIND_AT_OR_BEFORE, new Position.AtOrBefore(ms), ms, true);
      case 2 ->
          new Target(PositionKind.POSITION_KIND_ALL_AFTER, new Position.AllAfter(ms), ms, true);
      case 3 -> new Target(PositionKind.POSITION_KIND_EARLIEST, new Position.Earliest(), 0, false);
      case 4 -> new Target(PositionKind.POSITION_KIND_LATEST, new Position.Latest(), 0, false);
      default ->
          new Target(
              PositionKind.POSITION_KIND_MAX_TIMESTAMP, new Position.MaxTimestamp(), 0, false);
    };
  }

  private static Resolution resolution(Random random) {
    Outcome[] outcomes = Outcome.values();
    RecordStamp record =
        random.nextInt(4) == 0
            ? null
            : new RecordStamp(
                number(random),
                number(random),
                TimestampType.values()[random.nextInt(TimestampType.values().length)],
                (int) number(random));
    return new Resolution(
        outcomes[random.nextInt(outcomes.length)],
        number(random),
        record,
        number(random),
        new LogBounds(number(random), number(random)),
        random.nextBoolean(),
        random.nextBoolean() ? Origin.MEMORY : Origin.LOG_SCAN);
  }

  private static Resolution found(long offset) {
    return new Resolution(
        Outcome.FOUND,
        offset,
        new RecordStamp(offset, 9, TimestampType.LOG_APPEND_TIME, 0),
        0,
        new LogBounds(0, 300),
        false,
        Origin.MEMORY);
  }

  private static PartitionError error(Random random) {
    return GrpcErrors.partitionError(
        WhenceException.of(
            ErrorReason.values()[random.nextInt(ErrorReason.values().length)],
            "what: " + text(random),
            "topic",
            text(random),
            "partition",
            number(random)));
  }

  private static String text(Random random) {
    return TEXTS.get(random.nextInt(TEXTS.size()));
  }

  private static long number(Random random) {
    return switch (random.nextInt(3)) {
      case 0 -> EDGES[random.nextInt(EDGES.length)];
      case 1 -> random.nextLong();
      default -> random.nextLong() >>> random.nextInt(64);
    };
  }

  private static byte[] bytes(EncodedMessage message) throws IOException {
    ByteArrayOutputStream target = new ByteArrayOutputStream();
    try (InputStream stream = EncodedMessage.marshaller().stream(message)) {
      int announced = stream.available();
      int drained = ((io.grpc.Drainable) stream).drainTo(target);
      assertThat(drained).isEqualTo(announced);
      assertThat(stream.read()).isEqualTo(-1);
    }
    return target.toByteArray();
  }
}
