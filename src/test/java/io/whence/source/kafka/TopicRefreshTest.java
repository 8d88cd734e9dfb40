package io.whence.source.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.log.FollowedLog;
import io.whence.log.LogEnvironment;
import io.whence.log.LogEvents;
import io.whence.log.LogMemory;
import io.whence.model.ErrorReason;
import io.whence.model.TopicId;
import io.whence.model.WhenceException;
import io.whence.source.SourceHealth;
import io.whence.source.SourceHealth.State;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is told of a cluster from the first question for its topics until they are followed. */
class TopicRefreshTest {
  private static final TopicId ORDERS = new TopicId(new UUID(1, 2));
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @TempDir private Path directory;
  private final ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
  private final Lanes idle = new Lanes(List.of(FollowedCluster.idleLane()));
  private final FollowingHealth health =
      new FollowingHealth(Duration.ofSeconds(30), System::nanoTime);
  private final AtomicBoolean away = new AtomicBoolean(true);
  private final AtomicBoolean empty = new AtomicBoolean();
  private final AtomicBoolean opening = new AtomicBoolean();

  /** Who waits for it can't be interrupted, as who waits for a real one. */
  private final Semaphore disk = new Semaphore(1);

  private final AtomicBoolean hangs = new AtomicBoolean();
  private final AtomicBoolean asking = new AtomicBoolean();
  private final Queue<String> toldOf = new ConcurrentLinkedQueue<>();
  private final CountDownLatch mayOpen = new CountDownLatch(1);
  private final FakeLeaders leaders = new FakeLeaders();
  private ClusterTopics topics;
  private TopicRefresh refresh;

  @BeforeEach
  void make() {
    LogEnvironment environment =
        new LogEnvironment(
            InstantSource.system(), Runnable::run, deletion -> {}, 1 << 20, LogEvents.NOOP);
    topics = new ClusterTopics(directory, environment, this::slowlyOpened, idle);
    StartOffsets rule =
        new StartOffsets(leaders, new StartPoint.Earliest(), InstantSource.system(), LIMIT);
    refresh =
        new TopicRefresh(
            "prod",
            options(),
            this::told,
            topics,
            new Starts(leaders, rule, idle, Runnable::run),
            new ForgottenTopics(directory, leaders::ids, LIMIT));
  }

  @AfterEach
  void close() throws Exception {
    mayOpen.countDown();
    refresh.close();
    topics.close(Thread::new);
    idle.close();
    scheduler.shutdownNow();
  }

  private KafkaOptions options() {
    Duration interval = Duration.ofMillis(10);
    return new KafkaOptions(
        directory,
        Map.of(),
        new KafkaOptions.Topics(Pattern.compile(".*"), Pattern.compile("(?!)")),
        new StartPoint.Earliest(),
        new KafkaOptions.Timing(interval, LIMIT, LIMIT, LIMIT),
        1,
        new KafkaOptions.Resources(
            InstantSource.system(),
            scheduler,
            Thread::new,
            new KafkaEvents() {
              @Override
              public void refreshFailed(String source, String problem) {
                toldOf.add(problem);
              }
            },
            LogEvents.NOOP,
            LogMemory.usual()));
  }

  private Map<String, ClusterAdmin.Topic> told() throws TimeoutException {
    if (hangs.get()) {
      asking.set(true);
      disk.acquireUninterruptibly();
      disk.release();
    }
    if (away.get()) {
      throw new TimeoutException("nobody answers");
    }
    return empty.get() ? Map.of() : Map.of("orders", new ClusterAdmin.Topic(ORDERS, 1));
  }

  private FollowedPartition slowlyOpened(TopicId id, FollowedLog log) {
    opening.set(true);
    disk.acquireUninterruptibly();
    disk.release();
    try {
      assertThat(mayOpen.await(LIMIT.toMillis(), TimeUnit.MILLISECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return new FollowedPartition("prod", id, log, new BoundsQuestion(null, null), LIMIT);
  }

  private SourceHealth look() {
    return health.look(
        refresh.hasTold(), refresh.isListed(), refresh.problem(), topics.partitions());
  }

  private static void await(BooleanSupplier condition) {
    Awaitility.await()
        .pollInterval(Duration.ofMillis(5))
        .atMost(LIMIT)
        .until(condition::getAsBoolean);
  }

  @Test
  void topicsAreTold_whileTheirLogsAreOpened_andAnsweredAfterThat() {
    refresh.start();
    await(() -> refresh.problem() != null);
    assertThat(refresh.hasTold()).isFalse();
    assertThat(look().state()).isEqualTo(State.NOT_SERVING);
    assertThat(look().reason()).contains("can't be asked for its topics: nobody answers");
    assertNotReady("does not know its topics yet: the cluster can't be asked");

    away.set(false);
    await(refresh::hasTold);

    assertThat(refresh.isListed()).isFalse();
    assertThat(refresh.problem()).as("it was that nobody answered").isNull();
    assertThat(look().state()).isEqualTo(State.LOADING);
    assertThat(look().reason()).isEqualTo("the logs of its topics are being opened");
    assertNotReady("is still opening the logs of its topics; try again soon");

    mayOpen.countDown();
    await(refresh::isListed);

    refresh.requireListed();
    assertThat(topics.all()).containsOnlyKeys("orders");
    assertThat(look().reason()).isEqualTo("orders-0: is not followed to its end yet");
  }

  @Test
  void aClusterThatShowsNoTopic_isWarnedOf_asLongAsItShowsNone() {
    empty.set(true);
    away.set(false);
    refresh.start();
    await(refresh::isListed);

    assertThat(refresh.problem()).isNull();
    assertThat(refresh.warnings())
        .singleElement()
        .asString()
        .contains("none that whence.kafka.prod.topics", "does not let this server see it");

    mayOpen.countDown();
    empty.set(false);
    await(() -> refresh.warnings().isEmpty());
    assertThat(topics.all()).containsOnlyKeys("orders");
  }

  @Test
  void topicOfAnEarlierStart_isDeleted_onlyWhenAllIsListedAndTheClusterSaysThatItIsGone()
      throws IOException {
    Path gone = directory.resolve(new TopicId(new UUID(5, 6)).toString());
    Path hidden = directory.resolve(new TopicId(new UUID(7, 8)).toString());
    Path followed = directory.resolve(ORDERS.toString());
    Files.createDirectories(gone.resolve("gone-0"));
    Files.createDirectories(hidden.resolve("hidden-0"));
    Files.createDirectories(followed.resolve("orders-0"));
    leaders.failIds("gone", new UnknownTopicOrPartitionException("none"));
    leaders.failIds("hidden", new TopicAuthorizationException("may be"));
    away.set(false);
    refresh.start();
    await(refresh::hasTold);
    assertThat(gone).exists();

    mayOpen.countDown();
    await(() -> !Files.exists(gone));

    assertThat(hidden).exists();
    assertThat(followed).exists();
    assertThat(refresh.problem()).isNull();
  }

  private void assertNotReady(String message) {
    assertThatThrownBy(refresh::requireListed)
        .isInstanceOfSatisfying(
            WhenceException.class, e -> assertThat(e.reason()).isEqualTo(ErrorReason.NOT_READY))
        .hasMessageContaining(message);
  }

  @Test
  void logThatIsStillBeingOpened_theRefreshHasNotEnded() {
    away.set(false);
    disk.acquireUninterruptibly();
    refresh.start();
    Awaitility.await().atMost(LIMIT).until(opening::get);

    refresh.close();
    assertThat(refresh.hasEnded()).isFalse();

    disk.release();
    mayOpen.countDown();
    Awaitility.await().atMost(LIMIT).until(refresh::hasEnded);
  }

  @Test
  void questionThatFailsOfTheStop_isNotToldOf() {
    hangs.set(true);
    disk.acquireUninterruptibly();
    refresh.start();
    await(asking::get);

    refresh.stop();
    disk.release();
    await(refresh::hasEnded);

    assertThat(toldOf).isEmpty();
    assertThat(refresh.problem()).isNull();
  }
}
