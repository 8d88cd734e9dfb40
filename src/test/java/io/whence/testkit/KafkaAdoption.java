package io.whence.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

/**
 * Opens a copy of a log directory that has no cluster metadata, such as one that Whence wrote, with
 * a real broker. A broker that makes topics of the same names lends its topic ids to the copy. The
 * broker has fewer leader epochs behind it than the log may have; where that matters, use {@link
 * KafkaBroker#startOn} with the metadata of the log. Thread safety: thread-safe.
 */
public final class KafkaAdoption {
  private static final Pattern PARTITION = Pattern.compile("([a-zA-Z0-9._-]+)-(\\d+)");
  private static final String OFFSETS_TOPIC = "__consumer_offsets";
  private static final String TOPIC_ID_FILE = "partition.metadata";
  private static final List<String> STATE_FILES =
      List.of(
          ".kafka_cleanshutdown",
          "recovery-point-offset-checkpoint",
          "replication-offset-checkpoint",
          "log-start-offset-checkpoint");

  private KafkaAdoption() {}

  /**
   * Starts a broker on a copy of the partitions of a log directory, those of internal topics
   * excepted. It recovers them if the directory has no clean marker.
   *
   * @param logDir the directory; is not changed
   * @param overrides settings of the broker that replace those of the kit
   */
  public static KafkaBroker start(Path logDir, Map<String, String> overrides) {
    return start(logDir, () -> KafkaBroker.start(overrides), name -> !name.startsWith("__"));
  }

  /**
   * Starts a broker likewise, with other options of its JVM than those for tests.
   *
   * @param logDir the directory; is not changed
   * @param overrides settings of the broker that replace those of the kit
   * @param jvmOptions memory, garbage collector, compilation
   */
  public static KafkaBroker start(
      Path logDir, Map<String, String> overrides, List<String> jvmOptions) {
    return start(
        logDir, () -> KafkaBroker.start(overrides, jvmOptions), name -> !name.startsWith("__"));
  }

  /**
   * Starts a broker on a copy of the partitions of a log directory, and lets it be the coordinator
   * of the groups whose offsets are there. There must be all partitions of the offsets topic.
   *
   * @param logDir the directory; is not changed
   * @param overrides settings of the broker that replace those of the kit
   */
  public static KafkaBroker startWithGroups(Path logDir, Map<String, String> overrides) {
    Map<String, String> settings = new HashMap<>(overrides);
    int partitions = topics(partitionDirs(logDir, OFFSETS_TOPIC::equals)).get(OFFSETS_TOPIC);
    settings.put("offsets.topic.num.partitions", String.valueOf(partitions));
    return start(
        logDir,
        () -> KafkaBroker.start(settings),
        name -> !name.startsWith("__") || name.equals(OFFSETS_TOPIC));
  }

  private static KafkaBroker start(
      Path logDir, Supplier<KafkaBroker> starter, Predicate<String> topics) {
    List<String> partitionDirs = partitionDirs(logDir, topics);
    KafkaBroker broker = starter.get();
    try {
      createTopics(broker, topics(partitionDirs));
      broker.stop();
      for (String dir : partitionDirs) {
        replacePartition(logDir.resolve(dir), broker.logDir().resolve(dir));
      }
      for (String name : STATE_FILES) {
        replaceFile(logDir.resolve(name), broker.logDir().resolve(name));
      }
      broker.restart();
      return broker;
    } catch (IOException e) {
      broker.close();
      throw new UncheckedIOException(e);
    } catch (RuntimeException e) {
      broker.close();
      throw e;
    }
  }

  private static List<String> partitionDirs(Path logDir, Predicate<String> topics) {
    try (var entries = Files.list(logDir)) {
      return entries
          .filter(Files::isDirectory)
          .map(dir -> dir.getFileName().toString())
          .filter(
              name -> {
                Matcher matcher = PARTITION.matcher(name);
                return matcher.matches() && topics.test(matcher.group(1));
              })
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Map<String, Integer> topics(List<String> partitionDirs) {
    Map<String, Integer> partitionCounts = new TreeMap<>();
    for (String dir : partitionDirs) {
      Matcher name = PARTITION.matcher(dir);
      if (name.matches()) {
        partitionCounts.merge(name.group(1), Integer.parseInt(name.group(2)) + 1, Math::max);
      }
    }
    return partitionCounts;
  }

  private static void createTopics(KafkaBroker broker, Map<String, Integer> topics) {
    List<NewTopic> wanted =
        topics.entrySet().stream()
            .map(
                topic ->
                    new NewTopic(topic.getKey(), topic.getValue(), (short) 1)
                        .configs(
                            topic.getKey().equals(OFFSETS_TOPIC)
                                ? Map.of("cleanup.policy", "compact")
                                : Map.of()))
            .toList();
    try (Admin admin = broker.admin()) {
      KafkaTopics.create(admin, wanted);
    }
  }

  private static void replacePartition(Path from, Path to) throws IOException {
    byte[] topicId = Files.readAllBytes(to.resolve(TOPIC_ID_FILE));
    Directories.delete(to);
    Directories.copy(from, to);
    Files.write(to.resolve(TOPIC_ID_FILE), topicId);
  }

  private static void replaceFile(Path from, Path to) throws IOException {
    if (Files.exists(from)) {
      Files.copy(from, to, StandardCopyOption.REPLACE_EXISTING);
    } else {
      Files.deleteIfExists(to);
    }
  }
}
