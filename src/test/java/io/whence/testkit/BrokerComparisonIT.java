package io.whence.testkit;

import static io.whence.model.IsolationLevel.READ_COMMITTED;
import static io.whence.model.IsolationLevel.READ_UNCOMMITTED;
import static io.whence.testkit.BrokerComparison.Cause.ABORTED_RECORD;
import static io.whence.testkit.BrokerComparison.Cause.CONTROL_MARKER;
import static io.whence.testkit.BrokerComparison.Cause.FIRST_SEGMENT_ONLY;
import static io.whence.testkit.BrokerComparison.Cause.MAX_BELOW_LOG_START;
import static io.whence.testkit.BrokerComparison.Cause.UNEXPLAINED;
import static org.assertj.core.api.Assertions.assertThat;

import io.whence.model.IsolationLevel;
import io.whence.model.Position;
import io.whence.model.TopicPartition;
import io.whence.testkit.BrokerComparison.Cause;
import io.whence.testkit.BrokerComparison.Difference;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lets the oracle stand against a real broker on the fixtures where brokers are not exact. */
class BrokerComparisonIT {

  @Test
  void oracle_brokerOnFixture_differsForDocumentedCausesOnly(@TempDir Path directory) {
    assertThat(causes("transactions", directory))
        .contains(CONTROL_MARKER, ABORTED_RECORD)
        .doesNotContain(UNEXPLAINED);
    assertThat(causes("delete-records", directory))
        .contains(FIRST_SEGMENT_ONLY, MAX_BELOW_LOG_START)
        .doesNotContain(UNEXPLAINED);
    assertThat(causes("disordered", directory)).isEmpty();
  }

  @Test
  void wrongAnswers_areUnexplained(@TempDir Path directory) {
    Path logDir = Fixtures.unpack("disordered", directory);
    TopicPartition partition = new TopicPartition("jitter", 0);
    try (KafkaBroker broker = KafkaAdoption.start(logDir, Map.of());
        Admin admin = broker.admin()) {
      BruteForce oracle = BrokerComparison.oracle(broker, admin, partition);
      long first = oracle.records().get(0).timestampMs();

      List<Difference> differences =
          new BrokerComparison(admin, partition, READ_UNCOMMITTED, oracle)
              .compare(
                  List.of(first + 1000),
                  position -> oracle.resolve(shifted(position), READ_UNCOMMITTED));

      assertThat(differences).singleElement().extracting(Difference::cause).isEqualTo(UNEXPLAINED);
    }
  }

  /** Takes the answer for a time 20 s later. */
  private static Position shifted(Position position) {
    return position instanceof Position.AtOrAfter p
        ? new Position.AtOrAfter(p.targetTimestampMs() + 20_000)
        : position;
  }

  private static Set<Cause> causes(String name, Path directory) {
    Path logDir = Fixtures.unpack(name, directory.resolve(name));
    Set<Cause> causes = EnumSet.noneOf(Cause.class);
    try (KafkaBroker broker = KafkaAdoption.start(logDir, Map.of());
        Admin admin = broker.admin()) {
      for (Fixture.Partition partition : Fixtures.load(name).partitions()) {
        if (!partition.topicPartition().topic().startsWith("__")) {
          for (IsolationLevel isolation : List.of(READ_UNCOMMITTED, READ_COMMITTED)) {
            differences(broker, admin, partition, isolation).forEach(d -> causes.add(d.cause()));
          }
        }
      }
    }
    return causes;
  }

  private static List<Difference> differences(
      KafkaBroker broker, Admin admin, Fixture.Partition partition, IsolationLevel isolation) {
    BruteForce oracle = BrokerComparison.oracle(broker, admin, partition.topicPartition());
    return new BrokerComparison(admin, partition.topicPartition(), isolation, oracle)
        .compare(
            partition.queries().stream().map(Fixture.Query::timestampMs).toList(),
            position -> oracle.resolve(position, isolation));
  }
}
