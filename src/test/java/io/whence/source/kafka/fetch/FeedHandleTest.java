package io.whence.source.kafka.fetch;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.whence.model.ErrorReason;
import io.whence.model.TopicId;
import io.whence.model.WhenceException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FeedHandleTest {
  private static final FetchedBounds BOUNDS = new FetchedBounds(0, 9, 9, 0, 0);

  private final FeedWorker worker = new FeedWorker();
  private final Thread thread = new Thread(worker, "worker");
  private final List<String> heard = Collections.synchronizedList(new ArrayList<>());
  private final RecordingFeed feed =
      new RecordingFeed("t", 0, new TopicId(new UUID(0, 1)), new FetchPosition(5, 0));
  private final FeedHandle handle = new FeedHandle(feed, worker, new Heard());

  private final class Heard implements FeedHandle.Listener {
    @Override
    public void positioned(FeedHandle one, int generation, FetchPosition position) {
      heard.add(generation + " at " + position.nextOffset());
    }

    @Override
    public void failed(FeedHandle one, int generation, int inRow, RuntimeException failure) {
      heard.add(generation + " failed " + inRow + " " + failure.getMessage());
    }
  }

  @AfterEach
  void stop() throws InterruptedException {
    worker.stop();
    if (!thread.isAlive() && thread.getState() == Thread.State.NEW) {
      thread.start();
    }
    thread.join();
  }

  private void give(int generation, Runnable action) {
    worker.submit(handle.delivery(generation, f -> action.run())::run);
  }

  private void runAll() throws Exception {
    CompletableFuture<Void> done = new CompletableFuture<>();
    worker.submit(() -> done.complete(null));
    if (thread.getState() == Thread.State.NEW) {
      thread.start();
    }
    done.get(30, SECONDS);
  }

  private static Runnable throwing() {
    return () -> {
      throw new IllegalStateException("full");
    };
  }

  @Test
  void throwingCall_refusesItsGenerationOnly() throws Exception {
    List<String> ran = Collections.synchronizedList(new ArrayList<>());

    give(3, throwing());
    give(3, () -> ran.add("3"));
    handle.askPosition(3);
    handle.askPosition(4);
    give(4, throwing());
    handle.askPosition(5);
    give(5, () -> ran.add("5"));
    give(5, throwing());
    runAll();

    assertThat(ran).containsExactly("5");
    assertThat(heard)
        .containsExactly(
            "3 failed 1 full", "4 at 5", "4 failed 2 full", "5 at 5", "5 failed 1 full");
  }

  @Test
  void faults_comeInTurnWithWhatEndsThem() throws Exception {
    FetchFault first = new FetchFault(ErrorReason.LEADER_UNAVAILABLE, "first");
    FetchFault last = new FetchFault(ErrorReason.NOT_AUTHORIZED, "last");

    handle.failed(first);
    worker.submit(handle.delivery(0, f -> f.unchanged(BOUNDS))::run);
    handle.failed(last);
    runAll();

    assertThat(feed.faults()).containsExactly(first, last);
    assertThat(feed.isFailing()).as("nothing came after the last").isTrue();
  }

  @Test
  void faultsWhileTheWorkerIsBusy_takeEachOthersPlace_butNotThatOfWhatCameBetween()
      throws Exception {
    for (int i = 0; i < 10_000; i++) {
      handle.failed(new FetchFault(ErrorReason.LEADER_UNAVAILABLE, "before " + i));
    }
    worker.submit(handle.delivery(0, f -> f.unchanged(BOUNDS))::run);
    for (int i = 0; i < 10_000; i++) {
      handle.failed(new FetchFault(ErrorReason.LEADER_UNAVAILABLE, "behind " + i));
    }
    handle.askPosition(0);
    handle.failed(new FetchFault(ErrorReason.NOT_AUTHORIZED, "last"));
    runAll();
    handle.failed(new FetchFault(ErrorReason.NOT_AUTHORIZED, "afterwards"));
    runAll();

    assertThat(feed.faults())
        .extracting(FetchFault::message)
        .containsExactly("before 9999", "behind 9999", "last", "afterwards");
    assertThat(heard).containsExactly("0 at 5");
  }

  @Test
  void whateverAFeedThrows_isItsFault_andTheWorkerGoesOn() throws Exception {
    give(
        1,
        () -> {
          throw new UnsatisfiedLinkError("no codec");
        });
    give(2, throwing());
    give(
        3,
        () -> {
          throw WhenceException.of(ErrorReason.STORAGE_FULL, "the feed knows this one");
        });
    handle.askPosition(4);
    runAll();

    assertThat(feed.faults())
        .extracting(FetchFault::reason)
        .containsExactly(ErrorReason.INTERNAL, ErrorReason.INTERNAL);
    assertThat(feed.faults().get(0).message()).contains("no codec");
    assertThat(heard).hasSize(4).last().isEqualTo("4 at 5");
  }

  @Test
  void removal_endsCallsThatWait_andCompletesInTurn() throws Exception {
    give(0, () -> feed.fetched(ByteBuffer.allocate(0), BOUNDS));
    runAll();
    int calls = feed.callCount();
    give(0, () -> feed.fetched(ByteBuffer.allocate(0), BOUNDS));
    handle.failed(new FetchFault(ErrorReason.INTERNAL, "none"));

    handle.remove().toCompletableFuture().get(30, SECONDS);
    runAll();

    assertThat(handle.isRemoved()).isTrue();
    assertThat(feed.callCount()).isBetween(calls, calls + 2);
    int after = feed.callCount();
    give(1, () -> feed.fetched(ByteBuffer.allocate(0), BOUNDS));
    handle.askPosition(1);
    runAll();
    assertThat(feed.callCount()).isEqualTo(after);
  }

  @Test
  void removal_afterTheWorkerHasEnded_completes() throws Exception {
    runAll();
    worker.stop();
    thread.join();

    CompletionStage<Void> removed = handle.remove();

    assertThat(removed).isCompleted();
    assertThat(worker.isStopped()).isTrue();
  }

  @Test
  void stop_dropsWhatWaits() throws Exception {
    List<String> ran = Collections.synchronizedList(new ArrayList<>());
    CompletableFuture<Void> started = new CompletableFuture<>();
    CompletableFuture<Void> go = new CompletableFuture<>();
    give(
        0,
        () -> {
          started.complete(null);
          go.join();
          ran.add("first");
        });
    give(0, () -> ran.add("second"));
    thread.start();
    started.get(30, SECONDS);
    CompletionStage<Void> removed = handle.remove();

    worker.stop();
    assertThat(removed).isNotCompleted();
    go.complete(null);
    thread.join();

    assertThat(ran).containsExactly("first");
    assertThat(removed).isCompleted();
  }
}
