package io.whence.server;

import static io.whence.server.ResolverServiceTest.atOrAfter;
import static io.whence.server.ResolverServiceTest.query;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Metadata;
import io.grpc.stub.MetadataUtils;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Status.StatusCode;
import io.whence.testkit.Directories;
import io.whence.v1.DescribeTopicRequest;
import io.whence.v1.ListTopicsRequest;
import io.whence.v1.ResolveTimestampRequest;
import io.whence.v1.ResolveTimestampResponse;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Spans of calls, as a receiver gets them. */
class TracesProcessIT {
  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String PARENT = "b7ad6b7169203331";
  private static final long TIME_MS = 1_700_000_000_000L;
  private static final Metadata.Key<String> TRACEPARENT =
      Metadata.Key.of("traceparent", Metadata.ASCII_STRING_MARSHALLER);

  private final Path home = Directories.temporary("whence-traces");

  @AfterEach
  void delete() {
    Directories.delete(home);
  }

  @Test
  void call_isSpanBelowTheOneOfItsCaller() throws Exception {
    try (OtlpReceiver receiver = new OtlpReceiver();
        ServerProcess server = ServerProcess.start(home.resolve("data"), receiver.setting());
        Client client = server.client()) {
      client.topic("secret-orders", 3, TIME_MS);
      resolve(client, "secret-orders", "-01");
      Client.failure(
          () ->
              client
                  .log
                  .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers("-01")))
                  .describeTopic(DescribeTopicRequest.newBuilder().setTopic("gone").build()));
      Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> ofTrace(receiver).size() == 2);

      assertThat(receiver.services()).containsExactly("whence");
      Span lookup = named(receiver, "whence.v1.ResolverService/ResolveTimestamp");
      assertThat(lookup.getKind()).isEqualTo(Span.SpanKind.SPAN_KIND_SERVER);
      assertThat(hex(lookup.getParentSpanId().toByteArray())).isEqualTo(PARENT);
      assertThat(lookup.getEndTimeUnixNano()).isGreaterThan(lookup.getStartTimeUnixNano());
      assertAttribute(lookup, "rpc.system", "grpc");
      assertAttribute(lookup, "rpc.service", "whence.v1.ResolverService");
      assertAttribute(lookup, "rpc.method", "ResolveTimestamp");
      assertAttribute(lookup, "rpc.grpc.status_code", "0");
      assertAttribute(lookup, "whence.source", "embedded");
      assertAttribute(lookup, "whence.partitions", "4");
      assertAttribute(lookup, "whence.outcomes.found", "1");
      assertAttribute(lookup, "whence.outcomes.empty", "2");
      assertAttribute(lookup, "whence.outcomes.failed", "1");
      assertThat(lookup.getStatus().getCode()).isEqualTo(StatusCode.STATUS_CODE_UNSET);
      Span missing = named(receiver, "whence.v1.LogService/DescribeTopic");
      assertAttribute(missing, "rpc.grpc.status_code", "5");
      assertThat(receiver.spans())
          .allSatisfy(span -> assertThat(span.toString()).doesNotContain("secret-orders"))
          .noneSatisfy(span -> assertThat(span.getName()).contains("health"));
    }
  }

  @Test
  void callerThatDoesNotSample_isNotTraced_othersAreByRatio() throws Exception {
    try (OtlpReceiver receiver = new OtlpReceiver();
        ServerProcess server =
            ServerProcess.start(
                home.resolve("data"), receiver.setting(), "whence.traces.ratio=0.0");
        Client client = server.client()) {
      client.topic("orders", 3, TIME_MS);
      client.log.listTopics(ListTopicsRequest.getDefaultInstance());
      resolve(client, "orders", "-00");
      server.terminate();
      assertThat(server.exitCode()).isIn(0, 143);
      assertThat(receiver.spans()).isEmpty();
    }
  }

  @Test
  void receiverThatIsAway_costsSpansOnly() throws Exception {
    OtlpReceiver away = new OtlpReceiver();
    away.close();
    try (ServerProcess server = ServerProcess.start(home.resolve("data"), away.setting());
        Client client = server.client()) {
      client.topic("orders", 3, TIME_MS);
      resolve(client, "orders", "-01");
      server.terminate();
      assertThat(server.exitCode()).isIn(0, 143);
    }
  }

  @Test
  void endpointThatIsNone_refused() {
    assertThat(
            ServerProcess.refusal(
                home.resolve("data"),
                "whence.traces.endpoint=localhost",
                "whence.traces.ratio=1.5"))
        .contains(
            "not started: whence.traces.endpoint: 'localhost' is no address such as"
                + " http://localhost:4317; whence.traces.ratio: 1.5 is not between 0 and 1");
  }

  /** Of one partition found, two empty ones, and one that isn't there. */
  private static void resolve(Client client, String topic, String flags) {
    ResolveTimestampResponse response =
        client
            .resolver
            .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers(flags)))
            .resolveTimestamp(
                ResolveTimestampRequest.newBuilder()
                    .addQueries(query(topic, atOrAfter(TIME_MS), 0, 1, 2, 3))
                    .build());
    assertThat(response.getResults(0).getAnswersCount()).isEqualTo(4);
  }

  private static Metadata headers(String flags) {
    Metadata headers = new Metadata();
    headers.put(TRACEPARENT, "00-" + TRACE + "-" + PARENT + flags);
    return headers;
  }

  private static List<Span> ofTrace(OtlpReceiver receiver) {
    return receiver.spans().stream()
        .filter(span -> hex(span.getTraceId().toByteArray()).equals(TRACE))
        .toList();
  }

  private static Span named(OtlpReceiver receiver, String name) throws IOException {
    return ofTrace(receiver).stream()
        .filter(span -> span.getName().equals(name))
        .findFirst()
        .orElseThrow(() -> new IOException("no span " + name + " in " + receiver.spans()));
  }

  private static void assertAttribute(Span span, String key, String value) {
    assertThat(OtlpReceiver.value(span.getAttributesList(), key)).as(key).isEqualTo(value);
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }
}
