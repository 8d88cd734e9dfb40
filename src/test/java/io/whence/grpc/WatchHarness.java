package io.whence.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.source.SourceCatalog;
import io.whence.testkit.Directories;
import io.whence.v1.TimePoint;
import io.whence.v1.WatchQuery;
import io.whence.v1.WatchTimestampRequest;
import io.whence.v1.WatchTimestampResponse;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * Watches of a real source with topic "t" of three partitions, whose workers work when a test says
 * so. Thread safety: single-writer.
 */
final class WatchHarness implements AutoCloseable {
  static final long NOW = 1_717_200_000_000L;
  private static final CallLimits LIMITS =
      new CallLimits(20_000, 1, 1, 1, 1, Duration.ofMinutes(2));

  final ManualWorkers workers = new ManualWorkers();
  final RecordingCall<WatchTimestampResponse> call = new RecordingCall<>();
  final ProbedSource source;
  final Watches watches;
  private final Path directory = Directories.temporary("whence-watches");

  /**
   * Opens; there may be 8 watches of 40,000 partitions, of a connection 2 of 10,000, that don't
   * stall for 30 s.
   */
  WatchHarness() throws IOException {
    source = new ProbedSource(directory, NOW);
    source.createTopic("t", 3);
    watches =
        new Watches(
            task -> workers.execute(CallLane.LOOKUPS, this, task),
            new LogLookups(),
            () -> Instant.ofEpochMilli(NOW),
            LIMITS,
            new WatchLimits(8, 40_000, Duration.ofSeconds(30)),
            () -> new OpenSources(new SourceCatalog(List.of(source)), Map.of()),
            CallListener.NOOP);
  }

  /** Begins the watch. */
  void begin(WatchQuery... queries) {
    begin(request(queries), call);
  }

  /** Begins a watch. */
  void begin(WatchTimestampRequest request, RecordingCall<WatchTimestampResponse> other) {
    watches.begin(request, other);
    workers.work();
  }

  /** Appends to topic "t". */
  void append(int partition, long... timestampsMs) {
    source.append("t", partition, timestampsMs);
    workers.work();
  }

  void assertNothingIsLeft() {
    assertThat(watches.watchCount()).isZero();
    assertThat(watches.partitionCount()).isZero();
    assertThat(source.watchCount()).isZero();
  }

  static WatchTimestampRequest request(WatchQuery... queries) {
    return WatchTimestampRequest.newBuilder().addAllQueries(List.of(queries)).build();
  }

  /** Asks about topic "t". */
  static WatchQuery query(long timeMs, Integer... partitions) {
    return queryOf("t", timeMs).toBuilder().addAllPartitions(List.of(partitions)).build();
  }

  static WatchQuery queryOf(String topic, long timeMs) {
    return WatchQuery.newBuilder()
        .setTopic(topic)
        .setTime(TimePoint.newBuilder().setEpochMs(timeMs))
        .build();
  }

  @Override
  public void close() throws IOException {
    source.close();
    Directories.delete(directory);
  }
}
