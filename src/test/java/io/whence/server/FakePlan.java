package io.whence.server;

import io.whence.app.SourceLifecycle;
import io.whence.app.SourcePlan;
import io.whence.commit.EmbeddedGroupOffsets;
import io.whence.commit.GroupOffsets;
import io.whence.commit.GroupOptions;
import io.whence.source.LogSource;
import io.whence.testkit.Directories;
import jakarta.enterprise.inject.Alternative;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A server with one embedded source, in a directory that is gone afterwards. */
@Alternative
@Singleton
class FakePlan implements SourcePlan {
  private static final Duration RETENTION = Duration.ofDays(7);

  private final TemporaryEmbedded embedded = new TemporaryEmbedded();

  @Override
  public List<SourceLifecycle> sources() {
    return List.of(embedded);
  }

  /** Returns what groups have committed. */
  EmbeddedGroupOffsets groups() {
    return Objects.requireNonNull(embedded.groups, "opened");
  }

  private static final class TemporaryEmbedded implements SourceLifecycle {
    private @Nullable Path data;
    private @Nullable FakeSource source;
    private volatile @Nullable EmbeddedGroupOffsets groups;

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
      FakeSource opened = new FakeSource(data);
      source = opened;
      groups =
          EmbeddedGroupOffsets.open(
              opened,
              new GroupOptions(
                  () -> Instant.ofEpochMilli(ServerTestProfile.NOW_MS),
                  RETENTION,
                  10,
                  Duration.ofMinutes(15),
                  1_000,
                  4096,
                  1 << 20),
              Runnable::run);
      return opened;
    }

    @Override
    public Optional<GroupOffsets> groupOffsets() {
      return Optional.ofNullable(groups);
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
