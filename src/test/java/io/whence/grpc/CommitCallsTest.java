package io.whence.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.commit.CommitReply;
import io.whence.commit.CommitRequest;
import io.whence.commit.CommitResult;
import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import io.whence.v1.CommitEntry;
import io.whence.v1.CommitOffsetRequest;
import io.whence.v1.CommitOffsetResponse;
import io.whence.v1.CommitOutcome;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CommitCallsTest {
  private static final WhenceException FULL =
      WhenceException.of(ErrorReason.STORAGE_FULL, "the disk is full", "path", "/d");
  private static final WhenceException DAMAGED =
      WhenceException.of(ErrorReason.DAMAGED_LOG, "damaged", "path", "/d");

  private final Map<String, Integer> counted = new HashMap<>();
  private final Map<String, CompletableFuture<Void>> disks = new HashMap<>();

  @Test
  void answer_waitsForEveryDisk() {
    CompletableFuture<CommitOffsetResponse> answer = commit(this::taken, twoGroups());
    assertThat(answer).isNotDone();
    disk("b").complete(null);
    assertThat(answer).isNotDone();
    disk("a").complete(null);
    assertThat(answer.join().getResultsList())
        .extracting(result -> result.getGroup() + " " + result.getTopic() + " " + now(result))
        .containsExactly("a t 1", "b t 2", "a u 3");
    assertThat(answer.join().getSource()).isEqualTo("only");
    assertThat(answer.join().getServerTimeMs()).isEqualTo(ScriptedGroups.NOW_MS);
    assertThat(counted).isEqualTo(Map.of("committed", 3));
  }

  @Test
  void diskThatFails_failsItsGroupAlone() {
    CompletableFuture<CommitOffsetResponse> answer = commit(this::taken, twoGroups());
    disk("a").completeExceptionally(FULL);
    disk("b").complete(null);
    assertOutcomesOfA(answer, CommitOutcome.COMMIT_OUTCOME_FAILED);
    assertThat(answer.join().getResults(0).getError().getReason())
        .isEqualTo(io.whence.v1.ErrorReason.ERROR_REASON_STORAGE_FULL);
    assertThat(answer.join().getResults(0).hasOffsetNow()).isFalse();
    assertThat(counted).isEqualTo(Map.of("storage_full", 2, "committed", 1));
  }

  @Test
  void groupThatRefuses_failsAlone() {
    CompletableFuture<CommitOffsetResponse> answer =
        commit(request -> request.group().equals("a") ? refuse(FULL) : taken(request), twoGroups());
    disk("b").complete(null);
    assertOutcomesOfA(answer, CommitOutcome.COMMIT_OUTCOME_FAILED);
  }

  @Test
  void groupThatCantBeRead_failsAlone() {
    ScriptedGroups groups =
        new ScriptedGroups(
            Map.of(), request -> request.group().equals("b") ? refuse(DAMAGED) : taken(request));
    disk("a").complete(null);

    CommitOffsetResponse answer = commit(groups.damage("b"), twoGroups()).join();

    assertThat(answer.getResultsList())
        .extracting(io.whence.v1.CommitResult::getOutcome)
        .containsExactly(
            CommitOutcome.COMMIT_OUTCOME_COMMITTED,
            CommitOutcome.COMMIT_OUTCOME_FAILED,
            CommitOutcome.COMMIT_OUTCOME_COMMITTED);
    assertThat(answer.getResults(1).getError().getReason())
        .isEqualTo(io.whence.v1.ErrorReason.ERROR_REASON_DAMAGED_LOG);
    assertThat(answer.getResults(1).hasOffsetBefore()).isFalse();
    assertThat(answer.getResults(1).hasOffsetNow()).isFalse();
  }

  @Test
  void faultOfOneGroup_hidesWhatItWas() {
    CompletableFuture<CommitOffsetResponse> answer =
        commit(
            request ->
                request.group().equals("a")
                    ? refuse(new IllegalStateException("a secret"))
                    : taken(request),
            twoGroups());
    disk("b").complete(null);
    assertOutcomesOfA(answer, CommitOutcome.COMMIT_OUTCOME_FAILED);
    assertThat(answer.join().getResults(0).getError().getMessage()).doesNotContain("secret");
    assertThat(counted).isEqualTo(Map.of("internal", 2, "committed", 1));
  }

  @Test
  void allGroupsRefuse_failsTheCall() {
    assertThatThrownBy(() -> commit(request -> refuse(FULL), twoGroups())).isSameAs(FULL);
    assertThat(counted).isEqualTo(Map.of("storage_full", 3));
  }

  @Test
  void diskThatFailsAllGroups_failsTheCall() {
    CompletableFuture<CommitOffsetResponse> answer = commit(this::taken, twoGroups());
    disk("a").completeExceptionally(FULL);
    disk("b").completeExceptionally(FULL);
    assertThatThrownBy(answer::join).hasCause(FULL);
    assertThat(counted).isEqualTo(Map.of("storage_full", 3));
  }

  @Test
  void groupThatRefusesAndDiskThatFails_failTheCall() {
    CompletableFuture<CommitOffsetResponse> answer =
        commit(request -> request.group().equals("b") ? refuse(FULL) : taken(request), twoGroups());
    disk("a").completeExceptionally(FULL);
    assertThatThrownBy(answer::join).hasCause(FULL);
  }

  @Test
  void resultsKnownLater_areToldAsTheyTurnOut() {
    Map<String, CompletableFuture<List<CommitResult>>> clusters =
        Map.of("a", new CompletableFuture<>(), "b", new CompletableFuture<>());
    CompletableFuture<CommitOffsetResponse> answer =
        commit(request -> CommitReply.later(clusters.get(request.group()), false), twoGroups());
    clusters
        .get("a")
        .completeExceptionally(WhenceException.of(ErrorReason.LEADER_UNAVAILABLE, "away"));
    assertThat(answer).isNotDone();
    clusters
        .get("b")
        .complete(List.of(new CommitResult(io.whence.commit.CommitOutcome.COMMITTED, -1, 2, null)));
    assertOutcomesOfA(answer, CommitOutcome.COMMIT_OUTCOME_FAILED);
    assertThat(counted).isEqualTo(Map.of("leader_unavailable", 2, "committed", 1));
  }

  @ParameterizedTest
  @EnumSource(
      value = ErrorReason.class,
      names = {"LEADER_UNAVAILABLE", "OVERLOADED", "DEADLINE_EXCEEDED", "DRAINING"})
  void whatNothingOfTheGroupExplains_failsTheCallAndAsksForNothing(ErrorReason reason) {
    WhenceException away = WhenceException.of(reason, "away");
    ScriptedGroups groups =
        new ScriptedGroups(
            Map.of(), request -> CommitReply.later(CompletableFuture.failedFuture(away), false));
    CompletableFuture<CommitOffsetResponse> answer = commit(groups, twoGroups());
    assertThatThrownBy(answer::join).hasCause(away);
    assertThat(groups.reads).isEmpty();
  }

  @Test
  void dryRun_countsNothing() {
    CompletableFuture<CommitOffsetResponse> answer =
        commit(this::taken, twoGroups().toBuilder().setDryRun(true).build());
    disks.values().forEach(disk -> disk.complete(null));
    assertThat(answer.join().getResultsCount()).isEqualTo(3);
    assertThat(counted).isEmpty();
  }

  @Test
  void replay_toldAndCountedAsSuch() {
    CompletableFuture<CommitOffsetResponse> answer =
        commit(
            request ->
                new CommitReply(
                    taken(request).results(),
                    request.group().equals("b"),
                    CompletableFuture.completedFuture(null)),
            twoGroups());
    assertThat(answer.join().getReplayed()).isTrue();
    assertThat(counted).isEqualTo(Map.of("committed", 2, "replayed", 1));
  }

  @Test
  void request_handedOnWhole() {
    ScriptedGroups groups = new ScriptedGroups(Map.of(), this::taken);
    CompletableFuture<CommitOffsetResponse> unused =
        CommitCalls.commit(
                twoGroups().toBuilder().setRequestId("r").setWriter("w").build(),
                groups.scope("CommitOffset", CallListener.NOOP))
            .toCompletableFuture();
    assertThat(groups.requests).extracting(CommitRequest::group).containsExactly("a", "b");
    assertThat(groups.requests).extracting(CommitRequest::requestId).containsOnly("r");
    assertThat(groups.requests).extracting(CommitRequest::writer).containsOnly("w");
  }

  private static void assertOutcomesOfA(
      CompletableFuture<CommitOffsetResponse> answer, CommitOutcome ofA) {
    assertThat(answer.join().getResultsList())
        .extracting(io.whence.v1.CommitResult::getOutcome)
        .containsExactly(ofA, CommitOutcome.COMMIT_OUTCOME_COMMITTED, ofA);
  }

  private CompletableFuture<CommitOffsetResponse> commit(
      Function<CommitRequest, CommitReply> groups, CommitOffsetRequest request) {
    return commit(new ScriptedGroups(Map.of(), groups), request);
  }

  private CompletableFuture<CommitOffsetResponse> commit(
      ScriptedGroups groups, CommitOffsetRequest request) {
    CallListener counting =
        new CallListener() {
          @Override
          public void onCommits(String result, int count) {
            counted.merge(result, count, Integer::sum);
          }
        };
    return CommitCalls.commit(request, groups.scope("CommitOffset", counting))
        .toCompletableFuture();
  }

  private CommitReply taken(CommitRequest request) {
    List<CommitResult> results =
        request.entries().stream()
            .map(
                entry ->
                    new CommitResult(
                        io.whence.commit.CommitOutcome.COMMITTED, -1, entry.nextOffset(), null))
            .toList();
    return new CommitReply(results, false, disk(request.group()));
  }

  private CompletableFuture<Void> disk(String group) {
    return disks.computeIfAbsent(group, name -> new CompletableFuture<>());
  }

  private static CommitReply refuse(RuntimeException failure) {
    throw failure;
  }

  private static String now(io.whence.v1.CommitResult result) {
    return result.hasOffsetNow() ? String.valueOf(result.getOffsetNow()) : "nothing";
  }

  /** Entries of group a, b and a. */
  private static CommitOffsetRequest twoGroups() {
    return CommitOffsetRequest.newBuilder()
        .setGroup("a")
        .addEntries(CommitEntry.newBuilder().setTopic("t").setNextOffset(1))
        .addEntries(CommitEntry.newBuilder().setGroup("b").setTopic("t").setNextOffset(2))
        .addEntries(CommitEntry.newBuilder().setTopic("u").setNextOffset(3))
        .build();
  }
}
