package io.whence.source.kafka;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Metric;
import org.jspecify.annotations.Nullable;

/**
 * Kafka's client for administration, replaced by a new one after a while in which it was asked and
 * heard nothing. Kafka's own one may stay for ever with a broker that takes a connection and is
 * silent from then on (a process that is paused, a host that hangs): it leaves a broker that
 * doesn't get ready after {@code request.timeout.ms}, but its question for the cluster's nodes ends
 * at the same moment, or just before, and the next one finds that broker as the one that it is
 * connecting to (4.4.0, {@code KafkaAdminClient}). A new client begins with any broker.
 *
 * <p>Invariant: what a replaced client was asked keeps its time limit. Thread safety: thread-safe.
 */
public final class RenewedAdmin implements InvocationHandler {
  private static final String HEARD_METRIC = "response-total";
  private static final String METRIC_GROUP = "admin-client-metrics";

  private final Supplier<Admin> clients;
  private final long silenceNanos;
  private final long questionNanos;
  private final LongSupplier nanoTime;
  private final Deque<Replaced> replaced = new ArrayDeque<>();
  private Admin current;
  private Metric heard;
  private double heardBefore;
  private long askedNanos;
  private boolean unanswered;
  private boolean closed;

  /** A client that is not asked any more. */
  private record Replaced(Admin admin, long atNanos) {}

  RenewedAdmin(
      Supplier<Admin> clients,
      Admin first,
      Duration silence,
      Duration question,
      LongSupplier nanoTime) {
    this.clients = clients;
    this.silenceNanos = silence.toNanos();
    this.questionNanos = question.toNanos();
    this.nanoTime = nanoTime;
    this.current = first;
    this.heard = responses(first);
    this.heardBefore = heard();
  }

  /**
   * Makes a client; it connects when it is first asked.
   *
   * @param settings Kafka's settings, with those of {@link AttemptLimits}
   * @param question how long a question may take; at least 1 ms
   * @throws KafkaException if Kafka's client doesn't take the settings
   */
  public static Admin create(Map<String, Object> settings, Duration question) {
    Supplier<Admin> clients = () -> Admin.create(settings);
    Admin first = clients.get(); // It refuses what the limits could not be read of.
    Duration silence = AttemptLimits.attempt(settings, question);
    return new RenewedAdmin(clients, first, silence, question, System::nanoTime).asAdmin();
  }

  /** Returns what is asked, and closed. */
  Admin asAdmin() {
    return (Admin)
        Proxy.newProxyInstance(Admin.class.getClassLoader(), new Class<?>[] {Admin.class}, this);
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments)
      throws Throwable {
    boolean close = method.getName().equals("close");
    try {
      return method.invoke(close ? closing() : asked(), arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private synchronized Admin closing() {
    closed = true;
    replaced.forEach(one -> one.admin().close(Duration.ZERO));
    replaced.clear();
    return current;
  }

  /** Returns the client that is to be asked now. */
  private synchronized Admin asked() {
    long now = nanoTime.getAsLong();
    if (closed) {
      return current; // It says that it is.
    }
    closeReplaced(now);
    double heardNow = heard();
    if (!unanswered || heardNow != heardBefore) {
      heardBefore = heardNow;
      askedNanos = now;
      unanswered = true;
    } else if (now - askedNanos >= silenceNanos) {
      renew(now);
    }
    return current;
  }

  private void closeReplaced(long now) {
    while (!replaced.isEmpty() && now - replaced.peek().atNanos() > questionNanos) {
      replaced.remove().admin().close(Duration.ZERO);
    }
  }

  private void renew(long now) {
    Admin fresh;
    try {
      fresh = clients.get();
    } catch (KafkaException e) {
      return; // No name of a broker leads to an address now: the next question tries again.
    }
    replaced.add(new Replaced(current, now));
    current = fresh;
    heard = responses(fresh);
    heardBefore = heard();
    askedNanos = now;
  }

  private static Metric responses(Admin client) {
    return client.metrics().entrySet().stream()
        .filter(metric -> metric.getKey().group().equals(METRIC_GROUP))
        .filter(metric -> metric.getKey().name().equals(HEARD_METRIC))
        .<Metric>map(Map.Entry::getValue)
        .findAny()
        .orElseThrow(() -> new IllegalStateException("Kafka's client counts no responses"));
  }

  private double heard() {
    return (double) heard.metricValue();
  }
}
