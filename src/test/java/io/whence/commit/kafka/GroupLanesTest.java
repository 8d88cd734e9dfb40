package io.whence.commit.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class GroupLanesTest {
  private final Deque<Runnable> queue = new ArrayDeque<>();
  private final List<String> done = new ArrayList<>();
  private final GroupLanes lanes = new GroupLanes(queue::add);

  private CompletableFuture<String> add(String group, String name) {
    return lanes.run(
        group,
        () -> {
          done.add(name);
          return name;
        });
  }

  private void runAll() {
    while (!queue.isEmpty()) {
      queue.remove().run();
    }
  }

  @Test
  void workOfOneGroup_isDoneInOrderOneAtATime() {
    CompletableFuture<String> first = add("a", "a1");
    CompletableFuture<String> second = add("a", "a2");
    add("b", "b1");
    assertThat(queue).hasSize(2); // One of each group.

    queue.remove().run();
    assertThat(first).isCompletedWithValue("a1");
    assertThat(second).isNotDone();
    runAll();
    assertThat(second).isCompletedWithValue("a2");
    assertThat(done).containsExactly("a1", "b1", "a2");
  }

  @Test
  void workThatFails_failsAloneAndFreesTheGroup() {
    IllegalStateException failure = new IllegalStateException("odd");
    CompletableFuture<String> bad =
        lanes.run(
            "a",
            () -> {
              throw failure;
            });
    CompletableFuture<String> good = add("a", "good");
    runAll();
    assertThat(bad).isCompletedExceptionally();
    assertThatThrownBy(bad::join).hasCause(failure);
    assertThat(good).isCompletedWithValue("good");
  }

  @Test
  void whoWaitsForWork_mayAskForMoreOfTheGroup() {
    CompletableFuture<String> more = add("a", "a1").thenCompose(told -> add("a", "a2"));
    runAll();
    assertThat(more).isCompletedWithValue("a2");
  }

  @Test
  void tooMuchWork_isRefused() {
    for (int i = 0; i <= GroupLanes.MAX_WAITING; i++) {
      CompletableFuture<String> unused = add("a", "x");
    }
    assertReason(() -> add("a", "y"), ErrorReason.OVERLOADED);
    runAll();
    CompletableFuture<String> again = add("a", "z");
    runAll();
    assertThat(again).isCompletedWithValue("z");
  }

  @Test
  void executorWithoutRoom_refusesAndKeepsNothing() {
    List<Boolean> full = new ArrayList<>(List.of(true));
    GroupLanes some =
        new GroupLanes(
            task -> {
              if (full.get(0)) {
                throw new RejectedExecutionException();
              }
              task.run();
            });
    assertReason(() -> some.run("a", () -> 1), ErrorReason.OVERLOADED);
    full.set(0, false);
    assertThat(some.run("a", () -> 2)).isCompletedWithValue(2);
  }

  @Test
  void close_refusesWhatWaitsAndWhatComes() {
    CompletableFuture<String> running = add("a", "a1");
    CompletableFuture<String> waiting = add("a", "a2");
    lanes.close();
    runAll();
    assertThat(running).isCompletedWithValue("a1");
    assertThatThrownBy(waiting::join)
        .cause()
        .isInstanceOfSatisfying(
            WhenceException.class, e -> assertThat(e.reason()).isEqualTo(ErrorReason.DRAINING));
    assertReason(() -> add("b", "b1"), ErrorReason.DRAINING);
  }

  private static void assertReason(Runnable work, ErrorReason reason) {
    assertThatThrownBy(work::run)
        .isInstanceOfSatisfying(
            WhenceException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }
}
