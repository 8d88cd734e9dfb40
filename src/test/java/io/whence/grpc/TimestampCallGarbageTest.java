package io.whence.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.whence.log.LogSnapshot;
import io.whence.source.SourceCatalog;
import io.whence.v1.Position;
import io.whence.v1.ResolveTimestampRequest;
import io.whence.v1.TimePoint;
import io.whence.v1.TimestampQuery;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimestampCallGarbageTest {
  private static final int PARTITIONS = 1_000;
  private static final int WARM_UP = 2_000;
  private static final int MEASURED = 100;

  /** What a call takes whatever it asks for. One object for each partition would take 16,000. */
  private static final long MAX_BYTES_PER_CALL = 4096;

  private final CountingResolver resolver = new CountingResolver();
  private final SharedLogs logs = new SharedLogs();
  private final Workspaces workspaces = new Workspaces();
  private final HandLoop loop = new HandLoop();
  private final CallRunner runner =
      new CallRunner(
          loop.threads(),
          () -> Instant.EPOCH,
          new CallLimits(PARTITIONS, 1, 1, 1, 1, Duration.ofMinutes(1)),
          () -> new OpenSources(new SourceCatalog(List.of(logs)), Map.of()),
          CallListener.NOOP);
  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void answerFromMemory_noGarbageForEachPartition(boolean isEachListed) throws IOException {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    try (ProbedSource real = new ProbedSource(directory, 0)) {
      real.createTopic("real", 1);
      LogSnapshot log = real.logs("real").snapshot(0);
      logs.put("orders", PARTITIONS, partition -> log);
      ResolveTimestampRequest request = request(isEachListed);
      for (int i = 0; i < WARM_UP; i++) {
        answer(request);
      }
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < MEASURED; i++) {
        answer(request);
      }
      long bytesPerCall = (threads.getCurrentThreadAllocatedBytes() - before) / MEASURED;
      System.out.println("TimestampCallGarbageTest bytes per call: " + bytesPerCall);
      assertThat(bytesPerCall).isLessThan(MAX_BYTES_PER_CALL);
      assertThat(resolver.fromMemory).isEqualTo(PARTITIONS * (WARM_UP + MEASURED));
    }
  }

  private void answer(ResolveTimestampRequest request) {
    Nowhere client = new Nowhere();
    runner.runInTurns(
        "Test", client, scope -> new TimestampCall(resolver, request, scope, workspaces));
    loop.runTurns();
    assertThat(client.sentBytes).isGreaterThan(PARTITIONS);
  }

  private static ResolveTimestampRequest request(boolean isEachListed) {
    TimestampQuery.Builder query =
        TimestampQuery.newBuilder()
            .setTopic("orders")
            .setPosition(
                Position.newBuilder()
                    .setAtOrAfter(TimePoint.newBuilder().setEpochMs(1_690_000_000_000L)));
    if (isEachListed) {
      query.addAllPartitions(IntStream.range(0, PARTITIONS).boxed().toList());
    }
    return ResolveTimestampRequest.newBuilder().addQueries(query).build();
  }

  /** Takes the bytes of answers and forgets them. */
  private static final class Nowhere extends FakeCall<EncodedMessage> {
    private int sentBytes;

    @Override
    public void onNext(EncodedMessage message) {
      try (InputStream stream = EncodedMessage.marshaller().stream(message)) {
        sentBytes += ((io.grpc.Drainable) stream).drainTo(OutputStream.nullOutputStream());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void onError(Throwable failure) {
      throw new IllegalStateException(failure);
    }

    @Override
    public void onCompleted() {}
  }
}
