package io.whence.app;

import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A server that tells the handle why it could not start; Quarkus would only log it and go on
 * without gRPC. Thread safety: thread-safe.
 */
final class WatchedServer extends Server {
  private final Server server;
  private final GrpcServerHandle handle;

  WatchedServer(Server server, GrpcServerHandle handle) {
    this.server = server;
    this.handle = handle;
  }

  @Override
  public Server start() throws IOException {
    try {
      server.start();
      return this;
    } catch (IOException | RuntimeException e) {
      handle.failed(e);
      throw e;
    }
  }

  @Override
  public int getPort() {
    return server.getPort();
  }

  @Override
  public List<? extends SocketAddress> getListenSockets() {
    return server.getListenSockets();
  }

  @Override
  public List<ServerServiceDefinition> getServices() {
    return server.getServices();
  }

  @Override
  public List<ServerServiceDefinition> getImmutableServices() {
    return server.getImmutableServices();
  }

  @Override
  public List<ServerServiceDefinition> getMutableServices() {
    return server.getMutableServices();
  }

  @Override
  public Server shutdown() {
    server.shutdown();
    return this;
  }

  @Override
  public Server shutdownNow() {
    server.shutdownNow();
    return this;
  }

  @Override
  public boolean isShutdown() {
    return server.isShutdown();
  }

  @Override
  public boolean isTerminated() {
    return server.isTerminated();
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    return server.awaitTermination(timeout, unit);
  }

  @Override
  public void awaitTermination() throws InterruptedException {
    server.awaitTermination();
  }
}
