package io.whence.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.testkit.Directories;
import io.whence.v1.Position;
import io.whence.v1.ResolveTimestampRequest;
import io.whence.v1.ResolverServiceGrpc;
import io.whence.v1.TimePoint;
import io.whence.v1.TimestampQuery;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The stop while thousands of answers wait for clients that read nothing. */
class StopUnreadProcessIT {
  private static final String RESOLVE =
      ResolverServiceGrpc.getResolveTimestampMethod().getFullMethodName();
  private static final int CONNECTIONS = 2;
  private static final int CALLS = 900;
  private static final int PARTITIONS = 900;

  /** More than a connection takes that nobody reads. */
  private static final int MIN_ANSWERED = 100;

  private static final long T = 1_717_200_000_000L;

  private final Path data = Directories.temporary("whence-stop-unread");
  private final List<SilentClient> silent = new ArrayList<>();

  @AfterEach
  void delete() {
    silent.forEach(SilentClient::close);
    Directories.delete(data);
  }

  @Test
  void sigterm_thousandsOfUnreadAnswers_endsWithinGrace() throws Exception {
    Duration grace = Duration.ofSeconds(3);
    try (ServerProcess server =
            ServerProcess.start(data, "whence.shutdown.grace=" + grace.toSeconds() + "s");
        Client client = server.client()) {
      client.topic("orders", PARTITIONS, T);
      for (int i = 0; i < CONNECTIONS; i++) {
        SilentClient connection = new SilentClient(server.grpcPort());
        silent.add(connection);
        connection.askAndStopReading(RESOLVE, request());
        for (int call = 0; call < CALLS; call++) {
          connection.ask(RESOLVE, request());
        }
      }
      // All are asked, and those that there was room for are answered; the rest was refused.
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .during(Duration.ofSeconds(1))
          .until(
              () ->
                  // Not those that ended: unread ones have not.
                  server.metric("whence_partitions_per_call_count\\{rpc=\"ResolveTimestamp\"}")
                          >= MIN_ANSWERED
                      && server.metric("whence_calls_in_flight") == 0);

      long begun = System.nanoTime();
      server.terminate();
      assertThat(server.exitCode()).isZero();
      Duration taken = Duration.ofNanos(System.nanoTime() - begun);

      assertThat(taken).isLessThan(grace.plusSeconds(30));
      assertThat(server.log())
          .contains("connections cut that were still open: ")
          .contains(" stopped")
          .doesNotContain("\tat ");
    }
  }

  private static byte[] request() {
    TimestampQuery.Builder query =
        TimestampQuery.newBuilder()
            .setTopic("orders")
            .setPosition(Position.newBuilder().setAtOrAfter(TimePoint.newBuilder().setEpochMs(T)));
    for (int partition = 0; partition < PARTITIONS; partition++) {
      query.addPartitions(partition);
    }
    return ResolveTimestampRequest.newBuilder().addQueries(query).build().toByteArray();
  }
}
