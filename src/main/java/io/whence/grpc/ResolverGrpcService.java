package io.whence.grpc;

import io.grpc.ServerServiceDefinition;
import io.grpc.stub.StreamObserver;
import io.quarkus.grpc.GrpcService;
import io.whence.v1.ResolveOffsetRequest;
import io.whence.v1.ResolveOffsetResponse;
import io.whence.v1.ResolveWindowRequest;
import io.whence.v1.ResolveWindowResponse;
import io.whence.v1.ResolverServiceGrpc;
import io.whence.v1.WatchTimestampRequest;
import io.whence.v1.WatchTimestampResponse;

/** The service that answers where moments lie. Never blocks. Thread safety: thread-safe. */
@GrpcService
class ResolverGrpcService extends ResolverServiceGrpc.ResolverServiceImplBase {
  private final CallRunner runner;
  private final PartitionResolver resolver;
  private final TimestampStreams streams;
  private final Workspaces workspaces = new Workspaces();
  private final WindowHandler windows;
  private final OffsetHandler offsets;
  private final Watches watches;

  ResolverGrpcService(
      CallRunner runner, PartitionResolver resolver, TimestampStreams streams, Watches watches) {
    this.runner = runner;
    this.streams = streams;
    this.resolver = resolver;
    this.watches = watches;
    windows = new WindowHandler(resolver);
    offsets = new OffsetHandler(resolver);
  }

  @Override
  public ServerServiceDefinition bindService() {
    return new EncodedResponses(super.bindService())
        .unary(
            ResolverServiceGrpc.getResolveTimestampMethod(),
            (request, observer) ->
                runner.runInTurns(
                    "ResolveTimestamp",
                    observer,
                    scope -> new TimestampCall(resolver, request, scope, workspaces)))
        .bidiStreaming(ResolverServiceGrpc.getStreamResolveTimestampMethod(), streams::begin)
        .service();
  }

  @Override
  public void watchTimestamp(
      WatchTimestampRequest request, StreamObserver<WatchTimestampResponse> observer) {
    watches.begin(request, observer);
  }

  @Override
  public void resolveWindow(
      ResolveWindowRequest request, StreamObserver<ResolveWindowResponse> observer) {
    runner.run("ResolveWindow", request, observer, windows);
  }

  @Override
  public void resolveOffset(
      ResolveOffsetRequest request, StreamObserver<ResolveOffsetResponse> observer) {
    runner.run("ResolveOffset", request, observer, offsets);
  }
}
