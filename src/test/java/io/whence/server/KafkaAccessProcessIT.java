package io.whence.server;

import static io.whence.server.GroupClient.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.StatusRuntimeException;
import io.whence.testkit.Directories;
import io.whence.testkit.KafkaAcls;
import io.whence.testkit.KafkaBroker;
import io.whence.testkit.KafkaCoordinators;
import io.whence.testkit.KafkaSecurity;
import io.whence.testkit.KafkaTopics;
import io.whence.v1.ApplyResetRequest;
import io.whence.v1.CommitOffsetResponse;
import io.whence.v1.CommitOutcome;
import io.whence.v1.ErrorReason;
import io.whence.v1.GetGroupLagRequest;
import io.whence.v1.GroupQuery;
import io.whence.v1.Origin;
import io.whence.v1.PlanResetRequest;
import io.whence.v1.PlanResetResponse;
import io.whence.v1.Position;
import io.whence.v1.ReadRequest;
import io.whence.v1.ReadResponse;
import io.whence.v1.ResetTarget;
import io.whence.v1.ResolveTimestampRequest;
import io.whence.v1.TimePoint;
import io.whence.v1.TimestampQuery;
import io.whence.v1.TimestampQueryResult;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The packaged server in front of a broker that wants TLS, a password, and rights. */
class KafkaAccessProcessIT {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String OPEN = "orders";
  private static final String CLOSED = "salaries";
  private static final String GROUP = "billing";
  private static final int RECORDS = 100;
  private static final long BASE_MS = 1_700_000_000_000L;

  private static final Path DATA = Directories.temporary("whence-access");
  private static KafkaSecurity security;
  private static KafkaBroker broker;

  @BeforeAll
  static void start() throws Exception {
    security = KafkaSecurity.create(DATA);
    broker = KafkaBroker.start(security.brokerSettings());
    try (Admin admin = Admin.create(security.clientSettings(broker, "admin"))) {
      KafkaCoordinators.await(admin);
      KafkaTopics.create(admin, OPEN, 2);
      KafkaTopics.create(admin, CLOSED, 1);
      KafkaAcls.create(
          admin,
          List.of(
              allowed(ResourceType.TOPIC, OPEN, AclOperation.READ),
              allowed(ResourceType.TOPIC, CLOSED, AclOperation.DESCRIBE),
              allowed(ResourceType.GROUP, GROUP, AclOperation.READ),
              allowed(ResourceType.TRANSACTIONAL_ID, "whence-", AclOperation.WRITE),
              allowed(ResourceType.TRANSACTIONAL_ID, "whence-", AclOperation.DESCRIBE)));
    }
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            security.clientSettings(broker, "admin"),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      for (int i = 0; i < RECORDS; i++) {
        byte[] value = ("v" + i).getBytes(StandardCharsets.UTF_8);
        long ms = BASE_MS + 1000L * i;
        producer.send(new ProducerRecord<>(OPEN, 0, ms, null, value));
        producer.send(new ProducerRecord<>(OPEN, 1, ms, null, value));
        producer.send(new ProducerRecord<>(CLOSED, 0, ms, null, value));
      }
    }
  }

  private static AclBinding allowed(ResourceType type, String name, AclOperation operation) {
    return new AclBinding(
        new ResourcePattern(
            type, name, name.endsWith("-") ? PatternType.PREFIXED : PatternType.LITERAL),
        new AccessControlEntry("User:reader", "*", operation, AclPermissionType.ALLOW));
  }

  @AfterAll
  static void stop() {
    broker.close();
    Directories.delete(DATA);
  }

  private static ServerProcess server(Path clientFile) {
    return ServerProcess.start(DATA.resolve("own"), settings(clientFile));
  }

  private static String[] settings(Path clientFile) {
    return new String[] {
      "whence.embedded.enabled=false",
      "whence.kafka.prod.bootstrap=" + broker.bootstrapServers(),
      "whence.kafka.prod.client-properties=" + clientFile,
      "whence.kafka.prod.request-timeout=30s",
      "whence.kafka.prod.refresh=1s"
    };
  }

  private static List<TimestampQueryResult> resolve(Client client, long ms, String... topics) {
    ResolveTimestampRequest.Builder request = ResolveTimestampRequest.newBuilder();
    Arrays.stream(topics)
        .forEach(
            topic ->
                request.addQueries(
                    TimestampQuery.newBuilder()
                        .setTopic(topic)
                        .setPosition(
                            Position.newBuilder()
                                .setAtOrAfter(TimePoint.newBuilder().setEpochMs(ms)))));
    return client.resolver.resolveTimestamp(request.build()).getResultsList();
  }

  private static void awaitFollowed(Client client) {
    await()
        .atMost(LIMIT)
        .ignoreException(StatusRuntimeException.class)
        .until(
            () ->
                resolve(client, BASE_MS, OPEN).get(0).getAnswersList().stream()
                    .allMatch(a -> a.hasOffset() && a.getOrigin() != Origin.ORIGIN_BROKER));
  }

  @Test
  void passwordAndRights_whatIsAllowedIsDone_andTheRestFailsAlone() throws Exception {
    Path file = DATA.resolve("reader.properties");
    security.writeClientFile(file, broker, "reader");
    try (ServerProcess server = server(file);
        Client client = server.client()) {
      awaitFollowed(client);
      assertLookups(client);
      assertCommits(client);
      assertReset(client);
      ReadResponse read =
          client.log.read(
              ReadRequest.newBuilder().setTopic(OPEN).setPartition(1).setOffset(42).build());
      assertThat(read.getRecords(0).getValue().toStringUtf8()).isEqualTo("v42");
      await()
          .atMost(LIMIT)
          .until(() -> server.log().contains("following in part: source=prod partitions=3"));
      assertThat(server.log()).contains(CLOSED + "-0: ").doesNotContain("reader-secret");
    }
  }

  private static void assertLookups(Client client) {
    List<TimestampQueryResult> results =
        await()
            .atMost(LIMIT)
            .until(
                () -> resolve(client, BASE_MS + 41_500, OPEN, CLOSED),
                // Its broker may be asked about it until it refuses to let it be fetched.
                all ->
                    all.get(1).getAnswersCount() > 0
                        && all.get(1).getAnswers(0).getError().getReason()
                            == ErrorReason.ERROR_REASON_NOT_AUTHORIZED);
    assertThat(results.get(0).getAnswersList())
        .hasSize(2)
        .allSatisfy(answer -> assertThat(answer.getOffset()).isEqualTo(42));
    assertThat(results.get(1).getAnswersList())
        .singleElement()
        .satisfies(
            answer -> {
              assertThat(answer.hasOffset()).isFalse();
              assertThat(answer.getError().getReason())
                  .as(answer.getError().getMessage())
                  .isEqualTo(ErrorReason.ERROR_REASON_NOT_AUTHORIZED);
            });
  }

  private static void assertCommits(Client client) {
    GroupClient group = new GroupClient(client, GROUP);
    CommitOffsetResponse response =
        group.commit(group.request(entry(OPEN, 0, 90), entry(OPEN, 1, 90), entry(CLOSED, 0, 5)));
    assertThat(response.getResultsList().subList(0, 2))
        .allSatisfy(
            result ->
                assertThat(result.getOutcome()).isEqualTo(CommitOutcome.COMMIT_OUTCOME_COMMITTED));
    assertThat(response.getResults(2).getError().getReason())
        .isEqualTo(ErrorReason.ERROR_REASON_NOT_AUTHORIZED);
    assertThat(group.fetch().getOffsetsList())
        .extracting(offset -> offset.getTopic() + " " + offset.getCommitted().getNextOffset())
        .containsExactly(OPEN + " 90", OPEN + " 90");
  }

  private static void assertReset(Client client) {
    GetGroupLagRequest lag =
        GetGroupLagRequest.newBuilder().addQueries(GroupQuery.newBuilder().setGroup(GROUP)).build();
    assertThat(client.groups.getGroupLag(lag).getResults(0).getPartitionsList())
        .hasSize(2)
        .allSatisfy(partition -> assertThat(partition.getRecordLag()).isEqualTo(10));
    PlanResetResponse plan =
        client.groups.planReset(
            PlanResetRequest.newBuilder()
                .setGroup(GROUP)
                .setTarget(
                    ResetTarget.newBuilder()
                        .setAtOrAfter(TimePoint.newBuilder().setEpochMs(BASE_MS + 41_500)))
                .build());
    assertThat(plan.getReady()).isTrue();
    assertThat(
            client
                .groups
                .applyReset(ApplyResetRequest.newBuilder().setPlanId(plan.getPlanId()).build())
                .getPartitionsList())
        .hasSize(2)
        .allSatisfy(partition -> assertThat(partition.getOffsetAfter()).isEqualTo(42));
    assertThat(client.groups.getGroupLag(lag).getResults(0).getPartitionsList())
        .allSatisfy(partition -> assertThat(partition.getRecordLag()).isEqualTo(58));
  }

  @Test
  void wrongPassword_isToldAndNeverPrinted_andARightOneHeals() throws Exception {
    Path file = DATA.resolve("corrected.properties");
    security.writeClientFile(file, broker, "stranger");
    try (ServerProcess server = ServerProcess.startUnready(DATA.resolve("own"), settings(file));
        Client client = server.impatientClient()) {
      await()
          .atMost(LIMIT)
          .ignoreException(StatusRuntimeException.class)
          .untilAsserted(
              () ->
                  assertThat(resolve(client, BASE_MS, OPEN).get(0).getError().getReason())
                      .isEqualTo(ErrorReason.ERROR_REASON_NOT_AUTHORIZED));
      await()
          .atMost(LIMIT)
          .untilAsserted(
              () ->
                  assertThat(server.log())
                      .contains("WARN")
                      .contains("source=prod")
                      .contains("Authentication failed"));
      assertThat(server.log()).doesNotContain("wrong-secret");
      server.terminate();
      assertThat(server.exitCode()).isZero();
    }
    security.writeClientFile(file, broker, "reader");
    try (ServerProcess server = server(file);
        Client client = server.client()) {
      awaitFollowed(client);
      assertThat(resolve(client, BASE_MS + 41_500, OPEN).get(0).getAnswersList())
          .allSatisfy(answer -> assertThat(answer.getOffset()).isEqualTo(42));
    }
  }
}
