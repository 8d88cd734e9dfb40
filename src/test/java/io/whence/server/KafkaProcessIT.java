package io.whence.server;

import static io.whence.server.GroupClient.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.StatusRuntimeException;
import io.whence.testkit.Directories;
import io.whence.testkit.KafkaBroker;
import io.whence.testkit.KafkaCoordinators;
import io.whence.testkit.KafkaTopics;
import io.whence.v1.ApplyResetRequest;
import io.whence.v1.ApplyResetResponse;
import io.whence.v1.CommitOutcome;
import io.whence.v1.DeleteGroupRequest;
import io.whence.v1.GetGroupLagRequest;
import io.whence.v1.GroupLag;
import io.whence.v1.GroupQuery;
import io.whence.v1.GroupSummary;
import io.whence.v1.LagStatus;
import io.whence.v1.ListGroupsRequest;
import io.whence.v1.Origin;
import io.whence.v1.Outcome;
import io.whence.v1.PlanResetRequest;
import io.whence.v1.PlanResetResponse;
import io.whence.v1.Position;
import io.whence.v1.ReadRequest;
import io.whence.v1.ReadResponse;
import io.whence.v1.ResetTarget;
import io.whence.v1.ResolveTimestampRequest;
import io.whence.v1.TimePoint;
import io.whence.v1.TimestampAnswer;
import io.whence.v1.TimestampQuery;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The packaged server in front of a real broker. */
class KafkaProcessIT {
  private static final String TOPIC = "orders";
  private static final int PARTITIONS = 3;
  private static final int RECORDS = 100;
  private static final long BASE_MS = 1_700_000_000_000L;

  private final Path data = Directories.temporary("whence-kafka");
  private KafkaBroker broker;

  @BeforeEach
  void start() throws Exception {
    broker = KafkaBroker.start(Map.of("group.initial.rebalance.delay.ms", "0"));
    try (Admin admin = broker.admin()) {
      KafkaCoordinators.await(admin);
      KafkaTopics.create(admin, TOPIC, PARTITIONS);
    }
    produce(0, RECORDS);
  }

  @AfterEach
  void stop() {
    broker.close();
    Directories.delete(data);
  }

  private void produce(int from, int to) throws Exception {
    Map<String, Object> config = Map.of("bootstrap.servers", broker.bootstrapServers());
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer())) {
      for (int i = from; i < to; i++) {
        for (int partition = 0; partition < PARTITIONS; partition++) {
          byte[] value = ("v" + i).getBytes(StandardCharsets.UTF_8);
          producer.send(new ProducerRecord<>(TOPIC, partition, BASE_MS + 1000L * i, null, value));
        }
      }
    }
  }

  private ServerProcess server() {
    return ServerProcess.start(
        data.resolve("own"),
        "whence.embedded.enabled=false",
        "whence.kafka.prod.bootstrap=" + broker.bootstrapServers(),
        "whence.kafka.prod.request-timeout=30s",
        "whence.kafka.prod.refresh=1s");
  }

  /** A partition is answered for as soon as it is followed; until then the server says so. */
  private static void awaitFollowed(Client client) {
    await()
        .atMost(60, TimeUnit.SECONDS)
        .ignoreException(StatusRuntimeException.class)
        .until(
            () ->
                resolve(client, BASE_MS).stream()
                    .allMatch(a -> a.hasOffset() && a.getOrigin() != Origin.ORIGIN_BROKER));
  }

  private static List<TimestampAnswer> resolve(Client client, long ms) {
    return client
        .resolver
        .resolveTimestamp(
            ResolveTimestampRequest.newBuilder()
                .addQueries(
                    TimestampQuery.newBuilder()
                        .setTopic(TOPIC)
                        .setPosition(
                            Position.newBuilder()
                                .setAtOrAfter(TimePoint.newBuilder().setEpochMs(ms))))
                .build())
        .getResults(0)
        .getAnswersList();
  }

  @Test
  void followedCluster_answersReadsAndCommits() throws Exception {
    try (ServerProcess server = server();
        Client client = server.client()) {
      awaitFollowed(client);
      assertThat(resolve(client, BASE_MS + 41_500))
          .hasSize(PARTITIONS)
          .allSatisfy(answer -> assertThat(answer.getOffset()).isEqualTo(42));
      assertThat(resolve(client, BASE_MS + 1000L * RECORDS))
          .allSatisfy(
              answer -> {
                assertThat(answer.getOutcome()).isEqualTo(Outcome.OUTCOME_AFTER_END);
                assertThat(answer.getBounds().getEndOffset()).isEqualTo(RECORDS);
              });

      produce(RECORDS, RECORDS + 1);
      assertThat(resolve(client, BASE_MS + 1000L * RECORDS))
          .as("what a producer was told is there is found at once")
          .allSatisfy(answer -> assertThat(answer.getOffset()).isEqualTo(RECORDS));

      ReadResponse read =
          client.log.read(
              ReadRequest.newBuilder().setTopic(TOPIC).setPartition(1).setOffset(42).build());
      assertThat(read.getRecords(0).getValue().toStringUtf8()).isEqualTo("v42");

      GroupClient group = new GroupClient(client, "g");
      assertThat(group.commit(entry(TOPIC, 1, 42)).getOutcome())
          .isEqualTo(CommitOutcome.COMMIT_OUTCOME_COMMITTED);
      assertThat(firstRecordOf("g")).isEqualTo("v42");
    }
  }

  @Test
  void group_isResetByTime_andItsLagToldExactly() throws Exception {
    try (ServerProcess server = server();
        Client client = server.client()) {
      awaitFollowed(client);
      GroupClient group = new GroupClient(client, "g");
      group.commit(group.request(entry(TOPIC, 0, 90), entry(TOPIC, 1, 90), entry(TOPIC, 2, 90)));

      produce(RECORDS, RECORDS + 5);
      assertThat(lag(client).getPartitionsList())
          .hasSize(PARTITIONS)
          .allSatisfy(
              partition -> {
                assertThat(partition.getStatus()).isEqualTo(LagStatus.LAG_STATUS_BEHIND);
                assertThat(partition.getRecordLag()).isEqualTo(15);
              });

      PlanResetResponse plan =
          client.groups.planReset(
              PlanResetRequest.newBuilder()
                  .setGroup("g")
                  .setTarget(
                      ResetTarget.newBuilder()
                          .setAtOrAfter(TimePoint.newBuilder().setEpochMs(BASE_MS + 41_500)))
                  .build());
      assertThat(plan.getReady()).isTrue();
      ApplyResetResponse applied =
          client.groups.applyReset(
              ApplyResetRequest.newBuilder().setPlanId(plan.getPlanId()).build());
      assertThat(applied.getPartitionsList())
          .hasSize(PARTITIONS)
          .allSatisfy(partition -> assertThat(partition.getOffsetAfter()).isEqualTo(42));
      assertThat(firstRecordOf("g")).isEqualTo("v42");

      assertThat(client.groups.listGroups(ListGroupsRequest.getDefaultInstance()).getGroupsList())
          .extracting(GroupSummary::getGroup)
          .contains("g");
      client.groups.deleteGroup(DeleteGroupRequest.newBuilder().setGroup("g").build());
      assertThat(group.fetch().getOffsetsList()).isEmpty();
    }
  }

  private static GroupLag lag(Client client) {
    return client
        .groups
        .getGroupLag(
            GetGroupLagRequest.newBuilder()
                .addQueries(GroupQuery.newBuilder().setGroup("g"))
                .build())
        .getResults(0);
  }

  @Test
  void restartedServer_goesOnWhereItWas() throws Exception {
    try (ServerProcess server = server();
        Client client = server.client()) {
      awaitFollowed(client);
      assertThat(resolve(client, BASE_MS).get(0).getOffset()).isZero();
      server.kill();
    }
    produce(RECORDS, RECORDS + 10);
    try (ServerProcess server = server();
        Client client = server.client()) {
      awaitFollowed(client);
      assertThat(resolve(client, BASE_MS + 1000L * (RECORDS + 5)))
          .allSatisfy(answer -> assertThat(answer.getOffset()).isEqualTo(RECORDS + 5));
    }
  }

  /** A real consumer begins where the group was put. */
  private String firstRecordOf(String group) {
    Map<String, Object> config =
        Map.of(
            "bootstrap.servers",
            broker.bootstrapServers(),
            "group.id",
            group,
            "auto.offset.reset",
            "none",
            "enable.auto.commit",
            false);
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      TopicPartition partition = new TopicPartition(TOPIC, 1);
      consumer.assign(List.of(partition));
      List<ConsumerRecord<byte[], byte[]>> records =
          await()
              .atMost(60, TimeUnit.SECONDS)
              .until(
                  () -> consumer.poll(Duration.ofMillis(200)).records(partition),
                  found -> !found.isEmpty());
      return new String(records.get(0).value(), StandardCharsets.UTF_8);
    }
  }
}
