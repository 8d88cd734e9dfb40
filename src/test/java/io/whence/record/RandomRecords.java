package io.whence.record;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Random records for oracle tests: nulls, empties, headers, any timestamps. */
final class RandomRecords {
  private final Random random;

  RandomRecords(Random random) {
    this.random = random;
  }

  /** Makes 1 to {@code maxCount} records. */
  List<SourceRecord> next(int maxCount) {
    int count = 1 + random.nextInt(maxCount);
    List<SourceRecord> records = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      records.add(new SourceRecord(timestamp(), field(40), field(300), headers()));
    }
    return records;
  }

  private long timestamp() {
    return switch (random.nextInt(10)) {
      case 0 -> -1;
      case 1 -> 0;
      case 2 -> Long.MAX_VALUE;
      case 3 -> random.nextLong() >>> 1;
      default -> 1_700_000_000_000L + random.nextInt(100_000);
    };
  }

  private byte @Nullable [] field(int maxLength) {
    int kind = random.nextInt(10);
    if (kind == 0) {
      return null;
    }
    byte[] bytes = new byte[kind == 1 ? 0 : random.nextInt(maxLength)];
    if (random.nextBoolean()) {
      random.nextBytes(bytes);
    }
    return bytes;
  }

  private List<SourceRecord.Header> headers() {
    List<SourceRecord.Header> headers = new ArrayList<>();
    for (int i = random.nextInt(12) - 8; i > 0; i--) {
      headers.add(new SourceRecord.Header("h\u00e4" + random.nextInt(5), field(20)));
    }
    return headers;
  }
}
