package io.whence.source.kafka.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.model.ErrorReason;
import io.whence.source.kafka.fetch.PartitionErrors.Pace;
import io.whence.source.kafka.fetch.PartitionErrors.Reaction;
import io.whence.source.kafka.fetch.PartitionErrors.Step;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class PartitionErrorsTest {
  @ParameterizedTest
  @CsvSource({
    "NOT_LEADER_OR_FOLLOWER,LEADER_UNAVAILABLE,ASK_FOR_LEADER,QUICK",
    "FENCED_LEADER_EPOCH,LEADER_UNAVAILABLE,ASK_FOR_LEADER,QUICK",
    "UNKNOWN_LEADER_EPOCH,LEADER_UNAVAILABLE,RETRY,QUICK",
    "OFFSET_OUT_OF_RANGE,NOT_READY,MOVE,QUICK",
    "UNKNOWN_TOPIC_OR_PARTITION,LEADER_UNAVAILABLE,ASK_FOR_LEADER,QUICK",
    "UNKNOWN_TOPIC_ID,LEADER_UNAVAILABLE,ASK_FOR_LEADER,QUICK",
    "INCONSISTENT_TOPIC_ID,LEADER_UNAVAILABLE,ASK_FOR_LEADER,QUICK",
    "TOPIC_AUTHORIZATION_FAILED,NOT_AUTHORIZED,RETRY,ACCESS",
    "KAFKA_STORAGE_ERROR,STORAGE_ERROR,ASK_FOR_LEADER,SLOW",
    "OFFSET_NOT_AVAILABLE,LEADER_UNAVAILABLE,ASK_FOR_LEADER,SLOW",
    "LEADER_NOT_AVAILABLE,LEADER_UNAVAILABLE,ASK_FOR_LEADER,SLOW",
    "REPLICA_NOT_AVAILABLE,LEADER_UNAVAILABLE,ASK_FOR_LEADER,SLOW",
    "CORRUPT_MESSAGE,DAMAGED_LOG,RETRY,SLOWEST",
    "UNSUPPORTED_COMPRESSION_TYPE,UNSUPPORTED_FORMAT,RETRY,SLOWEST",
    "UNKNOWN_SERVER_ERROR,LEADER_UNAVAILABLE,ASK_FOR_LEADER,SLOWEST"
  })
  void error_hasItsReaction(Errors error, ErrorReason reason, Step step, Pace pace) {
    assertThat(PartitionErrors.reactionTo(error)).isEqualTo(new Reaction(reason, step, pace));
  }

  @ParameterizedTest
  @EnumSource(value = Errors.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void everyError_isNamedInItsFault(Errors error) {
    FetchFault fault = PartitionErrors.reactionTo(error).fault("broker 1", error);

    assertThat(fault.message()).isEqualTo("broker 1 answered " + error.name());
  }
}
