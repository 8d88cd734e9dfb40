package io.whence.grpc;

import io.grpc.stub.StreamObserver;
import io.quarkus.grpc.GrpcService;
import io.whence.v1.ResolveOffsetRequest;
import io.whence.v1.ResolveOffsetResponse;
import io.whence.v1.ResolveTimestampRequest;
import io.whence.v1.ResolveTimestampResponse;
import io.whence.v1.ResolveWindowRequest;
import io.whence.v1.ResolveWindowResponse;
import io.whence.v1.ResolverServiceGrpc;
import io.whence.v1.WatchTimestampRequest;
import io.whence.v1.WatchTimestampResponse;

/** The service that answers where moments lie. Never blocks. Thread safety: thread-safe. */
@GrpcService
class ResolverGrpcService extends ResolverServiceGrpc.ResolverServiceImplBase {
  private final CallRunner runner;
  private final TimestampHandler timestamps;
  private final WindowHandler windows;
  private final OffsetHandler offsets;
  private final Watches watches;

  ResolverGrpcService(CallRunner runner, PartitionResolver resolver, Watches watches) {
    this.runner = runner;
    this.watches = watches;
    timestamps = new TimestampHandler(resolver);
    windows = new WindowHandler(resolver);
    offsets = new OffsetHandler(resolver);
  }

  @Override
  public void resolveTimestamp(
      ResolveTimestampRequest request, StreamObserver<ResolveTimestampResponse> observer) {
    runner.run("ResolveTimestamp", request, observer, timestamps);
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
