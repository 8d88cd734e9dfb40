package io.whence.grpc;

import com.google.protobuf.InvalidProtocolBufferException;
import io.whence.log.LogSnapshot;
import io.whence.source.SourceCatalog;
import io.whence.v1.Position;
import io.whence.v1.ResolveTimestampRequest;
import io.whence.v1.ResolveTimestampResponse;
import io.whence.v1.TimePoint;
import io.whence.v1.TimestampAnswer;
import io.whence.v1.TimestampQuery;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** What these tests have in common. Thread safety: single-writer. */
abstract class TimestampCallFixture {
  static final int LIMIT = 20_000;

  final HandLoop loop = new HandLoop();

  final CountingResolver resolver = new CountingResolver();

  final SharedLogs logs = new SharedLogs();

  final KeptAnswers answers = new KeptAnswers();

  final Workspaces workspaces = new Workspaces();

  final List<String> told = new ArrayList<>();

  final CallRunner runner =
      new CallRunner(
          loop.threads(),
          () -> Instant.ofEpochMilli(1_700_000_000_000L),
          new CallLimits(LIMIT, 1, 1, 2, 2, Duration.ofMinutes(1)),
          () -> new OpenSources(new SourceCatalog(List.of(logs)), Map.of()),
          new CallListener() {
            @Override
            public void onAnswers(String rpc, String position, String outcome, long count) {
              told.add(position + " " + outcome + " " + count);
            }

            @Override
            public void onOverload(String rpc) {
              told.add("overload");
            }

            @Override
            public void onAbandoned(String rpc) {
              told.add("abandoned");
            }
          });
  final CallRunner many =
      new CallRunner(
          loop.threads(),
          () -> Instant.ofEpochMilli(1_700_000_000_000L),
          new CallLimits(LIMIT, 1, 1, 100, 100, Duration.ofMinutes(1)),
          () -> new OpenSources(new SourceCatalog(List.of(logs)), Map.of()),
          CallListener.NOOP);
  @TempDir Path directory;

  ProbedSource real;

  LogSnapshot inMemory;

  LogSnapshot onDisk;

  @BeforeEach
  void open() throws IOException {
    real = new ProbedSource(directory, 0);
    real.createTopic("real", 2);
    inMemory = real.logs("real").snapshot(0);
    onDisk = real.logs("real").snapshot(1);
    resolver.putOnDisk(onDisk);
    logs.put("memory", 10_000, partition -> inMemory);
    logs.put("mixed", 10, partition -> partition == 7 ? onDisk : inMemory);
  }

  @AfterEach
  void close() throws IOException {
    real.close();
  }

  void ask(TimestampQuery... queries) {
    ResolveTimestampRequest request = request(queries);
    runner.runInTurns("Test", answers, scope -> call(request, scope));
  }

  TimestampCall call(ResolveTimestampRequest request, CallScope scope) {
    return new TimestampCall(resolver, request, scope, workspaces);
  }

  static ResolveTimestampRequest request(TimestampQuery... queries) {
    return ResolveTimestampRequest.newBuilder().addAllQueries(List.of(queries)).build();
  }

  static TimestampQuery query(String topic, int... partitions) {
    return TimestampQuery.newBuilder()
        .setTopic(topic)
        .addAllPartitions(IntStream.of(partitions).boxed().toList())
        .setPosition(
            Position.newBuilder()
                .setAtOrAfter(TimePoint.newBuilder().setEpochMs(1_690_000_000_000L)))
        .build();
  }

  ResolveTimestampResponse response() {
    try {
      return ResolveTimestampResponse.parseFrom(answers.messages.get(0));
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }

  List<Integer> partitions() {
    return response().getResultsList().stream()
        .flatMap(result -> result.getAnswersList().stream())
        .map(TimestampAnswer::getPartition)
        .toList();
  }

  static List<String> reasons(ResolveTimestampResponse response, int result) {
    return response.getResults(result).getAnswersList().stream()
        .map(answer -> answer.hasError() ? answer.getError().getReason().name() : "")
        .toList();
  }
}
