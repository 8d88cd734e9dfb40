package io.whence.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.model.ClusterWait;
import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FairPoolTest {
  private static final int MAX_WAITS = 256;
  private static final int CALLS = 300;

  private static final int ROOM = 20;

  private final FairPool pool = new FairPool("whence-test", 1, ROOM);
  private final CountDownLatch gate = new CountDownLatch(1);
  private final List<String> done = new CopyOnWriteArrayList<>();

  @AfterEach
  void stop() throws InterruptedException {
    gate.countDown();
    pool.stop(Duration.ofSeconds(10));
  }

  @Test
  void manyTasksOfOneOwner_keepAnotherWaitingForOneOfThem() throws InterruptedException {
    block();
    for (int i = 0; i < 5; i++) {
      submit("greedy", "g" + i);
    }
    submit("modest", "m0");
    submit("modest", "m1");
    submit("other", "o0");

    release();

    assertThat(done).containsExactly("g0", "m0", "o0", "g1", "m1", "g2", "g3", "g4");
  }

  @Test
  void moreThanThereIsRoomFor_refusedAndTheRestIsDone() throws InterruptedException {
    block();
    for (int i = 0; i < ROOM; i++) {
      submit("owner", String.valueOf(i));
    }

    assertThatThrownBy(() -> submit("modest", "late"))
        .isInstanceOf(RejectedExecutionException.class);
    assertThat(pool.waiting()).isEqualTo(ROOM);

    release();
    assertThat(done).hasSize(ROOM).doesNotContain("late");
  }

  @Test
  void expectedWait_growsWithWhatIsBeforeATask() throws InterruptedException {
    assertThat(pool.expectedWaitNanos("a")).isZero();
    CountDownLatch slow = new CountDownLatch(1);
    pool.execute("a", () -> spin(TimeUnit.MILLISECONDS.toNanos(20)));
    pool.execute("a", slow::countDown);
    assertThat(slow.await(60, TimeUnit.SECONDS)).isTrue();
    block();
    assertThat(pool.expectedWaitNanos("a")).isZero();
    for (int i = 0; i < 10; i++) {
      submit("a", "a" + i);
    }

    long ofGreedy = pool.expectedWaitNanos("a");
    long ofModest = pool.expectedWaitNanos("b");

    assertThat(ofModest).isPositive();
    assertThat(ofGreedy).isEqualTo(10 * ofModest);
  }

  @Test
  void tasksThatWaitForACluster_keepNobodyElseWaiting() throws InterruptedException {
    CountDownLatch waiting = new CountDownLatch(5);
    for (int i = 0; i < 5; i++) {
      pool.execute("greedy", () -> waitForCluster(waiting));
    }
    assertThat(waiting.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(pool.busy()).isZero();
    assertThat(pool.expectedWaitNanos("other")).isZero();

    CountDownLatch answered = new CountDownLatch(1);
    pool.execute("other", answered::countDown);
    assertThat(answered.await(60, TimeUnit.SECONDS)).isTrue();

    gate.countDown();
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> assertThat(done).hasSize(5));
    Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> pool.busy() == 0);
    submit("other", "later");
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> assertThat(done).hasSize(6));
  }

  @Test
  void moreThanMayWaitForAClusterAtOnce_areRefusedAndHoldNoPlace() throws InterruptedException {
    FairPool large = new FairPool("whence-test", 2, CALLS);
    AtomicInteger refused = new AtomicInteger();
    for (int i = 0; i < CALLS; i++) {
      large.execute(
          "greedy",
          () -> {
            try {
              waitForCluster(new CountDownLatch(1));
            } catch (WhenceException e) {
              assertThat(e.reason()).isEqualTo(ErrorReason.OVERLOADED);
              refused.incrementAndGet();
            }
          });
    }
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> refused.get() == CALLS - MAX_WAITS && large.busy() == 0);
    assertThat(large.waiting()).isZero();

    CountDownLatch answered = new CountDownLatch(1);
    large.execute("other", answered::countDown);
    assertThat(answered.await(60, TimeUnit.SECONDS)).isTrue();

    gate.countDown();
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> assertThat(done).hasSize(MAX_WAITS));
    large.execute("greedy", () -> waitForCluster(new CountDownLatch(1)));
    large.stop(Duration.ofSeconds(10));
    assertThat(done).hasSize(MAX_WAITS + 1);
    assertThat(large.busy()).isZero();
  }

  private void waitForCluster(CountDownLatch began) {
    try (ClusterWait outer = ClusterWait.begin();
        ClusterWait inner = ClusterWait.begin()) {
      began.countDown();
      assertThat(outer).isNotSameAs(inner);
      assertThat(gate.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    done.add("waited");
  }

  @Test
  void taskThatFails_leavesTheOthersAlone() throws InterruptedException {
    block();
    pool.execute(
        "a",
        () -> {
          throw new IllegalStateException("a fault of a test");
        });
    submit("a", "next");

    release();

    assertThat(done).containsExactly("next");
    assertThat(pool.busy()).isZero();
  }

  @Test
  void stoppedPool_refusesAndKeepsNothing() throws InterruptedException {
    pool.stop(Duration.ofSeconds(1));

    assertThatThrownBy(() -> submit("a", "late")).isInstanceOf(RejectedExecutionException.class);
    assertThat(pool.waiting()).isZero();
  }

  /** Each task takes a new thread, which is what a stop can come in between of. */
  @Test
  void whatIsTakenWhileThePoolStops_isDone_andNothingElse() throws Exception {
    for (int i = 0; i < 100; i++) {
      FairPool stopped = new FairPool("whence-test", 100, 100);
      AtomicInteger ran = new AtomicInteger();
      CountDownLatch begun = new CountDownLatch(1);
      CompletableFuture<Integer> taken =
          CompletableFuture.supplyAsync(() -> submitUntilRefused(stopped, ran, begun));
      assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();

      stopped.stop(Duration.ofSeconds(20));

      assertThat(taken.get(10, TimeUnit.SECONDS)).isEqualTo(ran.get());
      assertThat(stopped.waiting()).isZero();
      assertThat(stopped.busy()).isZero();
    }
  }

  private static int submitUntilRefused(FairPool pool, AtomicInteger ran, CountDownLatch begun) {
    CountDownLatch refused = new CountDownLatch(1);
    for (int taken = 0; ; taken++) {
      try {
        pool.execute("owner", () -> run(refused, ran));
        begun.countDown();
      } catch (RejectedExecutionException e) {
        refused.countDown();
        return taken;
      }
    }
  }

  private static void run(CountDownLatch gate, AtomicInteger ran) {
    try {
      assertThat(gate.await(20, TimeUnit.SECONDS)).isTrue();
      ran.incrementAndGet();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void block() throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(1);
    pool.execute(
        "blocker",
        () -> {
          begun.countDown();
          awaitGate();
        });
    assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
  }

  private void awaitGate() {
    try {
      assertThat(gate.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void submit(String owner, String name) {
    pool.execute(owner, () -> done.add(name));
  }

  private void release() {
    gate.countDown();
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .dontCatchUncaughtExceptions()
        .until(() -> pool.waiting() == 0 && pool.busy() == 0);
  }

  private static void spin(long nanos) {
    long end = System.nanoTime() + nanos;
    while (System.nanoTime() < end) {
      Thread.onSpinWait();
    }
  }
}
