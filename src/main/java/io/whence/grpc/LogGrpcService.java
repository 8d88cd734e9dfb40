package io.whence.grpc;

import io.grpc.stub.StreamObserver;
import io.quarkus.grpc.GrpcService;
import io.whence.v1.AppendRequest;
import io.whence.v1.AppendResponse;
import io.whence.v1.CreateTopicRequest;
import io.whence.v1.CreateTopicResponse;
import io.whence.v1.DeleteTopicRequest;
import io.whence.v1.DeleteTopicResponse;
import io.whence.v1.DescribeTopicRequest;
import io.whence.v1.DescribeTopicResponse;
import io.whence.v1.ListTopicsRequest;
import io.whence.v1.ListTopicsResponse;
import io.whence.v1.LogServiceGrpc;
import io.whence.v1.ReadRequest;
import io.whence.v1.ReadResponse;
import io.whence.v1.TrimLogRequest;
import io.whence.v1.TrimLogResponse;

/** The service of the logs themselves. Never blocks. Thread safety: thread-safe. */
@GrpcService
class LogGrpcService extends LogServiceGrpc.LogServiceImplBase {
  private final CallRunner runner;

  LogGrpcService(CallRunner runner) {
    this.runner = runner;
  }

  @Override
  public void createTopic(
      CreateTopicRequest request, StreamObserver<CreateTopicResponse> observer) {
    runner.run("CreateTopic", request, observer, TopicCalls::create);
  }

  @Override
  public void deleteTopic(
      DeleteTopicRequest request, StreamObserver<DeleteTopicResponse> observer) {
    runner.run("DeleteTopic", request, observer, TopicCalls::delete);
  }

  @Override
  public void listTopics(ListTopicsRequest request, StreamObserver<ListTopicsResponse> observer) {
    runner.run("ListTopics", request, observer, TopicCalls::list);
  }

  @Override
  public void describeTopic(
      DescribeTopicRequest request, StreamObserver<DescribeTopicResponse> observer) {
    runner.run("DescribeTopic", request, observer, TopicDescriptions::describe);
  }

  @Override
  public void append(AppendRequest request, StreamObserver<AppendResponse> observer) {
    runner.runAsync(
        "Append", request, observer, AppendCalls::append, AppendResponse::getResultsCount);
  }

  @Override
  public void read(ReadRequest request, StreamObserver<ReadResponse> observer) {
    runner.run("Read", request, observer, ReadCalls::read);
  }

  @Override
  public void trimLog(TrimLogRequest request, StreamObserver<TrimLogResponse> observer) {
    runner.run("TrimLog", request, observer, TrimCalls::trim);
  }
}
