package io.whence.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.model.IsolationLevel;
import io.whence.model.Position.AllAfter;
import io.whence.model.Position.AtOrAfter;
import io.whence.testkit.OracleRecord.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The sample is what its README says, and shows what the demo wants to show. */
class SampleTest {
  private static final Instant IN_FLASH_SALE = Instant.parse("2024-03-08T12:01:00Z");

  @Test
  void sample_unpacked_isACleanLogDirectoryOfOneTopic(@TempDir Path directory) throws IOException {
    Archive.unpack(SampleGenerator.SAMPLE, directory);

    assertThat(Files.size(SampleGenerator.SAMPLE)).isLessThan(SampleGenerator.MAX_BYTES);
    try (var entries = Files.list(directory)) {
      assertThat(entries.map(entry -> entry.getFileName().toString()))
          .containsExactlyInAnyOrder(
              ".kafka_cleanshutdown",
              "log-start-offset-checkpoint",
              "meta.properties",
              "orders-0",
              "orders-1",
              "orders-2",
              "orders-3",
              "orders-4",
              "orders-5",
              "recovery-point-offset-checkpoint",
              "replication-offset-checkpoint");
    }
  }

  @Test
  void records_allPartitions_areThreeDaysOfTraffic(@TempDir Path directory) {
    List<List<OracleRecord>> partitions = read(directory);
    List<OracleRecord> visible =
        partitions.stream().flatMap(List::stream).filter(r -> r.kind() == Kind.DATA).toList();

    assertThat(partitions).extracting(List::size).containsExactly(7031, 5010, 3865, 2980, 2088, 0);
    assertThat(visible)
        .allSatisfy(
            r ->
                assertThat(r.timestampMs())
                    .isBetween(
                        OrderTraffic.START.toEpochMilli(),
                        OrderTraffic.START.plusSeconds(3 * 86_400).toEpochMilli()));
  }

  @Test
  void records_partition3_holdAnAbortedTransaction(@TempDir Path directory) {
    List<OracleRecord> records = read(directory).get(3);

    assertThat(records).filteredOn(r -> r.kind() == Kind.ABORTED).hasSize(12);
    assertThat(records).filteredOn(r -> r.kind() == Kind.CONTROL).hasSize(1);
    assertThat(records).noneMatch(r -> r.kind() == Kind.OPEN_TXN);
  }

  @Test
  void records_flashSale_areDisorderedBySeconds(@TempDir Path directory) {
    List<OracleRecord> records = read(directory).get(0);
    long end = records.get(records.size() - 1).offset() + 1;
    BruteForce oracle = new BruteForce(records, 0, end, end);
    long target = IN_FLASH_SALE.toEpochMilli();

    long first = oracle.resolve(new AtOrAfter(target), IsolationLevel.READ_COMMITTED).offset();
    long boundary = oracle.resolve(new AllAfter(target), IsolationLevel.READ_COMMITTED).offset();

    assertThat(boundary).isGreaterThan(first);
  }

  private static List<List<OracleRecord>> read(Path directory) {
    Archive.unpack(SampleGenerator.SAMPLE, directory);
    return IntStream.range(0, OrderTraffic.partitionCount())
        .mapToObj(partition -> KafkaRecords.read(directory.resolve("orders-" + partition)))
        .toList();
  }
}
