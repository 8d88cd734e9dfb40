package io.whence.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.commit.Commits;
import io.whence.commit.CommittedOffset;
import io.whence.commit.Group;
import io.whence.log.FollowedEnds;
import io.whence.log.FollowedLog;
import io.whence.log.FollowedLogOptions;
import io.whence.log.LogConfig;
import io.whence.log.LogEnvironment;
import io.whence.log.LogEvents;
import io.whence.model.ErrorReason;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.source.PartitionLogs;
import io.whence.source.SourceKind;
import io.whence.testkit.BatchBuilder;
import io.whence.testkit.GivenSource;
import io.whence.testkit.ManualClock;
import io.whence.v1.OffsetResult;
import io.whence.v1.OffsetStatus;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OffsetAnswersTest {
  private static final int CUT_AT = 80;
  private static final int NO_EPOCH = -1;

  @TempDir private Path directory;
  private FollowedLog log;
  private boolean ready = true;

  /** KAFKA-20507: a log of 100 records in epoch 3, cut to 80 in epoch 4. */
  @BeforeEach
  void cut() throws IOException {
    log =
        FollowedLog.open(
            directory,
            new TopicPartition("t", 0),
            LogConfig.of(Map.of()),
            new LogEnvironment(
                new ManualClock(1), Runnable::run, deletion -> {}, 16 << 20, LogEvents.NOOP),
            FollowedLogOptions.startingAt(0));
    append(0, 100, 3);
    assertThat(status(100, 3).getStatus()).isEqualTo(OffsetStatus.OFFSET_STATUS_CURRENT);
    log.truncateTo(CUT_AT);
    append(CUT_AT, 150, 4);
  }

  private void append(int from, int end, int epoch) throws IOException {
    for (int offset = from; offset < end; offset++) {
      byte[] batch = BatchBuilder.batch(offset).leaderEpoch(epoch).record(offset).build();
      log.append(ByteBuffer.wrap(batch), new FollowedEnds(0, offset + 1, Long.MAX_VALUE));
    }
  }

  @AfterEach
  void close() throws IOException {
    log.close();
  }

  @Test
  void offsetBeyondTheCut_truncatedWithTheSafeOne() {
    OffsetResult result = status(100, 3);

    assertThat(result.getStatus()).isEqualTo(OffsetStatus.OFFSET_STATUS_TRUNCATED);
    assertThat(result.getSafeNextOffset()).isEqualTo(CUT_AT);
    assertThat(result.getCommitted().getNextOffset()).isEqualTo(100);
    assertThat(status(CUT_AT + 1, 3).getStatus()).isEqualTo(OffsetStatus.OFFSET_STATUS_TRUNCATED);
  }

  @Test
  void offsetAtTheCut_orOfTheNewEpoch_orWithoutEpoch_current() {
    for (OffsetResult result :
        List.of(status(CUT_AT, 3), status(100, 4), status(150, 4), status(100, NO_EPOCH))) {
      assertThat(result.getStatus()).isEqualTo(OffsetStatus.OFFSET_STATUS_CURRENT);
      assertThat(result.hasSafeNextOffset()).isFalse();
    }
  }

  @Test
  void logNotFollowedYet_offsetIsTold() {
    ready = false;

    OffsetResult result = status(100, 3);

    assertThat(result.getStatus()).isEqualTo(OffsetStatus.OFFSET_STATUS_CURRENT);
    assertThat(result.getCommitted().getNextOffset()).isEqualTo(100);
  }

  private OffsetResult status(long nextOffset, int leaderEpoch) {
    CommittedOffset committed =
        new CommittedOffset(nextOffset, leaderEpoch, "", 0, -1, null, -1, -1);
    Group group = Commits.group("g", Map.of("t", Map.of(0, committed)));
    ScriptedGroups groups =
        new ScriptedGroups(
            Map.of("g", group),
            request -> {
              throw new UnsupportedOperationException("no test commits");
            });
    CallScope scope = groups.scope("FetchOffset", CallListener.NOOP);
    return new OffsetAnswers(scope, new OneLog(), groups, 0).of(group, "t", 0);
  }

  /** A source whose only partition is followed. */
  private final class OneLog extends GivenSource {
    OneLog() {
      super("prod");
    }

    @Override
    public SourceKind kind() {
      return SourceKind.KAFKA;
    }

    @Override
    public boolean isReady() {
      return ready;
    }

    @Override
    public PartitionLogs logs(String topic) {
      return partitions(
          1,
          partition -> {
            if (!ready) {
              throw WhenceException.of(ErrorReason.NOT_READY, "not followed to its end yet");
            }
            return log.snapshot();
          });
    }
  }
}
