package io.whence.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.source.archive.ArchiveOptions;
import io.whence.source.archive.ArchiveProgress;
import io.whence.source.archive.ArchiveSource;
import io.whence.testkit.Fixtures;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The groups in the directory of a real broker are those that it was recorded with. */
class ArchivedGroupOffsetsTest {
  private static final Path EXPECTED =
      Path.of("src/test/resources/fixtures/consumer-offsets/expected.json");

  @TempDir private Path directory;
  private ArchivedGroupOffsets offsets;
  private JsonNode expected;

  @BeforeEach
  void open() throws IOException {
    Path archive = Fixtures.unpack("consumer-offsets", directory.resolve("archive"));
    ArchiveSource source =
        ArchiveSource.open("archive", ArchiveOptions.of(List.of(archive)), InstantSource.system());
    source.load(Runnable::run, ArchiveProgress.NOOP).toCompletableFuture().join();
    offsets = new ArchivedGroupOffsets(source);
    expected = new ObjectMapper().readTree(EXPECTED.toFile()).get("consumer_groups");
  }

  @Test
  void everyGroup_hasTheOffsetsThatItWasRecordedWith() {
    Set<String> names = new TreeSet<>();
    int compared = 0;
    for (JsonNode group : expected.get("groups")) {
      String name = group.get("group").asText();
      names.add(name);
      Group found = offsets.group(name).orElseThrow(() -> new AssertionError("no group " + name));
      assertThat(found.offsetCount()).as(name).isEqualTo(group.get("offsets").size());
      for (JsonNode offset : group.get("offsets")) {
        assertOffset(found, offset);
        compared++;
      }
    }
    assertThat(offsets.groups().stream().map(Group::name).collect(Collectors.toSet()))
        .isEqualTo(names);
    assertThat(compared).isEqualTo(26);
  }

  private static void assertOffset(Group group, JsonNode recorded) {
    CommittedOffset found =
        group
            .offset(recorded.get("topic").asText(), recorded.get("partition").asInt())
            .orElseThrow(() -> new AssertionError("not found: " + recorded));
    assertThat(found.nextOffset()).isEqualTo(recorded.get("offset").asLong());
    assertThat(found.leaderEpoch().orElse(-1)).isEqualTo(recorded.get("leader_epoch").asInt());
    assertThat(found.metadata()).isEqualTo(recorded.get("metadata").asText());
    assertThat(found.commitTimeMs()).isEqualTo(recorded.get("commit_timestamp").asLong());
    assertThat(found.explicitExpiryMs().orElse(-1))
        .isEqualTo(recorded.get("expire_timestamp").asLong());
    JsonNode id = recorded.get("topic_id");
    assertThat(found.topicId().map(Object::toString).orElse(""))
        .isEqualTo(id.isNull() ? "" : id.asText());
    assertThat(found.changePosition()).isEqualTo(recorded.get("record_offset").asLong());
  }

  @Test
  void kindsOfGroups_areToldApart() {
    assertThat(kind("billing")).isEqualTo(GroupKind.SIMPLE);
    assertThat(kind("classic-members")).isEqualTo(GroupKind.CLASSIC);
    assertThat(kind("new-members")).isEqualTo(GroupKind.CONSUMER);
  }

  private GroupKind kind(String group) {
    return offsets.group(group).orElseThrow().state().kind();
  }

  @Test
  void expiry_isToldWhereTheCommitSaysIt() {
    Group simple = offsets.group("billing").orElseThrow();
    assertThat(offsets.expiresAtMs(simple, simple.offset("t2", 0).orElseThrow())).isEmpty();
    Group explicit = offsets.group("expiring").orElseThrow();
    assertThat(offsets.expiresAtMs(explicit, explicit.offset("t1", 1).orElseThrow()))
        .hasValue(1_796_980_282_450L);
  }

  @Test
  void history_isWhatTheLogStillHolds() {
    List<OffsetChange> changes =
        offsets.history("g1", new TopicPartition("t1", 0), 100, Cancellation.NONE);
    assertThat(changes).isNotEmpty();
    assertThat(changes.get(0).after()).isEqualTo(75_423);
    for (int i = 0; i + 1 < changes.size(); i++) {
      assertThat(changes.get(i).before()).isEqualTo(changes.get(i + 1).after());
    }
    assertThat(offsets.history("g1", new TopicPartition("gone", 0), 100, Cancellation.NONE))
        .isEmpty();
  }

  @Test
  void writing_isRefused() {
    CommitRequest request = GroupsDir.request("g1", Entries.entry(0, 1));
    assertThatThrownBy(() -> offsets.commit(request, Cancellation.NONE))
        .isInstanceOfSatisfying(
            WhenceException.class,
            e -> assertThat(e.reason()).isEqualTo(ErrorReason.READ_ONLY_SOURCE));
    assertThatThrownBy(() -> offsets.deleteGroup("g1", Cancellation.NONE))
        .hasMessage("source: 'archive' is read-only; commit to an embedded source");
  }
}
