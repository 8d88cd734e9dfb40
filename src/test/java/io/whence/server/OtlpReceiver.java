package io.whence.server;

import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse;
import io.opentelemetry.proto.collector.trace.v1.TraceServiceGrpc;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Receives spans over OTLP, on a free loopback port. Thread safety: thread-safe. */
final class OtlpReceiver extends TraceServiceGrpc.TraceServiceImplBase implements AutoCloseable {
  private final List<ResourceSpans> received = new CopyOnWriteArrayList<>();
  private final Server server;
  private final int port;

  OtlpReceiver() throws IOException {
    server =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .addService(this)
            .build()
            .start();
    port = server.getPort();
  }

  /** Returns the setting that sends spans here. */
  String setting() {
    return "whence.traces.endpoint=http://127.0.0.1:" + port;
  }

  @Override
  public void export(
      ExportTraceServiceRequest request, StreamObserver<ExportTraceServiceResponse> observer) {
    received.addAll(request.getResourceSpansList());
    observer.onNext(ExportTraceServiceResponse.getDefaultInstance());
    observer.onCompleted();
  }

  List<Span> spans() {
    return received.stream()
        .flatMap(resource -> resource.getScopeSpansList().stream())
        .flatMap(scope -> scope.getSpansList().stream())
        .toList();
  }

  /** Returns the names of the services that spans came from. */
  List<String> services() {
    return received.stream()
        .map(resource -> value(resource.getResource().getAttributesList(), "service.name"))
        .distinct()
        .toList();
  }

  /** Returns an attribute; empty if it isn't there. */
  static String value(List<KeyValue> attributes, String key) {
    return attributes.stream()
        .filter(attribute -> attribute.getKey().equals(key))
        .map(
            attribute ->
                attribute.getValue().hasIntValue()
                    ? String.valueOf(attribute.getValue().getIntValue())
                    : attribute.getValue().getStringValue())
        .findFirst()
        .orElse("");
  }

  @Override
  public void close() {
    server.shutdownNow();
  }
}
