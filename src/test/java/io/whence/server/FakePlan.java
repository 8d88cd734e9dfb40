package io.whence.server;

import io.whence.app.SourceLifecycle;
import io.whence.app.SourcePlan;
import io.whence.source.LogSource;
import io.whence.testkit.Directories;
import jakarta.enterprise.inject.Alternative;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A server with one embedded source, in a directory that is gone afterwards. */
@Alternative
@Singleton
class FakePlan implements SourcePlan {
  @Override
  public List<SourceLifecycle> sources() {
    return List.of(new TemporaryEmbedded());
  }

  private static final class TemporaryEmbedded implements SourceLifecycle {
    private @Nullable Path data;
    private @Nullable FakeSource source;

    @Override
    public String name() {
      return "embedded";
    }

    @Override
    public String setting() {
      return "whence.data";
    }

    @Override
    public LogSource open() throws IOException {
      data = Files.createTempDirectory("whence-server-test");
      source = new FakeSource(data);
      return source;
    }

    @Override
    public void close() throws IOException {
      if (source != null) {
        source.close();
      }
      if (data != null) {
        Directories.delete(data);
      }
    }
  }
}
