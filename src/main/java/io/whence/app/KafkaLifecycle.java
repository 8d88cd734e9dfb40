package io.whence.app;

import io.whence.commit.GroupOffsets;
import io.whence.commit.kafka.KafkaGroupOffsets;
import io.whence.commit.kafka.KafkaGroupOptions;
import io.whence.log.LogEvents;
import io.whence.log.LogMemory;
import io.whence.source.LogSource;
import io.whence.source.kafka.ClientProperties;
import io.whence.source.kafka.KafkaOptions;
import io.whence.source.kafka.KafkaSource;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Opens and closes a source that follows a cluster, with the threads that it needs. */
final class KafkaLifecycle implements SourceLifecycle {
  private static final Pattern ALL = Pattern.compile(".*");

  /** How many groups are committed for at once: each waits for the cluster. */
  private static final int COMMIT_THREADS = 8;

  private static final Pattern NONE = Pattern.compile("(?!)");

  private final String name;
  private final KafkaConfig config;
  private final GroupsConfig groupsConfig;
  private final Path directory;
  private final KafkaOptions.Resources resources;
  private final ScheduledExecutorService scheduler;
  private final ExecutorService committer;
  private @Nullable KafkaSource source;
  private @Nullable KafkaGroupOffsets groups;

  /**
   * Makes a lifecycle; opens nothing yet.
   *
   * @param directory where the logs go
   * @param memory what all logs share
   */
  KafkaLifecycle(
      String name,
      KafkaConfig config,
      Path directory,
      GroupsConfig groupsConfig,
      InstantSource clock,
      LogEvents events,
      LogMemory memory) {
    this.name = name;
    this.config = config;
    this.directory = directory;
    this.groupsConfig = groupsConfig;
    NamedThreads threads = new NamedThreads("whence-kafka-" + name);
    this.scheduler = Executors.newSingleThreadScheduledExecutor(threads);
    this.committer = Executors.newFixedThreadPool(COMMIT_THREADS, threads);
    this.resources =
        new KafkaOptions.Resources(
            clock, scheduler, threads, new LoggedFollowing(), events, memory);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String setting() {
    return "whence.kafka." + name;
  }

  @Override
  public LogSource open() throws IOException {
    Map<String, Object> client = client();
    KafkaOptions options =
        new KafkaOptions(
            directory,
            client,
            new KafkaOptions.Topics(
                config.topics().map(Pattern::compile).orElse(ALL),
                config.exclude().map(Pattern::compile).orElse(NONE)),
            new KafkaOptions.Timing(
                config.refresh(), config.requestTimeout(), config.maxStaleness()),
            config.lanes(),
            resources);
    KafkaSource opened = KafkaSource.open(name, options);
    source = opened;
    groups = KafkaGroupOffsets.open(groupOptions(client));
    return opened;
  }

  private KafkaGroupOptions groupOptions(Map<String, Object> client) {
    return new KafkaGroupOptions(
        name,
        client,
        config.requestTimeout(),
        resources.clock(),
        committer,
        KafkaGroupOptions.usualTransactionPrefix(name),
        new KafkaGroupOptions.RequestMemory(
            groupsConfig.requestWindow(), groupsConfig.maxRequests()));
  }

  @Override
  public Optional<GroupOffsets> groupOffsets() {
    return Optional.ofNullable(groups);
  }

  /** What is said here counts more than what is in the file. */
  private Map<String, Object> client() throws IOException {
    Map<String, Object> client = new HashMap<>();
    if (config.clientProperties().isPresent()) {
      client.putAll(ClientProperties.read(config.clientProperties().get()));
    }
    client.putAll(config.client());
    client.put("bootstrap.servers", String.join(",", config.bootstrap()));
    return client;
  }

  @Override
  public void close() throws IOException {
    try {
      KafkaGroupOffsets offsets = groups;
      if (offsets != null) {
        offsets.close();
      }
      KafkaSource opened = source;
      if (opened != null) {
        opened.close();
      }
    } finally {
      committer.shutdownNow();
      scheduler.shutdownNow();
    }
  }
}
