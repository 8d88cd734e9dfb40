package io.whence.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.whence.testkit.Directories;
import io.whence.testkit.KafkaBroker;
import io.whence.testkit.KafkaCoordinators;
import io.whence.testkit.KafkaTopics;
import io.whence.testkit.PythonKafka;
import io.whence.v1.AppliedReset;
import io.whence.v1.ApplyResetRequest;
import io.whence.v1.IsolationLevel;
import io.whence.v1.PlanResetRequest;
import io.whence.v1.PlanResetResponse;
import io.whence.v1.ResetTarget;
import io.whence.v1.ResolveWindowRequest;
import io.whence.v1.TimePoint;
import io.whence.v1.TopicPartitions;
import io.whence.v1.WindowAnswer;
import io.whence.v1.WindowQuery;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A group is put to the beginning of a time window, and real consumers of two kinds go on there:
 * each reads the records of the window, all of them and no others.
 */
class KafkaConsumersProcessIT {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String TOPIC = "orders";
  private static final int PARTITIONS = 3;
  private static final int TRANSACTIONS = 40;
  private static final long BASE_MS = 1_700_000_000_000L;
  private static final long STEP_MS = 1_000;

  /** The window begins and ends between two records of most partitions. */
  private static final long FROM_MS = BASE_MS + 30 * STEP_MS;

  private static final long TO_MS = BASE_MS + 90 * STEP_MS;

  private final Path data = Directories.temporary("whence-consumers");

  /** What is to be read: {@code PARTITION KEY} of each committed record in the window. */
  private final Set<String> window = new TreeSet<>();

  private KafkaBroker broker;

  @BeforeEach
  void start() throws Exception {
    broker = KafkaBroker.start(Map.of());
    try (Admin admin = broker.admin()) {
      KafkaCoordinators.await(admin);
      KafkaTopics.create(admin, TOPIC, PARTITIONS);
    }
    produce();
  }

  @AfterEach
  void stop() {
    broker.close();
    Directories.delete(data);
  }

  /** Each third transaction is aborted; between all there are markers. */
  private void produce() {
    Map<String, Object> config =
        Map.of("bootstrap.servers", broker.bootstrapServers(), "transactional.id", "orders");
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(config, new StringSerializer(), new StringSerializer())) {
      producer.initTransactions();
      for (int i = 0; i < TRANSACTIONS; i++) {
        boolean isAborted = i % 3 == 2;
        producer.beginTransaction();
        for (int k = 0; k < 3 * PARTITIONS; k++) {
          send(producer, k % PARTITIONS, 3 * i + k / PARTITIONS, isAborted);
        }
        if (isAborted) {
          producer.abortTransaction();
        } else {
          producer.commitTransaction();
        }
      }
    }
  }

  private void send(
      KafkaProducer<String, String> producer, int partition, int number, boolean isAborted) {
    long ms = BASE_MS + STEP_MS * number + 100L * partition;
    String key = "key-" + number;
    producer.send(new ProducerRecord<>(TOPIC, partition, ms, key, "value"));
    if (!isAborted && FROM_MS <= ms && ms < TO_MS) {
      window.add(partition + " " + key);
    }
  }

  @Test
  void groupsPutToAWindow_consumersReadExactlyIt() throws Exception {
    try (ServerProcess server =
            ServerProcess.start(
                data.resolve("own"),
                "whence.embedded.enabled=false",
                "whence.kafka.prod.bootstrap=" + broker.bootstrapServers(),
                "whence.kafka.prod.request-timeout=30s");
        Client client = server.client()) {
      Map<Integer, WindowAnswer> answers = window(client);
      assertThat(answers.values().stream().mapToLong(WindowAnswer::getRecordCount).sum())
          .isEqualTo(window.size());
      assertThat(answers.values()).allMatch(answer -> answer.getOutsideCount() == 0);
      Map<Integer, Long> ends = new TreeMap<>();
      answers.forEach((partition, answer) -> ends.put(partition, answer.getRange().getEndOffset()));

      reset(client, "java", answers);
      assertThat(readByJava(ends)).containsExactlyElementsOf(window);
      reset(client, "librdkafka", answers);
      assertThat(readByLibrdkafka(ends)).containsExactlyElementsOf(window);
    }
  }

  /** Asks until all is followed. */
  private static Map<Integer, WindowAnswer> window(Client client) {
    ResolveWindowRequest request =
        ResolveWindowRequest.newBuilder()
            .setIsolationLevel(IsolationLevel.ISOLATION_LEVEL_READ_COMMITTED)
            .addQueries(
                WindowQuery.newBuilder().setTopic(TOPIC).setFrom(at(FROM_MS)).setTo(at(TO_MS)))
            .build();
    return await()
        .atMost(LIMIT)
        .ignoreExceptions()
        .until(
            () -> client.resolver.resolveWindow(request).getResults(0).getAnswersList(),
            answers ->
                answers.size() == PARTITIONS && answers.stream().allMatch(WindowAnswer::hasRange))
        .stream()
        .collect(Collectors.toMap(WindowAnswer::getPartition, answer -> answer));
  }

  private static TimePoint.Builder at(long ms) {
    return TimePoint.newBuilder().setEpochMs(ms);
  }

  private static void reset(Client client, String group, Map<Integer, WindowAnswer> answers) {
    PlanResetResponse plan =
        client.groups.planReset(
            PlanResetRequest.newBuilder()
                .setGroup(group)
                .addTopics(TopicPartitions.newBuilder().setTopic(TOPIC))
                .setIsolationLevel(IsolationLevel.ISOLATION_LEVEL_READ_COMMITTED)
                .setTarget(ResetTarget.newBuilder().setAtOrAfter(at(FROM_MS)))
                .build());
    List<AppliedReset> applied =
        client
            .groups
            .applyReset(ApplyResetRequest.newBuilder().setPlanId(plan.getPlanId()).build())
            .getPartitionsList();
    assertThat(applied)
        .hasSize(PARTITIONS)
        .allSatisfy(
            partition ->
                assertThat(partition.getOffsetAfter())
                    .isEqualTo(answers.get(partition.getPartition()).getRange().getStartOffset()));
  }

  private List<String> readByJava(Map<Integer, Long> ends) {
    Map<String, Object> config = new HashMap<>();
    config.put("bootstrap.servers", broker.bootstrapServers());
    config.put("group.id", "java");
    config.put("auto.offset.reset", "none");
    config.put("enable.auto.commit", false);
    config.put("isolation.level", "read_committed");
    List<ConsumerRecord<String, String>> read = new ArrayList<>();
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer())) {
      consumer.subscribe(List.of(TOPIC));
      await()
          .atMost(LIMIT)
          .until(
              () -> {
                consumer.poll(Duration.ofMillis(200)).forEach(read::add);
                return ends.entrySet().stream()
                    .allMatch(
                        end ->
                            read.stream()
                                .anyMatch(
                                    r ->
                                        r.partition() == end.getKey()
                                            && r.offset() == end.getValue() - 1));
              });
    }
    return read.stream()
        .filter(record -> record.offset() < ends.get(record.partition()))
        .map(record -> record.partition() + " " + record.key())
        .sorted()
        .toList();
  }

  private List<String> readByLibrdkafka(Map<Integer, Long> ends) {
    List<String> args = new ArrayList<>(List.of(broker.bootstrapServers(), "librdkafka", TOPIC));
    ends.forEach((partition, end) -> args.add(partition + "=" + end));
    return PythonKafka.run("consume_to.py", args)
        .lines()
        .map(line -> line.split(" "))
        .map(words -> words[0] + " " + words[2])
        .sorted()
        .toList();
  }
}
