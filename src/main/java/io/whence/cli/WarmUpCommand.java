package io.whence.cli;

import io.grpc.InsecureServerCredentials;
import io.grpc.Server;
import io.grpc.okhttp.OkHttpServerBuilder;
import io.grpc.stub.StreamObserver;
import io.whence.v1.ListTopicsRequest;
import io.whence.v1.ListTopicsResponse;
import io.whence.v1.LogServiceGrpc.LogServiceImplBase;
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
            .build()
            .start();
    try {
      String address = "localhost:" + server.getPort();
      for (String format : new String[] {"table", "json"}) {
        run("topics", "--server", address, "--format", format);
        run("resolve", "--server", address, "--format", format, "--topic", "t", "--ago", "1h");
        run(
            "window",
            "--server",
            address,
            "--format",
            format,
            "--topic",
            "t",
            "--zone",
            "Asia/Shanghai",
            "--from",
            "2024-03-09T15:00",
            "--to",
            "2024-03-09T16:00");
      }
      run("topics", "--format", "nonsense");
      return ExitCode.ANSWERED;
    } finally {
      server.shutdownNow();
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
