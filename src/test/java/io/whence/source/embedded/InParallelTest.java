package io.whence.source.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class InParallelTest {
  private final ExecutorService executor = Executors.newFixedThreadPool(2);
  private final Set<Integer> done = ConcurrentHashMap.newKeySet();

  @AfterEach
  void stop() throws InterruptedException {
    executor.shutdown();
    assertThat(executor.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void forEach_oneFails_doesTheOthersFirst() {
    CountDownLatch failed = new CountDownLatch(1);
    assertThatThrownBy(
            () -> InParallel.forEach(List.of(1, 2, 3), executor, item -> work(item, failed)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("broken");
    assertThat(done).containsExactlyInAnyOrder(2, 3);
  }

  @Test
  void forEach_severalFail_throwsTheFirstWithTheOthers() {
    assertThatThrownBy(
            () ->
                InParallel.forEach(
                    List.of(1, 2),
                    executor,
                    item -> {
                      throw new IOException("item " + item);
                    }))
        .isInstanceOf(IOException.class)
        .hasMessage("item 1")
        .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
  }

  @Test
  void forEach_executorIsShutDown_isRefused() {
    executor.shutdown();
    assertThatThrownBy(() -> InParallel.forEach(List.of(1), executor, done::add))
        .isInstanceOf(RejectedExecutionException.class);
    assertThat(done).isEmpty();
  }

  /** The first fails at once, the others only then begin. */
  private void work(int item, CountDownLatch failed) throws IOException {
    if (item == 1) {
      failed.countDown();
      throw new IllegalStateException("broken");
    }
    try {
      if (failed.await(60, TimeUnit.SECONDS)) {
        done.add(item);
      }
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }
}
