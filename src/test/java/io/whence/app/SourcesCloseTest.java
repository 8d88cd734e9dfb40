package io.whence.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.source.LogSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SourcesCloseTest {
  private static final int LIMIT_SECONDS = 30;

  private final CountDownLatch closing = new CountDownLatch(2);
  private final List<String> closed = Collections.synchronizedList(new ArrayList<>());

  /** A source whose close ends only when another one is being closed, too. */
  private SourceLifecycle slow(String name) {
    return new SourceLifecycle() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public String setting() {
        return name;
      }

      @Override
      public LogSource open() {
        throw new UnsupportedOperationException("no test opens it");
      }

      @Override
      public void close() throws InterruptedException {
        closing.countDown();
        if (closing.await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
          closed.add(name);
        }
        throw new IllegalStateException("what fails here doesn't keep the others open");
      }
    };
  }

  @Test
  void sources_areClosedSideBySide() {
    Sources.close(List.of(slow("east"), slow("west")));

    assertThat(closed).containsExactlyInAnyOrder("east", "west");
  }
}
