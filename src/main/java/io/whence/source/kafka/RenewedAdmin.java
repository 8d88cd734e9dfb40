package io.whence.source.kafka;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Metric;

/**
 * Kafka's client for administration, replaced by a new one after a while in which it was asked and
 * heard nothing. Kafka's own one may stay for ever with a broker that takes a connection and is
 * silent from then on (a process that is paused, a host that hangs): it leaves a broker that
 * doesn't get ready after {@code request.timeout.ms}, but its question for the cluster's nodes ends
 * at the same moment, or just before, and the next one finds that broker as the one that it is
 * connecting to (4.4.0, {@code KafkaAdminClient}). A new client begins with any broker.
 *
 * <p>Invariant: what a replaced client was asked keeps its time limit. Thread safety: thread-safe;
 * nothing waits for a client with the lock held.
 */
public final class RenewedAdmin implements AutoCloseable {
  private static final String HEARD_METRIC = "response-total";
  private static final String METRIC_GROUP = "admin-client-metrics";
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(1);

  /**
   * What is asked of a replaced client is over; 0 would wait for the end of its thread for ever.
   */
  private static final Duration CLOSE_AT_ONCE = Duration.ofMillis(1);

  private final Object lock = new Object();
  private final Supplier<Admin> clients;
  private final long silenceNanos;
  private final long questionNanos;
  private final LongSupplier nanoTime;
  private final Deque<Replaced> replaced = new ArrayDeque<>();
  private Client current;
  private double heardBefore;
  private long askedNanos;
  private boolean unanswered;
  private boolean renewing;
  private boolean closed;

  /** A client, and how many responses it has had. */
  private record Client(Admin admin, Metric responses) {
    static Client of(Admin admin) {
      Metric responses =
          admin.metrics().entrySet().stream()
              .filter(metric -> metric.getKey().group().equals(METRIC_GROUP))
              .filter(metric -> metric.getKey().name().equals(HEARD_METRIC))
              .<Metric>map(Map.Entry::getValue)
              .findAny()
              .orElseThrow(() -> new IllegalStateException("Kafka's client counts no responses"));
      return new Client(admin, responses);
    }

    double heard() {
      return (double) responses.metricValue();
    }
  }

  /** A client that is not asked any more. */
  private record Replaced(Admin admin, long atNanos) {}

  RenewedAdmin(
      Supplier<Admin> clients, Duration silence, Duration question, LongSupplier nanoTime) {
    this.clients = clients;
    this.silenceNanos = silence.toNanos();
    this.questionNanos = question.toNanos();
    this.nanoTime = nanoTime;
    this.current = Client.of(clients.get());
    this.heardBefore = current.heard();
  }

  /**
   * Makes a client; it connects when it is first asked.
   *
   * @param settings Kafka's settings
   * @param question how long a question may take; at least 1 ms
   * @throws IllegalArgumentException if Kafka's client doesn't take the settings
   */
  public static RenewedAdmin create(Map<String, Object> settings, Duration question) {
    try {
      return new RenewedAdmin(
          () -> Admin.create(settings),
          QuestionLimits.attempt(question),
          question,
          System::nanoTime);
    } catch (KafkaException e) {
      Throwable cause = e;
      while (cause.getCause() != null) {
        cause = cause.getCause(); // What is outside says only that there is no client.
      }
      throw new IllegalArgumentException(cause.getMessage(), e);
    }
  }

  /** Returns the client to ask now. Who calls this asks it something that a broker must answer. */
  public Admin client() {
    List<Admin> over = new ArrayList<>();
    boolean renew;
    synchronized (lock) {
      long now = nanoTime.getAsLong();
      while (!replaced.isEmpty() && now - replaced.peek().atNanos() > questionNanos) {
        over.add(replaced.remove().admin());
      }
      renew = isSilent(now) && !renewing && !closed;
      renewing |= renew;
    }
    over.forEach(admin -> admin.close(CLOSE_AT_ONCE));
    if (renew) {
      renew();
    }
    synchronized (lock) {
      return current.admin();
    }
  }

  private boolean isSilent(long now) {
    double heard = current.heard();
    if (!unanswered || heard != heardBefore) {
      heardBefore = heard;
      askedNanos = now;
      unanswered = true;
    }
    return now - askedNanos >= silenceNanos;
  }

  private void renew() {
    try {
      put(Client.of(clients.get()));
    } catch (KafkaException e) {
      // No name of a broker leads to an address now: the next question tries again.
    } finally {
      synchronized (lock) {
        renewing = false;
      }
    }
  }

  private void put(Client fresh) {
    synchronized (lock) {
      if (!closed) {
        long now = nanoTime.getAsLong();
        replaced.add(new Replaced(current.admin(), now));
        current = fresh;
        heardBefore = fresh.heard();
        askedNanos = now;
        return;
      }
    }
    fresh.admin().close(CLOSE_AT_ONCE);
  }

  /** Closes it; what was asked and not answered fails. */
  @Override
  public void close() {
    List<Admin> over = new ArrayList<>();
    synchronized (lock) {
      closed = true;
      replaced.forEach(each -> over.add(each.admin()));
      replaced.clear();
    }
    over.forEach(admin -> admin.close(CLOSE_AT_ONCE));
    current.admin().close(CLOSE_LIMIT);
  }
}
