package io.whence.commit;

import static io.whence.commit.Entries.allowing;
import static io.whence.commit.Entries.entry;
import static io.whence.commit.Entries.withEpochs;
import static io.whence.commit.Entries.withMetadata;
import static io.whence.commit.GroupsDir.TOPIC;
import static io.whence.commit.GroupsDir.request;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.whence.model.Cancellation;
import io.whence.model.TopicPartition;
import io.whence.source.archive.ArchiveOptions;
import io.whence.source.archive.ArchiveProgress;
import io.whence.source.archive.ArchiveSource;
import io.whence.testkit.KafkaAdoption;
import io.whence.testkit.KafkaBroker;
import io.whence.testkit.KafkaTools;
import io.whence.testkit.KafkaTopics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kafka's tools and a real broker read the offsets that we wrote, and we read a broker's. */
class KafkaOffsetsIT {
  private static final List<String> GROUPS =
      List.of("billing", "größe-✓", "\uD83D\uDE80 rockets", "a", "b", "test", "polygenelubricants");

  private static final Pattern MISSING_INDEX =
      Pattern.compile(
          "Could not find offset index file corresponding to log file /.*/data/(\\S+[.]log)");

  private static final Pattern ERROR_OF_LOG_OR_GROUP =
      Pattern.compile("ERROR .*([.]storage[.]|oordinator|__consumer_offsets)");

  private final ObjectMapper json = new ObjectMapper();
  @TempDir private Path given;

  /** What is committed; an epoch of -1 is none. */
  private record Value(long offset, int leaderEpoch, String metadata) {}

  private static Map<String, Map<TopicPartition, Value>> known(Collection<Group> groups) {
    Map<String, Map<TopicPartition, Value>> known = new TreeMap<>();
    for (Group group : groups) {
      Map<TopicPartition, Value> offsets = new HashMap<>();
      group.forEach(
          (topic, partition, offset) ->
              offsets.put(
                  new TopicPartition(topic, partition),
                  new Value(
                      offset.nextOffset(), offset.leaderEpoch().orElse(-1), offset.metadata())));
      known.put(group.name(), offsets);
    }
    return known;
  }

  private static Set<String> names(Admin admin) throws Exception {
    return admin.listGroups().all().get(60, SECONDS).stream()
        .map(GroupListing::groupId)
        .collect(Collectors.toSet());
  }

  private static Map<String, Map<TopicPartition, Value>> known(
      Admin admin, Collection<String> names) throws Exception {
    Map<String, Map<TopicPartition, Value>> known = new TreeMap<>();
    var all =
        admin
            .listConsumerGroupOffsets(
                names.stream()
                    .collect(
                        Collectors.toMap(name -> name, name -> new ListConsumerGroupOffsetsSpec())))
            .all()
            .get(60, SECONDS);
    all.forEach(
        (group, offsets) -> {
          Map<TopicPartition, Value> of = new HashMap<>();
          offsets.forEach(
              (partition, offset) ->
                  of.put(
                      new TopicPartition(partition.topic(), partition.partition()),
                      new Value(
                          offset.offset(), offset.leaderEpoch().orElse(-1), offset.metadata())));
          known.put(group, of);
        });
    return known;
  }

  @Test
  void offsetsWrittenHere_areThoseThatKafkaReads() throws Exception {
    Path ours = given.resolve("ours");
    Map<String, Map<TopicPartition, Value>> expected;
    try (GroupsDir dir = GroupsDir.open(ours)) {
      dir.clock.advance(System.currentTimeMillis() - GroupsDir.START_MS);
      dir.reopen(smallSegments(dir.options()));
      dir.withTopic(TOPIC, 4, 100).withTopic("payments.eu", 2, 10);
      write(dir);
      dir.offsets.compact();
      write(dir);
      expected = known(dir.offsets.groups());
    }
    assertThat(expected.keySet()).containsExactlyInAnyOrderElementsOf(GROUPS);
    assertDumped(ours, expected);
    try (KafkaBroker broker = KafkaAdoption.startWithGroups(ours, Map.of());
        Admin admin = broker.admin()) {
      // The coordinator answers when it has read everything; the list is empty until then.
      assertThat(known(admin, GROUPS)).isEqualTo(expected);
      Map<String, Map<TopicPartition, Value>> listed = known(admin, names(admin));
      // A coordinator forgets a group without offsets when it next looks for expired ones.
      assertThat(listed.remove("one-shot")).isNullOrEmpty();
      assertThat(listed).isEqualTo(expected);
      assertFormatted(broker, expected);
      assertNoErrors(broker.processLog(), ours);
    }
  }

  private static GroupOptions smallSegments(GroupOptions o) {
    return new GroupOptions(
        o.clock(),
        o.retention(),
        o.historyLimit(),
        o.requestWindow(),
        o.maxRequests(),
        o.metadataMaxChars(),
        2_000);
  }

  /** Leaves one tombstone, and a group that is gone. */
  private static void write(GroupsDir dir) {
    for (String group : GROUPS) {
      for (int i = 0; i < 12; i++) {
        dir.clock.advance(1);
        CommitEntry first = withMetadata(entry(0, i), "nach Größe sortiert: " + group);
        CommitEntry second = withEpochs(entry(1, 2L * i), 3 + i % 2, 9);
        CommitEntry far = allowing(entry(3, 5_000_000_000L + i), true, true);
        dir.commit(
            request(
                group,
                i % 3 == 0 ? "request-✓-" + dir.clock.millis() : "",
                allowing(first, true, false),
                allowing(second, true, false),
                entry(2, 7),
                far,
                Entries.inTopic(entry(1, 10), "payments.eu"),
                Entries.inTopic(entry(0, 1), "unknown")));
      }
      dir.offsets
          .deleteOffsets(group, List.of(new TopicPartition(TOPIC, 2)), Cancellation.NONE)
          .toCompletableFuture()
          .join();
    }
    dir.commit("one-shot", entry(0, 1));
    dir.offsets.deleteGroup("one-shot", Cancellation.NONE).toCompletableFuture().join();
  }

  private static List<Path> segments(Path directory) throws IOException {
    try (var files = Files.walk(directory)) {
      return files
          .filter(file -> file.toString().endsWith(".log") && file.toFile().length() > 0)
          .filter(file -> file.getParent().getFileName().toString().startsWith(OffsetsTopic.NAME))
          .sorted()
          .toList();
    }
  }

  private static void assertDumped(Path directory, Map<String, Map<TopicPartition, Value>> expected)
      throws IOException {
    List<Path> segments = segments(directory);
    assertThat(segments).hasSizeGreaterThan(GROUPS.size());
    String dump = KafkaTools.dumpLog(List.of("--offsets-decoder"), segments.toArray(Path[]::new));
    assertThat(dump).doesNotContainIgnoringCase("exception").doesNotContain("orrupt");
    for (String group : expected.keySet()) {
      assertThat(dump).contains("\"group\":\"" + group + "\"");
    }
  }

  /**
   * Of logs and groups. We keep no index files of empty segments, and a broker says so before it
   * makes some.
   */
  private static void assertNoErrors(String log, Path directory) {
    assertThat(log).doesNotContain("orrupt");
    for (String line : log.lines().filter(l -> ERROR_OF_LOG_OR_GROUP.matcher(l).find()).toList()) {
      Matcher missing = MISSING_INDEX.matcher(line);
      assertThat(missing.find()).as(line).isTrue();
      assertThat(directory.resolve(missing.group(1))).isEmptyFile();
    }
  }

  private void assertFormatted(KafkaBroker broker, Map<String, Map<TopicPartition, Value>> expected)
      throws IOException {
    String printed =
        KafkaTools.run(
            "org.apache.kafka.tools.consumer.ConsoleConsumer",
            List.of(
                "--bootstrap-server",
                broker.bootstrapServers(),
                "--topic",
                OffsetsTopic.NAME,
                "--from-beginning",
                "--formatter",
                "org.apache.kafka.tools.consumer.OffsetsMessageFormatter",
                "--formatter-property",
                "print.key=true",
                "--timeout-ms",
                "15000"));
    Map<String, Map<TopicPartition, Value>> found = new TreeMap<>();
    // One after the other, without line breaks.
    String documents = printed.substring(printed.indexOf("{"), printed.lastIndexOf("}") + 1);
    try (MappingIterator<JsonNode> all = json.readerFor(JsonNode.class).readValues(documents)) {
      all.forEachRemaining(record -> addFormatted(record, found));
    }
    found.values().removeIf(Map::isEmpty);
    assertThat(found).isEqualTo(expected);
  }

  private static void addFormatted(JsonNode line, Map<String, Map<TopicPartition, Value>> found) {
    JsonNode key = line.path("key").path("data");
    JsonNode value = line.path("value").path("data");
    String group = key.path("group").asText();
    if (!key.has("topic") || group.startsWith("console-consumer")) {
      return;
    }
    TopicPartition partition =
        new TopicPartition(key.path("topic").asText(), key.path("partition").asInt());
    Map<TopicPartition, Value> of = found.computeIfAbsent(group, name -> new HashMap<>());
    if (value.has("offset")) {
      of.put(
          partition,
          new Value(
              value.path("offset").asLong(),
              value.path("leaderEpoch").asInt(-1),
              value.path("metadata").asText()));
    } else {
      of.remove(partition);
    }
  }

  @Test
  void offsetsWrittenByABroker_areThoseThatAnArchiveHas() throws Exception {
    try (KafkaBroker broker = KafkaBroker.start(Map.of("offsets.topic.num.partitions", "50"));
        Admin admin = broker.admin()) {
      KafkaTopics.create(admin, TOPIC, 4);
      commitByConsumer(broker, "members");
      commitByConsumer(broker, "größe-✓");
      for (int i = 0; i < 3; i++) {
        admin
            .alterConsumerGroupOffsets(
                "altered",
                Map.of(kafka(0), offset(10 + i, i, "um " + i), kafka(3), offset(9 - i, -1, "")))
            .all()
            .get(60, SECONDS);
      }
      admin.deleteConsumerGroupOffsets("altered", Set.of(kafka(3))).all().get(60, SECONDS);
      admin
          .alterConsumerGroupOffsets("gone", Map.of(kafka(1), offset(1, -1, "")))
          .all()
          .get(60, SECONDS);
      admin.deleteConsumerGroups(Set.of("gone")).all().get(60, SECONDS);
      Map<String, Map<TopicPartition, Value>> expected = known(admin, names(admin));
      assertThat(expected.keySet()).containsExactlyInAnyOrder("members", "größe-✓", "altered");
      assertThat(expected.get("altered")).hasSize(1);
      broker.stop();
      ArchiveSource archive =
          ArchiveSource.open(
              "archive", ArchiveOptions.of(List.of(broker.logDir())), InstantSource.system());
      archive.load(Runnable::run, ArchiveProgress.NOOP).toCompletableFuture().join();
      ArchivedGroupOffsets offsets = new ArchivedGroupOffsets(archive);
      assertThat(known(offsets.groups())).isEqualTo(expected);
    }
  }

  private static org.apache.kafka.common.TopicPartition kafka(int partition) {
    return new org.apache.kafka.common.TopicPartition(TOPIC, partition);
  }

  private static OffsetAndMetadata offset(long offset, int leaderEpoch, String metadata) {
    return new OffsetAndMetadata(
        offset, leaderEpoch < 0 ? Optional.empty() : Optional.of(leaderEpoch), metadata);
  }

  private static void commitByConsumer(KafkaBroker broker, String group) {
    Map<String, Object> settings =
        Map.of(
            "bootstrap.servers",
            broker.bootstrapServers(),
            "group.id",
            group,
            "enable.auto.commit",
            "false");
    try (var consumer =
        new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      consumer.assign(List.of(kafka(0), kafka(1), kafka(2)));
      for (int i = 0; i < 5; i++) {
        consumer.commitSync(
            Map.of(kafka(0), offset(i, 0, "gelesen ✓ " + i), kafka(1), offset(100 - i, -1, "")));
      }
      consumer.commitSync(Map.of(kafka(2), offset(0, 0, "")));
    }
  }
}
