package io.whence.cli;

import com.google.protobuf.Any;
import com.google.rpc.Code;
import com.google.rpc.ErrorInfo;
import com.google.rpc.Status;
import io.grpc.InsecureServerCredentials;
import io.grpc.Server;
import io.grpc.ServerCredentials;
import io.grpc.StatusRuntimeException;
import io.grpc.okhttp.OkHttpServerBuilder;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.StreamObserver;
import io.whence.v1.AppendRequest;
import io.whence.v1.AppendResponse;
import io.whence.v1.ApplyResetRequest;
import io.whence.v1.ApplyResetResponse;
import io.whence.v1.CommitOffsetRequest;
import io.whence.v1.CommitOffsetResponse;
import io.whence.v1.CreateTopicRequest;
import io.whence.v1.CreateTopicResponse;
import io.whence.v1.DeleteGroupRequest;
import io.whence.v1.DeleteGroupResponse;
import io.whence.v1.DeleteOffsetRequest;
import io.whence.v1.DeleteOffsetResponse;
import io.whence.v1.DeleteTopicRequest;
import io.whence.v1.DeleteTopicResponse;
import io.whence.v1.DescribeTopicRequest;
import io.whence.v1.DescribeTopicResponse;
import io.whence.v1.FetchOffsetRequest;
import io.whence.v1.FetchOffsetResponse;
import io.whence.v1.GetGroupLagRequest;
import io.whence.v1.GetGroupLagResponse;
import io.whence.v1.GroupOffsetsServiceGrpc.GroupOffsetsServiceImplBase;
import io.whence.v1.ListGroupsRequest;
import io.whence.v1.ListGroupsResponse;
import io.whence.v1.ListTopicsRequest;
import io.whence.v1.ListTopicsResponse;
import io.whence.v1.LogServiceGrpc.LogServiceImplBase;
import io.whence.v1.PlanResetRequest;
import io.whence.v1.PlanResetResponse;
import io.whence.v1.ReadRequest;
import io.whence.v1.ReadResponse;
import io.whence.v1.ResolveOffsetRequest;
import io.whence.v1.ResolveOffsetResponse;
import io.whence.v1.ResolveTimestampRequest;
import io.whence.v1.ResolveTimestampResponse;
import io.whence.v1.ResolveWindowRequest;
import io.whence.v1.ResolveWindowResponse;
import io.whence.v1.ResolverServiceGrpc.ResolverServiceImplBase;
import io.whence.v1.TrimLogRequest;
import io.whence.v1.TrimLogResponse;
import io.whence.v1.WatchTimestampRequest;
import io.whence.v1.WatchTimestampResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** A server on a free loopback port that gives the answers it was told, and keeps the requests. */
final class FakeServer implements AutoCloseable {
  private final Deque<Supplier<Object>> answers = new ArrayDeque<>();
  private final List<Object> requests = new CopyOnWriteArrayList<>();
  private final Server server;

  private FakeServer(ServerCredentials credentials) throws IOException {
    server =
        OkHttpServerBuilder.forPort(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), credentials)
            .addService(new Logs())
            .addService(new Resolver())
            .addService(new Groups())
            .build()
            .start();
  }

  static FakeServer start() throws IOException {
    return start(InsecureServerCredentials.create());
  }

  static FakeServer start(ServerCredentials credentials) throws IOException {
    return new FakeServer(credentials);
  }

  static StatusRuntimeException failure(
      Code code, String reason, String message, Map<String, String> metadata) {
    ErrorInfo info =
        ErrorInfo.newBuilder()
            .setDomain("whence")
            .setReason(reason)
            .putAllMetadata(metadata)
            .build();
    return StatusProto.toStatusRuntimeException(
        Status.newBuilder()
            .setCode(code.getNumber())
            .setMessage(message)
            .addDetails(Any.pack(info))
            .build());
  }

  String address() {
    return "127.0.0.1:" + server.getPort();
  }

  /** Gives this answer to the next call that no earlier answer is kept for. */
  synchronized FakeServer answer(Object response) {
    answers.add(() -> response);
    return this;
  }

  /** Fails the next call that no earlier answer is kept for. */
  synchronized FakeServer fail(RuntimeException failure) {
    answers.add(
        () -> {
          throw failure;
        });
    return this;
  }

  <T> T request(Class<T> type) {
    return requests.stream()
        .filter(type::isInstance)
        .map(type::cast)
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + type.getSimpleName() + " in " + requests));
  }

  <T> List<T> requests(Class<T> type) {
    return requests.stream().filter(type::isInstance).map(type::cast).toList();
  }

  @Override
  public void close() {
    server.shutdownNow();
    try {
      // Until then, a connection may still be taken and cut.
      server.awaitTermination(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @SuppressWarnings("unchecked")
  private synchronized <T> void reply(Object request, StreamObserver<T> observer) {
    requests.add(request);
    Supplier<Object> answer = answers.poll();
    if (answer == null) {
      throw new AssertionError("no answer for " + request);
    }
    try {
      observer.onNext((T) answer.get());
      observer.onCompleted();
    } catch (RuntimeException e) {
      observer.onError(e);
    }
  }

  /** Gives all answers up to a failure, which ends the call. */
  @SuppressWarnings("unchecked")
  private synchronized <T> void stream(Object request, StreamObserver<T> observer) {
    requests.add(request);
    try {
      for (Supplier<Object> answer = answers.poll(); answer != null; answer = answers.poll()) {
        observer.onNext((T) answer.get());
      }
      observer.onCompleted();
    } catch (RuntimeException e) {
      observer.onError(e);
    }
  }

  private final class Logs extends LogServiceImplBase {
    @Override
    public void listTopics(ListTopicsRequest request, StreamObserver<ListTopicsResponse> observer) {
      reply(request, observer);
    }

    @Override
    public void createTopic(
        CreateTopicRequest request, StreamObserver<CreateTopicResponse> observer) {
      reply(request, observer);
    }

    @Override
    public void deleteTopic(
        DeleteTopicRequest request, StreamObserver<DeleteTopicResponse> observer) {
      reply(request, observer);
    }

    @Override
    public void describeTopic(
        DescribeTopicRequest request, StreamObserver<DescribeTopicResponse> observer) {
      reply(request, observer);
    }

    @Override
    public void trimLog(TrimLogRequest request, StreamObserver<TrimLogResponse> observer) {
      reply(request, observer);
    }

    @Override
    public void append(AppendRequest request, StreamObserver<AppendResponse> observer) {
      reply(request, observer);
    }

    @Override
    public void read(ReadRequest request, StreamObserver<ReadResponse> observer) {
      reply(request, observer);
    }
  }

  private final class Groups extends GroupOffsetsServiceImplBase {
    @Override
    public void commitOffset(
        CommitOffsetRequest request, StreamObserver<CommitOffsetResponse> observer) {
      reply(request, observer);
    }

    @Override
    public void fetchOffset(
        FetchOffsetRequest request, StreamObserver<FetchOffsetResponse> observer) {
      reply(request, observer);
    }

    @Override
    public void listGroups(ListGroupsRequest request, StreamObserver<ListGroupsResponse> observer) {
      reply(request, observer);
    }

    @Override
    public void deleteOffset(
        DeleteOffsetRequest request, StreamObserver<DeleteOffsetResponse> observer) {
      reply(request, observer);
    }

    @Override
    public void deleteGroup(
        DeleteGroupRequest request, StreamObserver<DeleteGroupResponse> observer) {
      reply(request, observer);
    }

    @Override
    public void getGroupLag(
        GetGroupLagRequest request, StreamObserver<GetGroupLagResponse> observer) {
      reply(request, observer);
    }

    @Override
    public void planReset(PlanResetRequest request, StreamObserver<PlanResetResponse> observer) {
      reply(request, observer);
    }

    @Override
    public void applyReset(ApplyResetRequest request, StreamObserver<ApplyResetResponse> observer) {
      reply(request, observer);
    }
  }

  private final class Resolver extends ResolverServiceImplBase {
    @Override
    public void watchTimestamp(
        WatchTimestampRequest request, StreamObserver<WatchTimestampResponse> observer) {
      stream(request, observer);
    }

    @Override
    public void resolveTimestamp(
        ResolveTimestampRequest request, StreamObserver<ResolveTimestampResponse> observer) {
      reply(request, observer);
    }

    @Override
    public void resolveWindow(
        ResolveWindowRequest request, StreamObserver<ResolveWindowResponse> observer) {
      reply(request, observer);
    }

    @Override
    public void resolveOffset(
        ResolveOffsetRequest request, StreamObserver<ResolveOffsetResponse> observer) {
      reply(request, observer);
    }
  }
}
