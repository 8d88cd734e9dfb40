package io.whence.server;

import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.rpc.ErrorInfo;
import grpc.health.v1.HealthGrpc;
import grpc.health.v1.HealthOuterClass.HealthCheckRequest;
import grpc.health.v1.HealthOuterClass.HealthCheckResponse.ServingStatus;
import io.grpc.ChannelCredentials;
import io.grpc.ClientInterceptor;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.MetadataUtils;
import io.whence.v1.AppendEntry;
import io.whence.v1.AppendRequest;
import io.whence.v1.CreateTopicRequest;
import io.whence.v1.GroupOffsetsServiceGrpc;
import io.whence.v1.LogServiceGrpc;
import io.whence.v1.RecordData;
import io.whence.v1.ResolverServiceGrpc;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;

/** A client of the server under test. */
final class Client implements AutoCloseable {
  final ManagedChannel channel;
  final ResolverServiceGrpc.ResolverServiceBlockingStub resolver;
  final LogServiceGrpc.LogServiceBlockingStub log;
  final GroupOffsetsServiceGrpc.GroupOffsetsServiceBlockingStub groups;
  final HealthGrpc.HealthBlockingStub health;

  Client(int port) {
    this(port, InsecureChannelCredentials.create());
  }

  Client(int port, ChannelCredentials credentials) {
    this(NettyChannelBuilder.forAddress("127.0.0.1", port, credentials));
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () ->
                health.check(HealthCheckRequest.getDefaultInstance()).getStatus()
                    == ServingStatus.SERVING);
  }

  private Client(NettyChannelBuilder builder) {
    channel = builder.maxInboundMessageSize(64 << 20).build();
    resolver = ResolverServiceGrpc.newBlockingStub(channel);
    log = LogServiceGrpc.newBlockingStub(channel);
    groups = GroupOffsetsServiceGrpc.newBlockingStub(channel);
    health = HealthGrpc.newBlockingStub(channel);
  }

  /** Makes a client that doesn't wait until the server says that it serves. */
  static Client impatient(int port) {
    return new Client(
        NettyChannelBuilder.forAddress("127.0.0.1", port, InsecureChannelCredentials.create()));
  }

  /** Makes a topic whose partition 0 has one record for each timestamp, from offset 0. */
  void topic(String name, int partitions, long... timestampsMs) {
    log.createTopic(
        CreateTopicRequest.newBuilder().setTopic(name).setPartitionCount(partitions).build());
    if (timestampsMs.length > 0) {
      AppendEntry.Builder entry = AppendEntry.newBuilder().setTopic(name);
      for (long timestampMs : timestampsMs) {
        entry.addRecords(RecordData.newBuilder().setTimestampMs(timestampMs));
      }
      log.append(AppendRequest.newBuilder().addEntries(entry).build());
    }
  }

  /** Gives calls a deadline that the server keeps, and the client doesn't. */
  static ClientInterceptor deadlineOfServer(String timeout) {
    Metadata headers = new Metadata();
    headers.put(Metadata.Key.of("grpc-timeout", Metadata.ASCII_STRING_MARSHALLER), timeout);
    return MetadataUtils.newAttachHeadersInterceptor(headers);
  }

  /** Runs a call that must fail. */
  static StatusRuntimeException failure(Runnable call) {
    return catchThrowableOfType(StatusRuntimeException.class, call::run);
  }

  /** Returns a detail of a failure. */
  static <M extends Message> M detail(StatusRuntimeException failure, Class<M> type) {
    try {
      for (Any any : StatusProto.fromThrowable(failure).getDetailsList()) {
        if (any.is(type)) {
          return any.unpack(type);
        }
      }
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
    throw new AssertionError("no " + type.getSimpleName() + " in " + failure);
  }

  /** Returns the reason of a failure. */
  static String reason(StatusRuntimeException failure) {
    return detail(failure, ErrorInfo.class).getReason();
  }

  @Override
  public void close() throws InterruptedException {
    channel.shutdownNow();
    channel.awaitTermination(5, TimeUnit.SECONDS);
  }
}
