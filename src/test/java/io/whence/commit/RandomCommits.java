package io.whence.commit;

import static io.whence.commit.Entries.allowing;
import static io.whence.commit.Entries.entry;
import static io.whence.commit.Entries.expecting;
import static io.whence.commit.Entries.withEpochs;
import static io.whence.commit.Entries.withMetadata;

import io.whence.model.TopicPartition;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/**
 * Commits with guards at random, near to what was seen. Single-writer.
 *
 * @param seen what was committed, some time ago
 * @param writerEpoch the epoch of the newest writer
 */
record RandomCommits(
    Random random, Map<TopicPartition, CommittedOffset> seen, AtomicLong writerEpoch) {
  static final int PARTITIONS = 4;
  static final int RECORDS = 1_000;

  CommitRequest request(String group, String requestId) {
    List<Integer> numbers = new ArrayList<>(IntStream.range(0, PARTITIONS + 1).boxed().toList());
    Collections.shuffle(numbers, random);
    // The last one does not exist.
    numbers.removeIf(number -> number == PARTITIONS && random.nextInt(10) > 0);
    List<CommitEntry> entries =
        numbers.subList(0, 1 + random.nextInt(3)).stream().map(this::guarded).toList();
    return new CommitRequest(
        group,
        entries,
        requestId,
        random.nextInt(4) == 0,
        random.nextInt(10) == 0,
        "caller",
        random.nextBoolean() ? ChangeCause.COMMIT : ChangeCause.RESET);
  }

  private CommitEntry guarded(int partition) {
    Optional<CommittedOffset> known =
        Optional.ofNullable(seen.get(new TopicPartition(GroupsDir.TOPIC, partition)));
    long near = known.map(CommittedOffset::nextOffset).orElse(0L);
    long offset = Math.max(0, near + random.nextInt(30) - 5);
    boolean rewind = random.nextInt(6) == 0;
    if (rewind && random.nextBoolean()) {
      offset = random.nextInt(RECORDS / 2);
    }
    if (random.nextInt(5) == 0) {
      offset = near;
    } else if (random.nextInt(40) == 0) {
      offset = RECORDS + random.nextInt(10);
    }
    CommitEntry entry = allowing(entry(partition, offset), rewind, random.nextInt(20) == 0);
    if (random.nextInt(10) == 0) {
      entry = withMetadata(entry, "note " + random.nextInt(3));
    }
    return expecting(
        withEpochs(entry, random.nextInt(10) == 0 ? 0 : -1, epochFor(partition)), expected(known));
  }

  /** Two of the partitions have writers with epochs, and now and then one without. */
  private long epochFor(int partition) {
    if (partition < PARTITIONS / 2 || random.nextInt(8) == 0) {
      return -1;
    }
    return random.nextInt(30) == 0
        ? writerEpoch.incrementAndGet()
        : writerEpoch.get() - random.nextInt(2);
  }

  private Expected expected(Optional<CommittedOffset> known) {
    return switch (random.nextInt(8)) {
      case 0 -> Expected.NOTHING;
      case 1 -> new Expected.Offset(known.map(CommittedOffset::nextOffset).orElse(0L));
      case 2 -> known.<Expected>map(Expected.Change::new).orElse(Expected.NOTHING);
      default -> Expected.ANYTHING;
    };
  }
}
