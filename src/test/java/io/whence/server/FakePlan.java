package io.whence.server;

import io.whence.app.SourceLifecycle;
import io.whence.app.SourcePlan;
import io.whence.source.LogSource;
import jakarta.enterprise.inject.Alternative;
import jakarta.inject.Singleton;
import java.util.List;

/** A server with one source in memory. */
@Alternative
@Singleton
class FakePlan implements SourcePlan {
  @Override
  public List<SourceLifecycle> sources() {
    return List.of(
        new SourceLifecycle() {
          @Override
          public String name() {
            return "embedded";
          }

          @Override
          public LogSource open() {
            return new FakeSource();
          }

          @Override
          public void close() {
            // Nothing is open.
          }
        });
  }
}
