package io.whence.app;

import io.whence.commit.GroupOffsets;
import io.whence.commit.LagReader;
import io.whence.commit.LagSurvey;
import io.whence.commit.kafka.KafkaGroupOffsets;
import io.whence.commit.kafka.KafkaGroupOptions;
import io.whence.ops.KafkaMetrics;
import io.whence.resolve.LogResolver;
import io.whence.source.LogSource;
import io.whence.source.kafka.ClientProperties;
import io.whence.source.kafka.KafkaOptions;
import io.whence.source.kafka.KafkaSource;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.regex.Pattern;
import org.apache.kafka.clients.CommonClientConfigs;
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
  private final KafkaMetrics metrics;
  private final Path directory;
  private final KafkaOptions.Resources resources;
  private final ScheduledExecutorService scheduler;
  private final ExecutorService committer;
  private @Nullable KafkaSource source;
  private @Nullable KafkaGroupOffsets groups;
  private @Nullable LagLooks lagLooks;
  private Runnable unwatch = () -> {};

  /**
   * Makes a lifecycle; opens nothing yet.
   *
   * @param directory where the logs go
   * @param shared what all such sources share
   */
  KafkaLifecycle(
      String name,
      KafkaConfig config,
      Path directory,
      GroupsConfig groupsConfig,
      Following shared) {
    this.name = name;
    this.config = config;
    this.directory = directory;
    this.groupsConfig = groupsConfig;
    this.metrics = shared.metrics();
    NamedThreads threads = new NamedThreads("whence-kafka-" + name);
    this.scheduler = new PeriodicThread(threads);
    this.committer = Executors.newFixedThreadPool(COMMIT_THREADS, threads);
    this.resources =
        new KafkaOptions.Resources(
            shared.clock(),
            scheduler,
            threads,
            shared.metrics().events(name),
            shared.events(),
            shared.memory());
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
            StartSetting.parse(config.start()),
            new KafkaOptions.Timing(
                config.refresh(),
                config.requestTimeout(),
                config.maxStaleness(),
                config.compactionCheck()),
            config.lanes(),
            resources);
    KafkaSource opened = KafkaSource.open(name, options);
    source = opened;
    unwatch = metrics.watch(name, opened::hasToldTopics, opened::health);
    KafkaGroupOffsets offsets = KafkaGroupOffsets.open(groupOptions(client));
    groups = offsets;
    lagLooks = config.lagInterval().isZero() ? null : lagLooks(opened, offsets);
    return opened;
  }

  private LagLooks lagLooks(KafkaSource opened, KafkaGroupOffsets offsets) {
    Pattern wanted = config.lagGroups().map(Pattern::compile).orElse(ALL);
    LagSurvey survey =
        new LagSurvey(
            opened,
            () -> offsets.groups(group -> wanted.matcher(group).matches()),
            new LagReader(new LogResolver()),
            resources.clock());
    return LagLooks.start(
        name, survey, metrics.lags(name, config.lagMaxSeries()), config.lagInterval());
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
    // A name that nobody can resolve yet is as good a reason to wait as a cluster that is away.
    client.put(CommonClientConfigs.BOOTSTRAP_RESOLVE_TIMEOUT_MS_CONFIG, Integer.MAX_VALUE);
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
      unwatch.run();
      LagLooks looks = lagLooks;
      if (looks != null) {
        looks.stop();
      }
      KafkaGroupOffsets offsets = groups;
      if (offsets != null) {
        offsets.close(); // Ends what a look waits for, too.
      }
      if (looks != null) {
        looks.close();
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
