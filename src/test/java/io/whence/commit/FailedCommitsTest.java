package io.whence.commit;

import static io.whence.commit.Entries.entry;
import static io.whence.commit.GroupsDir.TOPIC;
import static io.whence.commit.GroupsDir.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.log.FaultyDisk;
import io.whence.model.Cancellation;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commits that the disk refuses, and those that came after them. */
class FailedCommitsTest {
  private final FaultyDisk disk = new FaultyDisk();
  private final Queue<Runnable> flushes = new ArrayDeque<>();

  @TempDir private Path path;
  private GroupsDir dir;

  @BeforeEach
  void open() {
    dir = GroupsDir.open(path, flushes::add, disk);
    dir.source.createTopic(TOPIC, 4, Map.of());
    CompletionStage<Void> first =
        dir.offsets.commit(request("g", zero(3)), Cancellation.NONE).durable();
    flushAll();
    first.toCompletableFuture().join();
  }

  @AfterEach
  void close() {
    flushAll(); // What waits for the disk would keep the directory open.
    dir.close();
  }

  private void flushAll() {
    for (Runnable flush = flushes.poll(); flush != null; flush = flushes.poll()) {
      flush.run();
    }
  }

  /** The topic is empty, so this is the only offset inside of it. */
  private static CommitEntry zero(int partition) {
    return entry(partition, 0);
  }

  @Test
  void retryWhileOthersAreToldOfTheSameFailure_isKept() {
    List<CompletableFuture<Void>> retries = new ArrayList<>();
    for (int partition = 0; partition < 2; partition++) {
      CommitRequest request = request("g", "id-" + partition, zero(partition));
      CompletionStage<Void> unused =
          dir.offsets
              .commit(request, Cancellation.NONE)
              .durable()
              .whenComplete(
                  (done, failure) ->
                      retries.add(
                          dir.offsets
                              .commit(request, Cancellation.NONE)
                              .durable()
                              .toCompletableFuture()));
    }
    disk.failForce("Input/output error");
    flushAll();
    assertThat(retries).hasSize(2);
    for (CompletableFuture<Void> retry : retries) {
      assertThat(retry).isCompleted();
    }
    for (int i = 0; i < 2; i++) {
      assertThat(dir.committed("g", 0)).isZero();
      assertThat(dir.committed("g", 1)).isZero();
      dir.reopen();
    }
  }

  @Test
  void commitsAfterARefusedOne_shareItsFate() {
    CompletableFuture<Void> first = durable(request("g", zero(0)));
    CompletableFuture<Void> same = durable(request("g", zero(0)));
    disk.failForce("Input/output error");
    flushAll();
    assertThat(first).isCompletedExceptionally();
    assertThat(same).isCompletedExceptionally();
    assertThat(dir.committed("g", 0)).isEqualTo(-1);
    CommitReply again = dir.offsets.commit(request("g", zero(0)), Cancellation.NONE);
    flushAll();
    assertThat(again.durable().toCompletableFuture()).isCompleted();
    assertThat(again.results().get(0).outcome()).isEqualTo(CommitOutcome.COMMITTED);
  }

  private CompletableFuture<Void> durable(CommitRequest request) {
    return dir.offsets.commit(request, Cancellation.NONE).durable().toCompletableFuture();
  }

  @Test
  void groupThatIsBeingDeleted_isNotSaidToBeGoneBeforeItIs() {
    CompletableFuture<Integer> first =
        dir.offsets.deleteGroup("g", Cancellation.NONE).toCompletableFuture();
    CompletableFuture<Integer> second =
        dir.offsets.deleteGroup("g", Cancellation.NONE).toCompletableFuture();
    assertThat(first).isNotDone();
    assertThat(second).isNotDone();
    flushAll();
    assertThat(first).isCompletedWithValue(1);
    assertThatThrownBy(second::join).hasMessageContaining("has not committed anything");
  }

  @Test
  void deletionThatTheDiskRefused_isNotKnownToAnybody() {
    CompletableFuture<Integer> first =
        dir.offsets.deleteGroup("g", Cancellation.NONE).toCompletableFuture();
    CompletableFuture<Integer> second =
        dir.offsets.deleteGroup("g", Cancellation.NONE).toCompletableFuture();
    disk.failForce("Input/output error");
    flushAll();
    assertThatThrownBy(first::join).hasMessageContaining("Input/output error");
    assertThatThrownBy(second::join).hasMessageContaining("Input/output error");
    assertThat(dir.committed("g", 3)).isZero();
  }
}
