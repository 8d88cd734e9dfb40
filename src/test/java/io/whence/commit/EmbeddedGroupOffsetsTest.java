package io.whence.commit;

import static io.whence.commit.Entries.allowing;
import static io.whence.commit.Entries.entry;
import static io.whence.commit.Entries.expecting;
import static io.whence.commit.Entries.inTopic;
import static io.whence.commit.Entries.ofTopic;
import static io.whence.commit.Entries.withEpochs;
import static io.whence.commit.Entries.withMetadata;
import static io.whence.commit.GroupsDir.TOPIC;
import static io.whence.commit.GroupsDir.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedGroupOffsetsTest {
  private static final String GROUP = "billing";

  @TempDir private Path path;
  private GroupsDir dir;

  @BeforeEach
  void open() {
    dir = GroupsDir.open(path).withTopic(TOPIC, 4, 1_000);
  }

  @AfterEach
  void close() {
    dir.close();
  }

  private static void assertRefused(CommitResult result, ErrorReason reason) {
    assertThat(result.outcome()).isEqualTo(CommitOutcome.FAILED);
    assertThat(result.failure().orElseThrow().reason()).isEqualTo(reason);
  }

  @Test
  void commit_isFoundAlsoAfterARestart() {
    CommitEntry entry = withMetadata(withEpochs(entry(1, 42), 3, 9), "notes ✓");
    CommitResult result = dir.commit(GROUP, entry);
    assertThat(result).isEqualTo(new CommitResult(CommitOutcome.COMMITTED, -1, 42, null));
    for (int i = 0; i < 2; i++) {
      CommittedOffset offset =
          dir.offsets.group(GROUP).orElseThrow().offset(TOPIC, 1).orElseThrow();
      assertThat(offset.nextOffset()).isEqualTo(42);
      assertThat(offset.leaderEpoch()).hasValue(3);
      assertThat(offset.writerEpoch()).hasValue(9);
      assertThat(offset.metadata()).isEqualTo("notes ✓");
      assertThat(offset.commitTimeMs()).isEqualTo(GroupsDir.START_MS);
      assertThat(offset.topicId()).isEqualTo(dir.source.topic(TOPIC).topicId());
      assertThat(dir.offsets.group("other")).isEmpty();
      dir.reopen();
    }
  }

  @Test
  void offsetZero_isAnOffset() {
    dir.commit(GROUP, entry(0, 0));
    dir.reopen();
    assertThat(dir.committed(GROUP, 0)).isZero();
    assertThat(dir.committed(GROUP, 1)).isEqualTo(-1);
  }

  @Test
  void lowerOffset_isRefusedUnlessARewindIsAllowed() {
    dir.commit(GROUP, entry(0, 500));
    CommitResult back = dir.commit(GROUP, entry(0, 10));
    assertRefused(back, ErrorReason.REGRESSION);
    assertThat(back.now()).isEqualTo(500);
    assertThat(back.failure().orElseThrow().metadata()).containsEntry("committed_offset", "500");
    CommitEntry rewind = allowing(entry(0, 10), true, false);
    assertRefused(
        dir.commit(GROUP, expecting(rewind, new Expected.Offset(499))), ErrorReason.CONFLICT);
    assertThat(dir.committed(GROUP, 0)).isEqualTo(500);
    assertThat(dir.commit(GROUP, expecting(rewind, new Expected.Offset(500))).outcome())
        .isEqualTo(CommitOutcome.COMMITTED);
    assertThat(dir.committed(GROUP, 0)).isEqualTo(10);
  }

  @Test
  void staleRetryOfAnOlderCommit_isRefused() {
    dir.commit(GROUP, entry(0, 120));
    assertRefused(dir.commit(GROUP, entry(0, 100)), ErrorReason.REGRESSION);
    assertThat(dir.committed(GROUP, 0)).isEqualTo(120);
  }

  @Test
  void expectedNothing_isMetOnce() {
    CommitEntry first = expecting(entry(0, 5), Expected.NOTHING);
    assertThat(dir.commit(GROUP, first).outcome()).isEqualTo(CommitOutcome.COMMITTED);
    CommitResult second = dir.commit(GROUP, first);
    assertRefused(second, ErrorReason.CONFLICT);
    assertThat(second.failure().orElseThrow())
        .hasMessage("expected_offset: expected nothing, but 5 is committed");
    CommitResult other = dir.commit(GROUP, expecting(entry(1, 5), new Expected.Offset(4)));
    assertThat(other.failure().orElseThrow())
        .hasMessage("expected_offset: expected 4, but nothing is committed");
  }

  @Test
  void offsetOutsideTheLog_isRefusedUnlessAllowed() {
    dir.source.trim(new TopicPartition(TOPIC, 0), 5);
    assertRefused(dir.commit(GROUP, entry(0, 1_001)), ErrorReason.OFFSET_OUT_OF_RANGE);
    assertRefused(dir.commit(GROUP, entry(0, 4)), ErrorReason.OFFSET_OUT_OF_RANGE);
    assertThat(dir.commit(GROUP, entry(0, 5)).outcome()).isEqualTo(CommitOutcome.COMMITTED);
    assertThat(dir.commit(GROUP, entry(0, 1_000)).outcome()).isEqualTo(CommitOutcome.COMMITTED);
    assertThat(dir.commit(GROUP, allowing(entry(0, 1_001), false, true)).outcome())
        .isEqualTo(CommitOutcome.COMMITTED);
  }

  @Test
  void metadataThatIsTooLong_isRefusedAlone() {
    CommitReply reply =
        dir.commit(
            request(
                GROUP,
                withMetadata(entry(0, 1), "✓".repeat(4_097)),
                withMetadata(entry(1, 1), "✓".repeat(4_096))));
    assertRefused(reply.results().get(0), ErrorReason.METADATA_TOO_LARGE);
    assertThat(reply.results().get(1).outcome()).isEqualTo(CommitOutcome.COMMITTED);
    assertThat(dir.committed(GROUP, 0)).isEqualTo(-1);
    assertThat(dir.committed(GROUP, 1)).isEqualTo(1);
  }

  @Test
  void olderWriter_isFencedOff() {
    dir.commit(GROUP, withEpochs(entry(0, 10), -1, 5));
    dir.reopen();
    assertRefused(dir.commit(GROUP, withEpochs(entry(0, 11), -1, 4)), ErrorReason.FENCED);
    assertRefused(dir.commit(GROUP, entry(0, 11)), ErrorReason.FENCED);
    assertThat(dir.commit(GROUP, withEpochs(entry(1, 11), -1, 4)).outcome())
        .as("another partition")
        .isEqualTo(CommitOutcome.COMMITTED);
    assertThat(dir.commit(GROUP, withEpochs(entry(0, 11), -1, 5)).outcome())
        .isEqualTo(CommitOutcome.COMMITTED);
    assertThat(dir.commit(GROUP, withEpochs(entry(0, 12), -1, 6)).outcome())
        .isEqualTo(CommitOutcome.COMMITTED);
    assertRefused(dir.commit(GROUP, withEpochs(entry(0, 13), -1, 5)), ErrorReason.FENCED);
  }

  @Test
  void unknownTopicAndPartition_leaveTheirNeighboursAlone() {
    CommitReply reply =
        dir.commit(request(GROUP, inTopic(entry(0, 1), "gone"), entry(99, 1), entry(2, 1)));
    assertRefused(reply.results().get(0), ErrorReason.UNKNOWN_TOPIC);
    assertRefused(reply.results().get(1), ErrorReason.UNKNOWN_PARTITION);
    assertThat(reply.results().get(2).outcome()).isEqualTo(CommitOutcome.COMMITTED);
  }

  @Test
  void topicThatWasCreatedAgain_makesItsOffsetsStale() {
    dir.commit(GROUP, entry(0, 1_000));
    TopicId old = dir.source.topic(TOPIC).topicId().orElseThrow();
    dir.source.deleteTopic(TOPIC, Optional.empty());
    dir.withTopic(TOPIC, 1, 5);
    TopicId now = dir.source.topic(TOPIC).topicId().orElseThrow();
    CommittedOffset stored = dir.offsets.group(GROUP).orElseThrow().offset(TOPIC, 0).orElseThrow();
    assertThat(stored.isStaleFor(Optional.of(now))).isTrue();
    assertRefused(dir.commit(GROUP, entry(0, 3)), ErrorReason.STALE_TOPIC);
    assertRefused(dir.commit(GROUP, ofTopic(entry(0, 3), old)), ErrorReason.STALE_TOPIC);
    assertRefused(
        dir.commit(GROUP, expecting(ofTopic(entry(0, 3), now), new Expected.Offset(1_000))),
        ErrorReason.CONFLICT);
    assertThat(dir.commit(GROUP, ofTopic(entry(0, 3), now)).outcome())
        .as("no rewind: the old offset says nothing about the new topic")
        .isEqualTo(CommitOutcome.COMMITTED);
    assertThat(dir.commit(GROUP, entry(0, 4)).outcome()).isEqualTo(CommitOutcome.COMMITTED);
  }

  @Test
  void staleness_isNotDecidedByOffsets() {
    dir.commit(GROUP, entry(0, 5));
    dir.source.deleteTopic(TOPIC, Optional.empty());
    dir.withTopic(TOPIC, 1, 10);
    assertRefused(dir.commit(GROUP, entry(0, 7)), ErrorReason.STALE_TOPIC);
  }

  @Test
  void sameCommitAgain_isUnchangedAndRenewsItsTime() {
    dir.commit(GROUP, entry(0, 5));
    dir.clock.advance(1_000);
    assertThat(dir.commit(GROUP, entry(0, 5)))
        .isEqualTo(new CommitResult(CommitOutcome.UNCHANGED, 5, 5, null));
    dir.reopen();
    CommittedOffset offset = dir.offsets.group(GROUP).orElseThrow().offset(TOPIC, 0).orElseThrow();
    assertThat(offset.commitTimeMs()).isEqualTo(GroupsDir.START_MS + 1_000);
    assertThat(history(0)).hasSize(1);
    assertThat(history(0).get(0).changedAtMs()).isEqualTo(GroupsDir.START_MS);
  }

  private List<OffsetChange> history(int partition) {
    return dir.offsets.history(GROUP, new TopicPartition(TOPIC, partition), 100, Cancellation.NONE);
  }

  @Test
  void history_tellsWhoChangedWhatNewestFirst() {
    for (int i = 1; i <= 12; i++) {
      dir.clock.advance(10);
      dir.commit(request(GROUP, "request-" + i, entry(0, 10L * i), entry(1, i)));
      dir.commit(request(GROUP, entry(1, i)));
    }
    dir.reopen();
    List<OffsetChange> changes = history(0);
    assertThat(changes).hasSize(10);
    for (int i = 0; i < changes.size(); i++) {
      int commit = 12 - i;
      assertThat(changes.get(i))
          .isEqualTo(
              new OffsetChange(
                  GroupsDir.START_MS + 10L * commit,
                  "tester",
                  10L * (commit - 1),
                  10L * commit,
                  "request-" + commit,
                  ChangeCause.COMMIT));
    }
    assertThat(history(1)).hasSize(10).allMatch(change -> !change.requestId().isEmpty());
    assertThat(history(3)).isEmpty();
  }

  @Test
  void atomicRequest_isMadeAsAWholeOrNotAtAll() {
    dir.commit(GROUP, entry(1, 50));
    CommitRequest half =
        new CommitRequest(
            GROUP,
            List.of(entry(0, 5), entry(1, 40), entry(2, 5)),
            "",
            true,
            false,
            "tester",
            ChangeCause.COMMIT);
    CommitReply reply = dir.commit(half);
    assertThat(reply.results().stream().map(CommitResult::outcome))
        .containsExactly(
            CommitOutcome.NOT_APPLIED, CommitOutcome.FAILED, CommitOutcome.NOT_APPLIED);
    assertThat(dir.committed(GROUP, 0)).isEqualTo(-1);
    assertThat(dir.committed(GROUP, 1)).isEqualTo(50);
    assertThat(dir.committed(GROUP, 2)).isEqualTo(-1);
  }

  @Test
  void dryRun_changesNothing() {
    CommitRequest dry =
        new CommitRequest(
            GROUP, List.of(entry(0, 5)), "id", false, true, "tester", ChangeCause.COMMIT);
    assertThat(dir.commit(dry).results().get(0))
        .isEqualTo(new CommitResult(CommitOutcome.COMMITTED, -1, 5, null));
    assertThat(dir.offsets.group(GROUP)).isEmpty();
    assertThat(dir.commit(request(GROUP, "id", entry(0, 7))).replayed()).isFalse();
  }

  @Test
  void requestThatIsSentAgain_givesTheFirstResultAndCommitsNothing() {
    CommitRequest first =
        request(GROUP, "id-1", entry(0, 5), entry(1, 2_000), withMetadata(entry(2, 3), "x"));
    List<CommitResult> results = dir.commit(first).results();
    dir.commit(GROUP, entry(0, 9));
    for (int i = 0; i < 3; i++) {
      CommitReply again = dir.commit(first);
      assertThat(again.replayed()).isTrue();
      assertThat(again.results().get(0)).isEqualTo(results.get(0));
      assertRefused(again.results().get(1), ErrorReason.OFFSET_OUT_OF_RANGE);
      assertThat(again.results().get(2)).isEqualTo(results.get(2));
      assertThat(dir.committed(GROUP, 0)).isEqualTo(9);
      dir.reopen();
    }
  }

  @Test
  void refusedRequestThatIsSentAgain_isRefusedAgain() {
    CommitRequest refused = request(GROUP, "id-2", expecting(entry(0, 5), new Expected.Offset(1)));
    assertRefused(dir.commit(refused).results().get(0), ErrorReason.CONFLICT);
    dir.commit(GROUP, entry(0, 1));
    dir.reopen();
    assertRefused(dir.commit(refused).results().get(0), ErrorReason.CONFLICT);
    assertThat(dir.committed(GROUP, 0)).isEqualTo(1);
  }

  @Test
  void requestId_isOfOneRequestAndOneGroup() {
    dir.commit(request(GROUP, "id", entry(0, 5)));
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> dir.commit(request(GROUP, "id", entry(0, 6))))
          .isInstanceOfSatisfying(
              WhenceException.class,
              e -> assertThat(e.reason()).isEqualTo(ErrorReason.REQUEST_ID_REUSED));
      dir.reopen();
    }
    assertThat(dir.commit(request("other", "id", entry(0, 6))).replayed()).isFalse();
    dir.commit(request(GROUP, "id-2", withMetadata(entry(0, 6), "Aa")));
    assertThatThrownBy(() -> dir.commit(request(GROUP, "id-2", withMetadata(entry(0, 6), "BB"))))
        .as("texts of the same hash code")
        .hasMessageContaining("was used for another request");
  }

  @Test
  void requestIsForgotten_afterItsTime() {
    CommitRequest first = request(GROUP, "id", entry(0, 5));
    dir.commit(first);
    dir.clock.advance(Duration.ofMinutes(15).toMillis() - 1);
    assertThat(dir.commit(first).replayed()).isTrue();
    dir.clock.advance(1);
    assertThat(dir.commit(first).replayed()).isFalse();
    assertThat(dir.offsets.figures().requests()).isEqualTo(1);
  }

  @Test
  void moreRequestsThanCanBeRemembered_areRefusedAndNoneIsForgotten() {
    for (int i = 0; i < 1_000; i++) {
      dir.commit(request(GROUP, "id-" + i, entry(0, i)));
    }
    assertThatThrownBy(() -> dir.commit(request(GROUP, "one more", entry(0, 1_000))))
        .isInstanceOfSatisfying(
            WhenceException.class, e -> assertThat(e.reason()).isEqualTo(ErrorReason.OVERLOADED));
    assertThat(dir.commit(request(GROUP, "id-0", entry(0, 0))).replayed()).isTrue();
    assertThat(dir.commit(GROUP, entry(0, 1_000)).outcome()).isEqualTo(CommitOutcome.COMMITTED);
    dir.clock.advance(Duration.ofMinutes(15).toMillis());
    assertThat(dir.commit(request("any", "one more", entry(0, 1))).replayed()).isFalse();
  }

  @Test
  void deletedOffsets_areGoneAlsoAfterARestart() {
    dir.commit(request(GROUP, entry(0, 5), entry(1, 6), entry(2, 7)));
    List<DeletedOffset> deleted =
        dir.offsets
            .deleteOffsets(
                GROUP,
                List.of(new TopicPartition(TOPIC, 1), new TopicPartition(TOPIC, 3)),
                Cancellation.NONE)
            .toCompletableFuture()
            .join();
    assertThat(deleted.stream().map(DeletedOffset::offsetBefore))
        .containsExactly(OptionalLong.of(6), OptionalLong.empty());
    dir.reopen();
    assertThat(dir.committed(GROUP, 0)).isEqualTo(5);
    assertThat(dir.committed(GROUP, 1)).isEqualTo(-1);
    assertThat(dir.offsets.deleteGroup(GROUP, Cancellation.NONE).toCompletableFuture().join())
        .isEqualTo(2);
    assertThatThrownBy(
            () -> dir.offsets.deleteGroup(GROUP, Cancellation.NONE).toCompletableFuture().join())
        .hasMessageContaining("has not committed anything");
    dir.reopen();
    assertThat(dir.offsets.groups()).isEmpty();
  }

  @Test
  void offsets_expireAfterTheirLastCommit() {
    dir.commit(request(GROUP, entry(0, 5), entry(1, 6)));
    dir.clock.advance(Duration.ofDays(1).toMillis());
    dir.commit(request(GROUP, entry(1, 6)));
    Group group = dir.offsets.group(GROUP).orElseThrow();
    assertThat(dir.offsets.expiresAtMs(group, group.offset(TOPIC, 0).orElseThrow()))
        .hasValue(GroupsDir.START_MS + Duration.ofDays(7).toMillis());
    dir.clock.advance(Duration.ofDays(6).toMillis() - 1);
    assertThat(dir.offsets.figures().expiringSoon()).isEqualTo(1);
    assertThat(dir.offsets.expire().toCompletableFuture().join()).isZero();
    dir.clock.advance(1);
    assertThat(dir.offsets.expire().toCompletableFuture().join()).isEqualTo(1);
    assertThat(dir.committed(GROUP, 0)).isEqualTo(-1);
    assertThat(dir.committed(GROUP, 1)).isEqualTo(6);
    dir.clock.advance(Duration.ofDays(1).toMillis());
    assertThat(dir.offsets.expire().toCompletableFuture().join()).isEqualTo(1);
    dir.reopen();
    assertThat(dir.offsets.groups()).isEmpty();
    assertThat(dir.offsets.figures()).isEqualTo(new GroupFigures(0, 0, 0, 0));
  }
}
