package io.whence.testkit;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * Three days of a shop in UTC+8: quiet nights, a lunch and an evening peak, two flash sales. Events
 * carry the time at which they happened and come in the order in which they arrived: some seconds
 * late as a rule, some minutes late when a phone was offline. Thread safety: single-writer.
 */
final class OrderTraffic {
  /** Midnight in the shop, the first day. */
  static final Instant START =
      LocalDate.of(2024, 3, 7).atStartOfDay().toInstant(ZoneOffset.ofHours(8));

  private static final int DAYS = 3;

  /** Share of a day's orders by the hour of the shop. */
  private static final int[] ORDERS_BY_HOUR = {
    5, 2, 1, 1, 1, 2, 6, 14, 26, 38, 46, 58, 72, 56, 40, 38, 40, 46, 58, 84, 120, 104, 60, 22
  };

  /** Regions are partitions; the last one has not opened yet. */
  private static final int[] ORDERS_BY_REGION = {34, 24, 18, 14, 10, 0};

  private static final String[] REGIONS = {
    "shanghai", "guangzhou", "beijing", "chengdu", "wuhan", "hangzhou"
  };
  private static final int[] PRICES = {19, 29, 39, 59, 79, 99, 129, 199, 299, 499};

  private final Random random;
  private final List<Event> events = new ArrayList<>();
  private int nextOrder = 100_001;

  private OrderTraffic(long seed) {
    this.random = new Random(seed);
  }

  /**
   * Something that happened to an order.
   *
   * @param partition the region
   * @param order the number of the order
   * @param happenedMs when, in epoch milliseconds
   * @param arrivedMs when it reached the log, in epoch milliseconds
   * @param value the record value
   */
  record Event(int partition, int order, long happenedMs, long arrivedMs, String value) {
    /** Returns the record key. */
    String key() {
      return "o-" + order;
    }
  }

  /** Returns the number of regions. */
  static int partitionCount() {
    return ORDERS_BY_REGION.length;
  }

  /**
   * Makes the events of all days in the order of their arrival.
   *
   * @param seed the same seed makes the same events
   */
  static List<Event> events(long seed) {
    OrderTraffic traffic = new OrderTraffic(seed);
    for (int hour = 0; hour < 24 * DAYS; hour++) {
      traffic.addHour(hour);
    }
    long end = START.plus(Duration.ofDays(DAYS)).toEpochMilli();
    return traffic.events.stream()
        .filter(event -> event.arrivedMs() < end)
        .sorted(Comparator.comparingLong(Event::arrivedMs))
        .toList();
  }

  private void addHour(int hour) {
    long hourStart = START.plus(Duration.ofHours(hour)).toEpochMilli();
    int orders = (int) (ORDERS_BY_HOUR[hour % 24] * (2.3 + random.nextDouble() / 4));
    for (int i = 0; i < orders; i++) {
      addOrder(hourStart + random.nextInt(3_600_000));
    }
    // Flash sales at 10:00 and 20:00 of the second day: everybody within four minutes.
    if (hour == 24 + 10 || hour == 24 + 20) {
      for (int i = 0; i < 420; i++) {
        double rush = Math.min(1, Math.abs(random.nextGaussian()) / 3);
        addOrder(hourStart + (long) (rush * 240_000));
      }
    }
  }

  private void addOrder(long createdMs) {
    int region = region();
    int order = nextOrder++;
    int amount = PRICES[random.nextInt(PRICES.length)] * (1 + random.nextInt(3));
    add(region, order, createdMs, "created", amount);
    if (random.nextInt(100) < 8) {
      add(region, order, createdMs + 60_000 + random.nextInt(1_800_000), "cancelled", amount);
      return;
    }
    long paidMs = createdMs + 8_000 + random.nextInt(180_000);
    add(region, order, paidMs, "paid", amount);
    long shippedMs = paidMs + 3_600_000L * (2 + random.nextInt(16)) + random.nextInt(3_600_000);
    add(region, order, shippedMs, "shipped", amount);
  }

  private void add(int region, int order, long happenedMs, String event, int amount) {
    String value =
        String.format(
            Locale.ROOT,
            "{\"order\":%d,\"event\":\"%s\",\"region\":\"%s\",\"amount\":%d}",
            order,
            event,
            REGIONS[region],
            amount);
    events.add(new Event(region, order, happenedMs, happenedMs + delayMs(), value));
  }

  private long delayMs() {
    if (random.nextInt(400) == 0) {
      return 60_000L + random.nextInt(600_000);
    }
    return (long) (-Math.log(1 - random.nextDouble()) * 1_800);
  }

  private int region() {
    int ticket = random.nextInt(100);
    int region = 0;
    for (int share = ORDERS_BY_REGION[0]; ticket >= share; share += ORDERS_BY_REGION[region]) {
      region++;
    }
    return region;
  }
}
