package io.whence.cli.demo;

import com.google.protobuf.ByteString;
import io.whence.v1.AppendEntry;
import io.whence.v1.AppendRequest;
import io.whence.v1.Compression;
import io.whence.v1.RecordData;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;

/**
 * A few days of orders of a shop in Shanghai, the same for the same clock: quiet nights, a rush
 * every afternoon, and orders that arrive late because a phone had no network. All of it is in the
 * past. Single-writer.
 */
final class DemoTraffic {
  /** How many partitions the topic has. */
  static final int PARTITIONS = 12;

  /** The partition of a shop that closed: nothing in the last two and a half days. */
  static final int CLOSED = 9;

  /** The partition of a job that runs at night only. */
  static final int NIGHTLY = 10;

  /** The partition that nobody ever wrote to. */
  static final int EMPTY = 11;

  private static final ZoneId ZONE = ZoneId.of("Asia/Shanghai");
  private static final Duration SPAN = Duration.ofDays(4);
  private static final Duration CLOSED_SINCE = Duration.ofHours(60);
  private static final long SEED = 20_240_309L;
  private static final int BATCH_RECORDS = 500;
  // Orders a minute, by the hour of the day.
  private static final int[] RATE = {
    2, 1, 1, 0, 0, 1, 2, 4, 8, 11, 13, 14, 12, 10, 11, 13, 12, 11, 12, 14, 15, 12, 8, 4
  };
  private static final int RUSH_HOUR = 15;
  private static final int RUSH_FACTOR = 5;

  private record Order(long arrivalMs, long timestampMs, int partition, int number) {}

  private final Random random = new Random(SEED);
  private final Instant now;

  DemoTraffic(Instant now) {
    this.now = now;
  }

  /** Returns the requests that append everything, in the order in which to send them. */
  List<AppendRequest> requests(String source, String topic) {
    List<List<AppendEntry>> batches = new ArrayList<>();
    for (List<Order> orders : byPartition(orders())) {
      batches.add(batches(topic, orders));
    }
    List<AppendRequest> requests = new ArrayList<>();
    for (int round = 0; ; round++) {
      AppendRequest.Builder request = AppendRequest.newBuilder().setSource(source);
      for (List<AppendEntry> partition : batches) {
        if (round < partition.size()) {
          request.addEntries(partition.get(round));
        }
      }
      if (request.getEntriesCount() == 0) {
        return requests;
      }
      requests.add(request.build());
    }
  }

  private List<Order> orders() {
    List<Order> orders = new ArrayList<>();
    Instant start = now.minus(SPAN);
    for (Instant minute = start; minute.isBefore(now); minute = minute.plusSeconds(60)) {
      ZonedDateTime local = minute.atZone(ZONE);
      for (int i = random.nextInt(2 * rate(local) + 1); i > 0; i--) {
        add(orders, minute.toEpochMilli() + random.nextInt(60_000), random.nextInt(CLOSED + 1));
      }
      if (local.getHour() == 2 && local.getMinute() < 20) {
        add(orders, minute.toEpochMilli() + random.nextInt(1_000), NIGHTLY);
      }
    }
    orders.sort(Comparator.comparingLong(Order::arrivalMs));
    return orders;
  }

  private static int rate(ZonedDateTime local) {
    int rate = RATE[local.getHour()];
    boolean rush =
        local.getHour() == RUSH_HOUR && local.getMinute() >= 20 && local.getMinute() < 35;
    return rush ? rate * RUSH_FACTOR : rate;
  }

  private void add(List<Order> orders, long timestampMs, int partition) {
    long arrivalMs = timestampMs + delayMs();
    boolean closed = partition == CLOSED && timestampMs > now.minus(CLOSED_SINCE).toEpochMilli();
    if (arrivalMs < now.toEpochMilli() && !closed) {
      orders.add(new Order(arrivalMs, timestampMs, partition, random.nextInt(1_000_000)));
    }
  }

  /** Most orders arrive at once, one in ten within seconds, one in a hundred within minutes. */
  private long delayMs() {
    int luck = random.nextInt(100);
    if (luck == 0) {
      return random.nextInt(15 * 60_000);
    }
    return luck <= 10 ? random.nextInt(20_000) : random.nextInt(300);
  }

  private static List<List<Order>> byPartition(List<Order> orders) {
    List<List<Order>> byPartition = new ArrayList<>();
    for (int i = 0; i < PARTITIONS; i++) {
      byPartition.add(new ArrayList<>());
    }
    orders.forEach(order -> byPartition.get(order.partition()).add(order));
    return byPartition;
  }

  private static List<AppendEntry> batches(String topic, List<Order> orders) {
    List<AppendEntry> batches = new ArrayList<>();
    for (int from = 0; from < orders.size(); from += BATCH_RECORDS) {
      AppendEntry.Builder batch =
          AppendEntry.newBuilder()
              .setTopic(topic)
              .setPartition(orders.get(from).partition())
              .setCompression(Compression.COMPRESSION_LZ4);
      orders
          .subList(from, Math.min(orders.size(), from + BATCH_RECORDS))
          .forEach(order -> batch.addRecords(record(order)));
      batches.add(batch.build());
    }
    return batches;
  }

  private static RecordData record(Order order) {
    String value =
        "{\"order\":" + order.number() + ",\"yuan\":" + (order.number() % 900 + 100) / 10.0 + "}";
    return RecordData.newBuilder()
        .setKey(ByteString.copyFromUtf8("customer-" + order.number() % 5_000))
        .setValue(ByteString.copyFromUtf8(value))
        .setTimestampMs(order.timestampMs())
        .build();
  }
}
