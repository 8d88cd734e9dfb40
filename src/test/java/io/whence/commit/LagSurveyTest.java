package io.whence.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.commit.reset.FixedLogs;
import io.whence.log.TestLogs;
import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.resolve.LogResolver;
import io.whence.resolve.WrittenLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LagSurveyTest {
  private static final long NOW_MS = 10_000;
  private static final TopicId ID = new TopicId(new UUID(0, 1));
  private static final TopicId EARLIER = new TopicId(new UUID(0, 2));

  @TempDir Path directory;
  private final FixedLogs logs = new FixedLogs();
  private final List<TestLogs.Loaded> opened = new ArrayList<>();

  @BeforeEach
  void write() throws IOException {
    put("orders", 0, "0:100 1:200 2:300");
    put("orders", 1, "0:50 1:60 2:70 3:80");
    put("events", 0, "0:-1 1:-1");
  }

  private void put(String topic, int partition, String records) throws IOException {
    Path files = Files.createDirectory(directory.resolve(topic + "-" + partition));
    TestLogs.Loaded log = new WrittenLog(files).write(records).load();
    opened.add(log);
    logs.put(new TopicPartition(topic, partition), log.log(), ID);
  }

  @AfterEach
  void close() {
    opened.forEach(TestLogs.Loaded::close);
  }

  private LagFindings look(List<WhenceException> failures, Group... groups) {
    return survey(failures, groups).look(Cancellation.NONE);
  }

  private LagSurvey survey(List<WhenceException> failures, Group... groups) {
    return new LagSurvey(
        logs,
        () -> new GroupsRead(List.of(groups), failures),
        new LagReader(new LogResolver()),
        () -> Instant.ofEpochMilli(NOW_MS));
  }

  private static Group group(String name, Map<String, Map<Integer, CommittedOffset>> offsets) {
    return Commits.group(name, offsets);
  }

  @Test
  void partitionsOfATopic_messagesAreSummed_secondsAreTheLongest() {
    LagFindings found =
        look(
            List.of(),
            group("b", Map.of("orders", Map.of(0, Commits.offset(3)))),
            group(
                "a",
                Map.of(
                    "orders",
                    Map.of(0, Commits.offset(1), 1, Commits.offset(3)),
                    "events",
                    Map.of(0, Commits.offset(0)))));

    assertThat(found)
        .isEqualTo(
            new LagFindings(
                List.of(
                    new TopicLag("a", "events", 2, -1),
                    new TopicLag("a", "orders", 3, NOW_MS - 80),
                    new TopicLag("b", "orders", 0, 0)),
                0,
                0,
                ""));
  }

  @Test
  void whatIsNotThere_isNotShown_andNoFailure() {
    LagFindings found =
        look(
            List.of(),
            group(
                "a",
                Map.of(
                    "gone", Map.of(0, Commits.offset(5)),
                    "orders", Map.of(0, Commits.offset(5, EARLIER), 7, Commits.offset(1)))),
            Group.empty("nothing"));

    assertThat(found).isEqualTo(new LagFindings(List.of(), 0, 0, ""));
  }

  @Test
  void partitionsThatFail_areCounted_andLeaveOthers() {
    logs.fail(new TopicPartition("orders", 0), new IllegalStateException("a fault"));
    logs.behind(
        new TopicPartition("events", 0),
        WhenceException.of(ErrorReason.LEADER_UNAVAILABLE, "the leader is away"));

    LagFindings found =
        look(
            List.of(),
            group(
                "a",
                Map.of(
                    "orders", Map.of(0, Commits.offset(0), 1, Commits.offset(0)),
                    "events", Map.of(0, Commits.offset(0)))),
            group("b", Map.of("orders", Map.of(1, Commits.offset(2)))));

    assertThat(found.lags())
        .containsExactly(
            new TopicLag("a", "orders", 4, NOW_MS - 50),
            new TopicLag("b", "orders", 2, NOW_MS - 70));
    assertThat(found.unknownPartitions()).isEqualTo(2);
    assertThat(found.problem()).isEqualTo("the leader is away");
  }

  @Test
  void groupsThatFail_areCounted_andLeaveOthers() {
    LagFindings found =
        look(
            List.of(WhenceException.of(ErrorReason.LEADER_UNAVAILABLE, "group 'c': away")),
            group("a", Map.of("orders", Map.of(0, Commits.offset(2)))));

    assertThat(found.lags()).containsExactly(new TopicLag("a", "orders", 1, NOW_MS - 300));
    assertThat(found.failedGroups()).isEqualTo(1);
    assertThat(found.problem()).isEqualTo("group 'c': away");
  }

  @Test
  void cancelledLook_ends() {
    AtomicInteger checks = new AtomicInteger();
    Cancellation later =
        () -> {
          if (checks.incrementAndGet() > 3) {
            throw WhenceException.of(ErrorReason.DRAINING, "stop");
          }
        };
    LagSurvey survey =
        survey(
            List.of(),
            group("a", Map.of("orders", Map.of(0, Commits.offset(0), 1, Commits.offset(0)))),
            group("b", Map.of("orders", Map.of(0, Commits.offset(0), 1, Commits.offset(0)))));

    assertThatThrownBy(() -> survey.look(later)).hasMessage("stop");
  }
}
