package io.whence.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.InvalidProtocolBufferException;
import io.whence.v1.AppendEntry;
import io.whence.v1.AppendRequest;
import io.whence.v1.Position;
import io.whence.v1.RecordData;
import io.whence.v1.ResolveTimestampRequest;
import io.whence.v1.TimePoint;
import io.whence.v1.TimestampQuery;
import java.io.IOException;
import java.util.Collections;
import org.junit.jupiter.api.Test;

class MessageCountTest {
  @Test
  void requestAtTheLimitOfCalls_isTaken() throws IOException {
    TimestampQuery query =
        TimestampQuery.newBuilder()
            .setTopic("orders")
            .addPartitions(1)
            .setPosition(
                Position.newBuilder().setAtOrAfter(TimePoint.newBuilder().setEpochMs(1L << 40)))
            .build();
    assertThat(isTooLarge(Collections.nCopies(20_000, query))).isFalse();
  }

  @Test
  void emptyMessages_areCounted() throws IOException {
    TimestampQuery empty = TimestampQuery.getDefaultInstance();
    assertThat(isTooLarge(Collections.nCopies(MessageCount.LIMIT, empty))).isFalse();
    assertThat(isTooLarge(Collections.nCopies(MessageCount.LIMIT + 1, empty))).isTrue();
  }

  @Test
  void emptyMessagesInMessages_areCounted() throws IOException {
    AppendRequest request =
        AppendRequest.newBuilder()
            .addEntries(
                AppendEntry.newBuilder()
                    .addAllRecords(
                        Collections.nCopies(MessageCount.LIMIT, RecordData.getDefaultInstance())))
            .build();
    assertThat(MessageCount.isTooLarge(AppendRequest.getDescriptor(), request.toByteArray()))
        .isTrue();
  }

  @Test
  void unknownFields_areCounted() throws IOException {
    byte[] bytes = new byte[2 * (MessageCount.LIMIT + 1)];
    for (int i = 0; i < bytes.length; i += 2) {
      bytes[i] = 15 << 3; // A number, 0.
    }
    assertThat(MessageCount.isTooLarge(ResolveTimestampRequest.getDescriptor(), bytes)).isTrue();
  }

  @Test
  void cutOffMessage_isNone() {
    byte[] bytes = {(4 << 3) | 2, 100, 1};
    assertThatThrownBy(
            () -> MessageCount.isTooLarge(ResolveTimestampRequest.getDescriptor(), bytes))
        .isInstanceOf(InvalidProtocolBufferException.class);
  }

  private static boolean isTooLarge(Iterable<TimestampQuery> queries) throws IOException {
    byte[] bytes =
        ResolveTimestampRequest.newBuilder().addAllQueries(queries).build().toByteArray();
    return MessageCount.isTooLarge(ResolveTimestampRequest.getDescriptor(), bytes);
  }
}
