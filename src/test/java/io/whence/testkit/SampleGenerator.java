package io.whence.testkit;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.whence.testkit.OrderTraffic.Event;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

/**
 * Makes the sample that the demo serves. No build runs it, for its name is not that of a test: run
 * {@code mvn test -Dtest=SampleGenerator} to make the sample anew. Seeded: records and offsets come
 * out the same each time, but for the transaction marker, which carries the time of the run.
 */
final class SampleGenerator {
  static final Path SAMPLE =
      Build.directory().resolve("src/main/dist/samples/orders-kafka-4.4.tar.gz");
  static final long MAX_BYTES = 400_000;

  private static final String TOPIC = "orders";
  private static final long SEED = 20240307;
  private static final int ABORTED_PARTITION = 3;
  private static final int ABORTED_RECORDS = 12;
  private static final Set<String> CHECKPOINTS =
      Set.of(
          "recovery-point-offset-checkpoint",
          "replication-offset-checkpoint",
          "log-start-offset-checkpoint");
  private static final String DAY_MS = "86400000";

  private final Random random = new Random(SEED);

  @Test
  void generate_sample_isSmall()
      throws IOException, InterruptedException, ExecutionException, TimeoutException {
    try (KafkaBroker broker = KafkaBroker.start(Map.of())) {
      createTopic(broker);
      produce(broker, OrderTraffic.events(SEED));
      broker.stop();
      pack(broker.logDir());
    }
    assertThat(Files.size(SAMPLE)).isLessThan(MAX_BYTES);
  }

  private static void createTopic(KafkaBroker broker)
      throws InterruptedException, ExecutionException, TimeoutException {
    Map<String, String> settings = Map.of("retention.ms", "-1", "segment.ms", DAY_MS);
    NewTopic topic =
        new NewTopic(TOPIC, OrderTraffic.partitionCount(), (short) 1).configs(settings);
    try (Admin admin = broker.admin()) {
      KafkaTopics.create(admin, topic);
    }
  }

  /** Sends the events in their order of arrival, each partition in batches of different sizes. */
  private void produce(KafkaBroker broker, List<Event> events)
      throws InterruptedException, ExecutionException, TimeoutException {
    try (var plain = producer(broker, Map.of());
        var lz4 = producer(broker, Map.of("compression.type", "lz4"))) {
      Map<Integer, List<Event>> waiting = new HashMap<>();
      Map<Integer, Integer> batchSizes = new HashMap<>();
      boolean isAborted = false;
      for (Event event : events) {
        int partition = event.partition();
        List<Event> batch = waiting.computeIfAbsent(partition, p -> new ArrayList<>());
        batch.add(event);
        int size = batchSizes.computeIfAbsent(partition, p -> 5 + random.nextInt(60));
        if (batch.size() == size) {
          send(random.nextInt(3) == 0 ? lz4 : plain, batch);
          waiting.remove(partition);
          batchSizes.remove(partition);
          if (!isAborted && partition == ABORTED_PARTITION && isThirdDayAfternoon(event)) {
            abort(broker, event);
            isAborted = true;
          }
        }
      }
      for (List<Event> rest : waiting.values()) {
        send(plain, rest);
      }
    }
  }

  private static boolean isThirdDayAfternoon(Event event) {
    return event.arrivedMs() > OrderTraffic.START.plusSeconds(3600 * (48 + 15)).toEpochMilli();
  }

  private static void send(KafkaProducer<String, String> producer, List<Event> batch)
      throws InterruptedException, ExecutionException, TimeoutException {
    List<Future<RecordMetadata>> sent = new ArrayList<>();
    for (Event event : batch) {
      sent.add(producer.send(record(event, event.value())));
    }
    flush(producer, sent);
  }

  /** An import of prices that went wrong and was taken back. */
  private static void abort(KafkaBroker broker, Event after)
      throws InterruptedException, ExecutionException, TimeoutException {
    try (var producer = producer(broker, Map.of("transactional.id", "price-import"))) {
      producer.initTransactions();
      producer.beginTransaction();
      List<Future<RecordMetadata>> sent = new ArrayList<>();
      for (int i = 0; i < ABORTED_RECORDS; i++) {
        Event event =
            new Event(
                after.partition(), after.order(), after.arrivedMs() + i, after.arrivedMs(), "");
        sent.add(producer.send(record(event, "{\"event\":\"price-import\",\"row\":" + i + "}")));
      }
      flush(producer, sent);
      producer.abortTransaction();
    }
  }

  private static void flush(
      KafkaProducer<String, String> producer, List<Future<RecordMetadata>> sent)
      throws InterruptedException, ExecutionException, TimeoutException {
    producer.flush();
    for (Future<RecordMetadata> record : sent) {
      record.get(60, SECONDS);
    }
  }

  private static ProducerRecord<String, String> record(Event event, String value) {
    return new ProducerRecord<>(TOPIC, event.partition(), event.happenedMs(), event.key(), value);
  }

  private static KafkaProducer<String, String> producer(
      KafkaBroker broker, Map<String, Object> more) {
    Map<String, Object> settings = new HashMap<>(more);
    settings.put("bootstrap.servers", broker.bootstrapServers());
    // What is sent between two flushes becomes one batch.
    settings.put("linger.ms", "60000");
    settings.put("batch.size", "1000000");
    return new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
  }

  private static void pack(Path logDir) throws IOException {
    List<String> entries;
    try (Stream<Path> all = Files.list(logDir)) {
      entries =
          all.map(path -> path.getFileName().toString())
              .filter(SampleGenerator::isWanted)
              .sorted()
              .toList();
    }
    for (String entry : entries) {
      if (CHECKPOINTS.contains(entry)) {
        keepLinesOfTopic(logDir.resolve(entry));
      }
    }
    Files.createDirectories(SAMPLE.getParent());
    Archive.pack(logDir, entries, SAMPLE);
  }

  private static boolean isWanted(String name) {
    return name.startsWith(TOPIC + "-")
        || CHECKPOINTS.contains(name)
        || name.equals("meta.properties")
        || name.equals(".kafka_cleanshutdown");
  }

  /** A checkpoint file is a version, a number of lines, and the lines. */
  private static void keepLinesOfTopic(Path checkpoint) throws IOException {
    List<String> lines = Files.readAllLines(checkpoint);
    List<String> kept =
        lines.stream().skip(2).filter(line -> line.startsWith(TOPIC + " ")).toList();
    List<String> file = new ArrayList<>(List.of(lines.get(0), String.valueOf(kept.size())));
    file.addAll(kept);
    Files.write(checkpoint, file);
  }
}
