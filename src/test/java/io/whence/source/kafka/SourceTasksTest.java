package io.whence.source.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SourceTasksTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
  private final List<String> told = new CopyOnWriteArrayList<>();
  private final SourceTasks tasks =
      new SourceTasks(
          "prod",
          scheduler,
          new KafkaEvents() {
            @Override
            public void taskFailed(String source, RuntimeException failure) {
              told.add(source + ": " + failure.getMessage());
            }
          });

  @AfterEach
  void close() {
    scheduler.shutdownNow();
  }

  @Test
  void repeatedTaskThatFails_isTold_andRunsAgain() {
    AtomicInteger runs = new AtomicInteger();
    tasks.every(
        Duration.ofMillis(1),
        Duration.ZERO,
        () -> {
          if (runs.incrementAndGet() <= 2) {
            throw new IllegalStateException("broken " + runs.get());
          }
        });
    await().atMost(LIMIT).until(() -> runs.get() > 4);
    assertThat(told).containsExactly("prod: broken 1", "prod: broken 2");
  }

  @Test
  void taskThatFails_isTold_andTheNextRuns() {
    AtomicInteger runs = new AtomicInteger();
    tasks.execute(
        () -> {
          throw new IllegalStateException("broken");
        });
    tasks.execute(runs::incrementAndGet);
    await().atMost(LIMIT).until(() -> runs.get() == 1);
    assertThat(told).containsExactly("prod: broken");
  }
}
