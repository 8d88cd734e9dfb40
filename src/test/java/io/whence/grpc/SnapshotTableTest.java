package io.whence.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.log.LogSnapshot;
import io.whence.model.TopicPartition;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SnapshotTableTest {
  @TempDir Path directory;

  @Test
  void anyPartitions_likeAHashMap() throws IOException {
    long seed = System.nanoTime();
    System.out.println("SnapshotTableTest seed " + seed);
    Random random = new Random(seed);
    List<LogSnapshot> logs = new ArrayList<>();
    try (ProbedSource source = new ProbedSource(directory, 0)) {
      source.createTopic("t", 5);
      for (int partition = 0; partition < 5; partition++) {
        logs.add(source.logs("t").snapshot(partition));
      }
    }
    SnapshotTable table = new SnapshotTable();
    for (int call = 0; call < 300; call++) {
      int count = 1 + random.nextInt(1 << random.nextInt(12));
      int spread = random.nextBoolean() ? count : Integer.MAX_VALUE;
      Map<TopicPartition, LogSnapshot> oracle = new HashMap<>();
      table.reset(count);
      for (int i = 0; i < count; i++) {
        int topic = random.nextInt(4);
        int partition = random.nextInt(spread);
        TopicPartition key = new TopicPartition("t" + topic, partition);
        int slot = table.slot(topic, partition);
        assertThat(table.get(slot)).as("seed %d", seed).isSameAs(oracle.get(key));
        LogSnapshot log = logs.get(random.nextInt(logs.size()));
        table.set(slot, topic, partition, log);
        oracle.put(key, log);
      }
    }
  }
}
