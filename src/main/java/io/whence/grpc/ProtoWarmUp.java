package io.whence.grpc;

import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import io.whence.v1.AppendRequest;
import io.whence.v1.CommitOffsetRequest;
import io.whence.v1.Position;
import io.whence.v1.ResolveTimestampRequest;
import io.whence.v1.ResolveTimestampResponse;
import io.whence.v1.TimePoint;
import io.whence.v1.TimestampAnswer;
import io.whence.v1.TimestampQuery;
import io.whence.v1.TimestampQueryResult;
import java.util.List;

/**
 * Loads what else the first call of a process would wait for, and with it the event loop that it is
 * on: the descriptors of the protos take seconds on a busy machine. Thread safety: immutable.
 */
public final class ProtoWarmUp {
  private ProtoWarmUp() {}

  /** Loads; returns how many messages there are. */
  public static int run() {
    ResolveTimestampRequest request =
        ResolveTimestampRequest.newBuilder()
            .addQueries(
                TimestampQuery.newBuilder()
                    .setTopic("warm-up")
                    .addPartitions(0)
                    .setPosition(
                        Position.newBuilder().setAtOrAfter(TimePoint.newBuilder().setEpochMs(0))))
            .build();
    ResolveTimestampResponse response =
        ResolveTimestampResponse.newBuilder()
            .addResults(TimestampQueryResult.newBuilder().addAnswers(TimestampAnswer.newBuilder()))
            .build();
    try {
      ResolveTimestampRequest read = ResolveTimestampRequest.parseFrom(request.toByteString());
      List<FileDescriptor> files =
          List.of(
              read.getDescriptorForType().getFile(),
              response.getDescriptorForType().getFile(),
              AppendRequest.getDescriptor().getFile(),
              CommitOffsetRequest.getDescriptor().getFile());
      return files.stream().mapToInt(file -> file.getMessageTypes().size()).sum();
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("what was written can't be read", e);
    }
  }
}
