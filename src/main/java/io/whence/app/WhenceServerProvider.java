package io.whence.app;

import io.grpc.ManagedChannelBuilder;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.ServerInterceptor;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyServerBuilder;
import io.quarkus.arc.Arc;
import io.quarkus.grpc.runtime.config.GrpcClientConfiguration;
import io.quarkus.grpc.runtime.config.GrpcServerConfiguration;
import io.quarkus.grpc.spi.GrpcBuilderProvider;
import io.quarkus.runtime.LaunchMode;
import io.quarkus.runtime.ShutdownContext;
import io.vertx.core.Vertx;
import io.vertx.core.impl.VertxInternal;
import io.whence.grpc.Caller;
import io.whence.grpc.Connection;
import io.whence.grpc.HealthWatches;
import io.whence.grpc.StreamDeadlines;
import io.whence.ops.CallMetrics;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Makes the gRPC server for Quarkus: grpc-java on Netty, on Vert.x' event loops, with the settings
 * that Quarkus has no keys for, and remembered so that it can be drained. Loaded as a service, so
 * it fetches the beans it needs. Thread safety: immutable.
 */
public final class WhenceServerProvider implements GrpcBuilderProvider<WatchedServerBuilder> {
  private static final int RESET_WINDOW_SECONDS = 30;
  private static final int HANDSHAKE_SECONDS = 20;

  @Override
  public boolean providesServer(GrpcServerConfiguration configuration) {
    return true;
  }

  @Override
  public ServerBuilder<WatchedServerBuilder> createServerBuilder(
      Vertx vertx, GrpcServerConfiguration configuration, LaunchMode launchMode) {
    GrpcServerHandle handle = Arc.container().instance(GrpcServerHandle.class).get();
    try {
      // Checked before the port opens: an address that is not allowed is not listened on at all.
      GrpcConfig grpc = Arc.container().instance(CheckedConfig.class).get().values().grpc();
      NettyServerBuilder builder =
          NettyServerBuilder.forAddress(new InetSocketAddress(grpc.host(), grpc.port()));
      limit(builder, grpc);
      keepAlive(builder, grpc);
      builder
          .addTransportFilter(Connection.filter())
          .addStreamTracerFactory(
              new CallStatuses(Arc.container().instance(CallMetrics.class).get()))
          .intercept(Arc.container().instance(HealthWatches.class).get())
          .intercept(new StreamDeadlines(Arc.container().instance(EventLoopExecutor.class).get()))
          .intercept(Caller.interceptor());
      // The last one is the first to see a call.
      Arc.container().instance(Tracing.class).get().interceptor().ifPresent(builder::intercept);
      GrpcTls tls = Arc.container().instance(GrpcTls.class).get();
      tls.context().ifPresent(builder::sslContext);
      handle.secured(tls.mode());
      return new WatchedServerBuilder(onVertx(builder, (VertxInternal) vertx), handle);
    } catch (RuntimeException e) {
      handle.failed(e);
      throw e;
    }
  }

  private static void limit(NettyServerBuilder builder, GrpcConfig grpc) {
    builder
        .maxInboundMessageSize((int) grpc.maxInboundMessageSize().asLongValue())
        .maxInboundMetadataSize((int) grpc.maxInboundMetadataSize().asLongValue())
        .flowControlWindow((int) grpc.flowControlWindow().asLongValue())
        .handshakeTimeout(HANDSHAKE_SECONDS, TimeUnit.SECONDS)
        .maxConcurrentCallsPerConnection(grpc.maxConcurrentCallsPerConnection())
        .maxRstFramesPerWindow(grpc.maxResetsPerConnection(), RESET_WINDOW_SECONDS);
  }

  private static void keepAlive(NettyServerBuilder builder, GrpcConfig grpc) {
    builder
        .keepAliveTime(grpc.keepAliveTime().toMillis(), TimeUnit.MILLISECONDS)
        .keepAliveTimeout(grpc.keepAliveTimeout().toMillis(), TimeUnit.MILLISECONDS)
        .permitKeepAliveTime(grpc.permitKeepAliveTime().toMillis(), TimeUnit.MILLISECONDS)
        .permitKeepAliveWithoutCalls(true)
        .maxConnectionAge(grpc.maxConnectionAge().toMillis(), TimeUnit.MILLISECONDS)
        .maxConnectionAgeGrace(grpc.maxConnectionAgeGrace().toMillis(), TimeUnit.MILLISECONDS);
  }

  private static NettyServerBuilder onVertx(NettyServerBuilder builder, VertxInternal vertx) {
    OpenConnections connections = Arc.container().instance(OpenConnections.class).get();
    return builder
        .bossEventLoopGroup(vertx.getAcceptorEventLoopGroup())
        .workerEventLoopGroup(vertx.getEventLoopGroup())
        .channelFactory(connections.counting(vertx.transport().serverChannelFactory(false)))
        .executor(Arc.container().instance(EventLoopExecutor.class).get());
  }

  @Override
  public void startServer(Server server) throws Exception {
    server.start();
  }

  @Override
  public void postStartup(Server server, ShutdownContext shutdown) {
    // The stop steps drain it.
  }

  @Override
  public void devModeReload(
      List<ServerServiceDefinition> services,
      Map<String, ServerMethodDefinition<?, ?>> methods,
      List<ServerInterceptor> interceptors,
      ShutdownContext shutdown) {
    throw new IllegalStateException("no reload: every start builds a new server");
  }

  @Override
  public boolean serverAlreadyExists() {
    return false;
  }

  @Override
  public String serverInfo(String host, int port, GrpcServerConfiguration configuration) {
    return "gRPC server of Whence";
  }

  @Override
  public boolean providesChannel(GrpcClientConfiguration configuration) {
    return false;
  }

  @Override
  public String resolver() {
    return "dns";
  }

  @Override
  public ManagedChannelBuilder<?> createChannelBuilder(
      GrpcClientConfiguration configuration, String target) {
    throw new IllegalStateException("no channels are made here");
  }

  @Override
  public String channelInfo(GrpcClientConfiguration configuration) {
    return "";
  }
}
