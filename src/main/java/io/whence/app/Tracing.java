package io.whence.app;

import io.grpc.ServerInterceptor;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.exporter.otlp.trace.OtlpGrpcSpanExporter;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.quarkus.arc.Unremovable;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.net.URI;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/**
 * Sends traces of calls to an OTLP receiver, where one is set. Where none is, nothing is made, and
 * calls are not even looked at. Thread safety: thread-safe.
 */
@Singleton
@Unremovable
class Tracing {
  private static final Logger LOG = Logger.getLogger("io.whence");
  private static final AttributeKey<String> SERVICE_NAME = AttributeKey.stringKey("service.name");
  private static final String NAME = "whence";
  private static final long CLOSE_SECONDS = 2;

  private final Optional<SdkTracerProvider> tracers;

  Tracing(CheckedConfig config) {
    TracesConfig traces = config.values().traces();
    tracers = traces.endpoint().map(endpoint -> tracers(endpoint, traces.ratio()));
  }

  private static SdkTracerProvider tracers(URI endpoint, double ratio) {
    LOG.infof("traces are sent: endpoint=%s ratio=%s", endpoint, ratio);
    OtlpGrpcSpanExporter exporter =
        OtlpGrpcSpanExporter.builder().setEndpoint(endpoint.toString()).build();
    return SdkTracerProvider.builder()
        .setResource(
            Resource.getDefault().merge(Resource.create(Attributes.of(SERVICE_NAME, NAME))))
        .setSampler(Sampler.parentBased(Sampler.traceIdRatioBased(ratio)))
        .addSpanProcessor(BatchSpanProcessor.builder(exporter).build())
        .build();
  }

  /** Returns what makes a span of each call; none where traces are off. */
  Optional<ServerInterceptor> interceptor() {
    return tracers.map(provider -> new TracedCalls(provider.get("io.whence"))::intercept);
  }

  /** Sends what is left, for as long as a receiver takes that is there. */
  @PreDestroy
  void close() {
    tracers.ifPresent(provider -> provider.shutdown().join(CLOSE_SECONDS, TimeUnit.SECONDS));
  }
}
