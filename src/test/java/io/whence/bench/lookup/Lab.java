package io.whence.bench.lookup;

import io.whence.bench.Channels;
import io.whence.bench.Load;
import io.whence.bench.Machine;
import io.whence.bench.PageCache;
import io.whence.bench.WhenceServer;
import io.whence.bench.data.DataSet;
import io.whence.bench.data.LogPlan;
import io.whence.bench.data.Shape;
import io.whence.record.CompressionCodec;
import io.whence.testkit.Directories;
import io.whence.testkit.KafkaAdoption;
import io.whence.testkit.KafkaBroker;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.internals.AppInfoParser;

/**
 * The servers that are compared, over the same records: started when first asked for, and closed
 * when no longer needed, so that nothing idle takes from what is measured. Thread safety:
 * single-writer.
 */
final class Lab implements AutoCloseable {
  private static final int BATCH_RECORDS = 100;
  private static final int BATCHES_PER_SEGMENT = 50;
  private static final int VALUE_BYTES = 30;
  private static final int QUESTIONS = 64;
  private static final int WARM_UP_CALLERS = 2;
  private static final int WARM_UP_TIMES = 3;
  private static final int LEADER_LIMIT_MS = 120_000;

  private final Settings settings;
  private final Path directory;
  private final Path data;
  private final PageCache pageCache;
  private boolean isWritten;
  private boolean isWarm;
  private Optional<WhenceServer> whence = Optional.empty();
  private Optional<KafkaBroker> kafka = Optional.empty();

  Lab(Settings settings) {
    this.settings = settings;
    directory = Directories.temporary("whence-load");
    data = directory.resolve("compared");
    pageCache = PageCache.find(directory);
  }

  Settings settings() {
    return settings;
  }

  PageCache pageCache() {
    return pageCache;
  }

  /** Returns what figures of the servers depend on, as it is now. */
  Map<String, String> conditions() throws IOException {
    Map<String, String> conditions = Machine.conditions();
    conditions.put(
        "servers",
        "Kafka %s and Whence, each with %s"
            .formatted(AppInfoParser.getVersion(), String.join(" ", Machine.SERVER_OPTIONS)));
    conditions.put("clients", "in one JVM, Java " + Runtime.version().feature());
    conditions.put(
        "rounds",
        "%d, interleaved, of %s s; medians".formatted(settings.rounds(), settings.seconds()));
    return conditions;
  }

  /** Returns the topics that both servers have. */
  List<LogPlan> plans() {
    List<LogPlan> plans = new ArrayList<>();
    for (Shape shape : List.of(Shape.ABOUT_EVERY_MS, Shape.DISORDERED)) {
      for (CompressionCodec codec : List.of(CompressionCodec.NONE, CompressionCodec.LZ4)) {
        String name =
            (shape == Shape.ABOUT_EVERY_MS ? "ordered" : "disordered")
                + (codec == CompressionCodec.NONE ? "" : "-lz4");
        plans.add(
            new LogPlan(
                name,
                settings.maxPartitions(),
                settings.topicRecords(),
                shape,
                new LogPlan.Batches(codec, BATCH_RECORDS, BATCHES_PER_SEGMENT, VALUE_BYTES)));
      }
    }
    return plans;
  }

  /** Returns the questions of a cell. */
  List<Question> questions(LogPlan plan, int partitions) {
    return Question.of(plan, partitions, QUESTIONS);
  }

  /** Returns the server with the topics that are compared, running. */
  WhenceServer whence() throws Exception {
    if (whence.isEmpty()) {
      whence = Optional.of(WhenceServer.start(data()));
    }
    return whence.get();
  }

  /** Stops the server in order, if it runs. */
  void stopWhence() {
    isWarm = false;
    whence.ifPresent(WhenceServer::stop);
    whence = Optional.empty();
  }

  /** Returns the broker with the same topics, running. */
  KafkaBroker kafka() throws Exception {
    if (kafka.isEmpty()) {
      stopWhence();
      Machine.progress("Kafka opens a copy of the same logs");
      kafka = Optional.of(KafkaAdoption.start(data(), Map.of(), Machine.SERVER_OPTIONS));
      awaitLeaders(kafka.get());
    }
    return kafka.get();
  }

  /**
   * Lets both servers and all clients compile what they need, with the largest calls and the
   * smallest; once for each start of the servers.
   */
  void warmUp() throws Exception {
    kafka();
    if (isWarm) {
      return;
    }
    Machine.progress("warming up");
    LogPlan plan = plans().get(plans().size() - 1);
    for (int partitions : List.of(settings.maxPartitions(), 1)) {
      for (PeerKind kind : PeerKind.values()) {
        try (LookupSession session = session(kind, questions(plan, partitions), WARM_UP_CALLERS)) {
          Load.run(session.callers(), settings.nanos() * WARM_UP_TIMES);
        }
      }
    }
    isWarm = true;
  }

  /** Waits until the broker leads all partitions; it says that it has started before that. */
  void awaitLeaders(KafkaBroker broker) throws Exception {
    Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
    for (LogPlan plan : plans()) {
      for (int i = 0; i < plan.partitions(); i++) {
        ends.put(new TopicPartition(plan.topic(), i), OffsetSpec.latest());
      }
    }
    try (Admin admin = broker.admin()) {
      ListOffsetsOptions options = new ListOffsetsOptions().timeoutMs(LEADER_LIMIT_MS);
      admin.listOffsets(ends, options).all().get(LEADER_LIMIT_MS, TimeUnit.MILLISECONDS);
    }
  }

  private Path data() throws Exception {
    if (!isWritten) {
      Machine.progress("writing " + plans().size() + " topics");
      DataSet.write(data, plans());
      isWritten = true;
    }
    return data;
  }

  /** Drops the page cache of all that the servers have. */
  void dropPageCache() throws Exception {
    List<Path> directories = new ArrayList<>(List.of(directory));
    kafka.ifPresent(broker -> directories.add(broker.logDir()));
    pageCache.dropAll(directories);
  }

  /** Returns whether a file is one of the logs or their indexes. */
  boolean isOfLogs(String file) {
    return Path.of(file).startsWith(directory);
  }

  /** Writes logs of their own, for one measurement. */
  Path write(String name, LogPlan plan) throws Exception {
    Path made = directory.resolve(name);
    DataSet.write(made, List.of(plan));
    return made;
  }

  /** Removes logs that are no longer needed. */
  void remove(Path made) {
    Directories.delete(made);
  }

  /** Returns callers of a peer. */
  LookupSession session(PeerKind kind, List<Question> questions, int callers) throws Exception {
    return switch (kind) {
      case KAFKA -> adminSession(questions, callers);
      case KAFKA_BYTES -> socketSession(questions, callers);
      case WHENCE, WHENCE_BYTES, NO_OP, NO_OP_BYTES ->
          session(kind, whence(), questions, callers, Channels.CALLERS_EACH);
    };
  }

  /** Returns callers of a server of ours. */
  static LookupSession session(
      PeerKind kind, WhenceServer server, List<Question> questions, int callers, int callersEach)
      throws Exception {
    Channels channels = Channels.open(server.port(), callers, callersEach);
    if (kind == PeerKind.NO_OP || kind == PeerKind.NO_OP_BYTES) {
      BytesClient.teachNoOp(channels.of(0), questions);
    }
    return session(
        kind,
        questions,
        IntStream.range(0, callers)
            .mapToObj(
                i ->
                    switch (kind) {
                      case WHENCE -> WhenceClient.ofWhence(channels.of(i), questions);
                      case NO_OP -> WhenceClient.ofNoOp(channels.of(i), questions);
                      case NO_OP_BYTES -> BytesClient.ofNoOp(channels.of(i), questions);
                      default -> BytesClient.ofWhence(channels.of(i), questions);
                    })
            .toList(),
        channels::close);
  }

  private LookupSession adminSession(List<Question> questions, int callers) throws Exception {
    KafkaBroker broker = kafka();
    List<Admin> admins = IntStream.range(0, callers).mapToObj(i -> broker.admin()).toList();
    return session(
        PeerKind.KAFKA,
        questions,
        admins.stream().map(admin -> new AdminClient(admin, questions)).toList(),
        () -> admins.forEach(Admin::close));
  }

  private LookupSession socketSession(List<Question> questions, int callers) throws Exception {
    String address = kafka().bootstrapServers();
    int port = Integer.parseInt(address.substring(address.indexOf(':') + 1));
    List<KafkaSocket> sockets =
        IntStream.range(0, callers).mapToObj(i -> new KafkaSocket(port, questions)).toList();
    return session(
        PeerKind.KAFKA_BYTES, questions, sockets, () -> sockets.forEach(KafkaSocket::close));
  }

  private static LookupSession session(
      PeerKind kind,
      List<Question> questions,
      List<? extends LookupClient> clients,
      Runnable release) {
    return new LookupSession(
        IntStream.range(0, clients.size())
            .mapToObj(
                i ->
                    new LookupCaller(
                        clients.get(i), questions, kind.title(), i * QUESTIONS / clients.size()))
            .toList(),
        release);
  }

  /** Ends the servers that are compared; they start again when asked for. */
  void closeServers() {
    isWarm = false;
    whence.ifPresent(WhenceServer::close);
    whence = Optional.empty();
    kafka.ifPresent(KafkaBroker::close);
    kafka = Optional.empty();
  }

  @Override
  public void close() throws IOException {
    closeServers();
    Directories.delete(directory);
  }
}
