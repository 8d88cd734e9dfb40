package io.whence.cli;

import io.grpc.InsecureServerCredentials;
import io.grpc.Server;
import io.grpc.okhttp.OkHttpServerBuilder;
import io.grpc.stub.StreamObserver;
import io.whence.v1.CommitOffsetRequest;
import io.whence.v1.CommitOffsetResponse;
import io.whence.v1.CommitResult;
import io.whence.v1.CommittedOffset;
import io.whence.v1.FetchOffsetRequest;
import io.whence.v1.FetchOffsetResponse;
import io.whence.v1.GetGroupLagRequest;
import io.whence.v1.GetGroupLagResponse;
import io.whence.v1.GroupLag;
import io.whence.v1.GroupOffsetsResult;
import io.whence.v1.GroupOffsetsServiceGrpc.GroupOffsetsServiceImplBase;
import io.whence.v1.GroupSummary;
import io.whence.v1.ListGroupsRequest;
import io.whence.v1.ListGroupsResponse;
import io.whence.v1.ListTopicsRequest;
import io.whence.v1.ListTopicsResponse;
import io.whence.v1.LogServiceGrpc.LogServiceImplBase;
import io.whence.v1.OffsetResult;
import io.whence.v1.PartitionLag;
import io.whence.v1.PlanResetRequest;
import io.whence.v1.PlanResetResponse;
import io.whence.v1.PlannedReset;
import io.whence.v1.ResolveTimestampRequest;
import io.whence.v1.ResolveTimestampResponse;
import io.whence.v1.ResolveWindowRequest;
import io.whence.v1.ResolveWindowResponse;
import io.whence.v1.ResolverServiceGrpc.ResolverServiceImplBase;
import io.whence.v1.TimestampAnswer;
import io.whence.v1.TimestampQueryResult;
import io.whence.v1.TopicSummary;
import io.whence.v1.WindowAnswer;
import io.whence.v1.WindowQueryResult;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/**
 * Runs the usual commands against a server of its own with canned answers, so that the launcher can
 * archive the classes that these load: later starts then take half the time. Immutable.
 */
@Command(name = "warm-up", hidden = true, description = "Loads the classes of the usual commands.")
final class WarmUpCommand implements Callable<Integer> {
  @Override
  public Integer call() throws IOException {
    Server server =
        OkHttpServerBuilder.forPort(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                InsecureServerCredentials.create())
            .addService(new CannedLogService())
            .addService(new CannedResolverService())
            .addService(new CannedGroupService())
            .build()
            .start();
    try {
      String address = "localhost:" + server.getPort();
      for (String format : new String[] {"table", "json"}) {
        runAll("--server", address, "--format", format);
      }
      run("topics", "--format", "nonsense");
      return ExitCode.ANSWERED;
    } finally {
      server.shutdownNow();
    }
  }

  private static void runAll(String... server) {
    String window = "window --topic t --zone Asia/Shanghai --from 2024-03-09T15:00";
    for (String command :
        List.of(
            "topics",
            "resolve --topic t --ago 1h",
            window + " --to 2024-03-09T16:00",
            "groups",
            "offsets g",
            "lag g",
            "commit g t:0=1",
            "reset g --by-duration 1h")) {
      List<String> args = new ArrayList<>(List.of(command.split(" ", -1)));
      args.addAll(List.of(server));
      run(args.toArray(String[]::new));
    }
  }

  private static void run(String... args) {
    PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
    Whence.run(args, nowhere, nowhere);
  }

  private static <T> void answer(StreamObserver<T> observer, T response) {
    observer.onNext(response);
    observer.onCompleted();
  }

  private static final class CannedLogService extends LogServiceImplBase {
    @Override
    public void listTopics(ListTopicsRequest request, StreamObserver<ListTopicsResponse> observer) {
      answer(
          observer,
          ListTopicsResponse.newBuilder()
              .addTopics(TopicSummary.newBuilder().setSource("s").setTopic("t"))
              .build());
    }
  }

  private static final class CannedGroupService extends GroupOffsetsServiceImplBase {
    @Override
    public void listGroups(ListGroupsRequest request, StreamObserver<ListGroupsResponse> observer) {
      answer(
          observer,
          ListGroupsResponse.newBuilder()
              .addGroups(GroupSummary.newBuilder().setGroup("g"))
              .build());
    }

    @Override
    public void fetchOffset(
        FetchOffsetRequest request, StreamObserver<FetchOffsetResponse> observer) {
      GroupOffsetsResult.Builder result =
          GroupOffsetsResult.newBuilder()
              .addOffsets(OffsetResult.newBuilder().setCommitted(CommittedOffset.newBuilder()));
      answer(observer, FetchOffsetResponse.newBuilder().addResults(result).build());
    }

    @Override
    public void getGroupLag(
        GetGroupLagRequest request, StreamObserver<GetGroupLagResponse> observer) {
      GroupLag.Builder lag =
          GroupLag.newBuilder().addPartitions(PartitionLag.newBuilder().setStalenessMs(1));
      answer(observer, GetGroupLagResponse.newBuilder().addResults(lag).build());
    }

    @Override
    public void commitOffset(
        CommitOffsetRequest request, StreamObserver<CommitOffsetResponse> observer) {
      answer(
          observer,
          CommitOffsetResponse.newBuilder().addResults(CommitResult.newBuilder()).build());
    }

    @Override
    public void planReset(PlanResetRequest request, StreamObserver<PlanResetResponse> observer) {
      answer(
          observer,
          PlanResetResponse.newBuilder().addPartitions(PlannedReset.newBuilder()).build());
    }
  }

  private static final class CannedResolverService extends ResolverServiceImplBase {
    @Override
    public void resolveTimestamp(
        ResolveTimestampRequest request, StreamObserver<ResolveTimestampResponse> observer) {
      TimestampQueryResult.Builder result =
          TimestampQueryResult.newBuilder()
              .setTargetTimestampMs(1)
              .addAnswers(TimestampAnswer.newBuilder().setOffset(1).setDistanceMs(1));
      answer(observer, ResolveTimestampResponse.newBuilder().addResults(result).build());
    }

    @Override
    public void resolveWindow(
        ResolveWindowRequest request, StreamObserver<ResolveWindowResponse> observer) {
      WindowQueryResult.Builder result =
          WindowQueryResult.newBuilder().setToMs(1).addAnswers(WindowAnswer.newBuilder());
      answer(observer, ResolveWindowResponse.newBuilder().addResults(result).build());
    }
  }
}
