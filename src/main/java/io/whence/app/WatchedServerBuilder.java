package io.whence.app;

import io.grpc.ForwardingServerBuilder;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyServerBuilder;
import io.whence.grpc.SafeParsing;

/** A builder that hands the server that it builds to the handle. Thread safety: single-writer. */
public final class WatchedServerBuilder extends ForwardingServerBuilder<WatchedServerBuilder> {
  private final NettyServerBuilder builder;
  private final GrpcServerHandle handle;

  WatchedServerBuilder(NettyServerBuilder builder, GrpcServerHandle handle) {
    this.builder = builder;
    this.handle = handle;
  }

  @Override
  protected ServerBuilder<?> delegate() {
    return builder;
  }

  @Override
  public WatchedServerBuilder addService(ServerServiceDefinition service) {
    builder.addService(SafeParsing.of(service));
    return this;
  }

  @Override
  public Server build() {
    Server server = new WatchedServer(builder.build(), handle);
    handle.built(server);
    return server;
  }
}
