package io.whence.source.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.junit.jupiter.api.Test;

class RenewedAdminTest {
  private static final Duration SILENCE = Duration.ofSeconds(2);
  private static final Duration QUESTION = Duration.ofSeconds(6);

  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5_000_000_000L);
  private final List<Client> clients = new ArrayList<>();
  private boolean canConnect = true;
  private Runnable atMaking = () -> {};
  private final RenewedAdmin admin = new RenewedAdmin(this::client, SILENCE, QUESTION, nanos::get);

  @Test
  void whatIsHeard_keepsTheClient() {
    ask();
    for (int i = 0; i < 10; i++) {
      clients.get(0).heard++;
      pass(SILENCE);
      ask();
    }
    assertThat(clients).hasSize(1);
    assertThat(clients.get(0).asked).isEqualTo(11);
  }

  @Test
  void silence_bringsANewClient_fromItsEndOn() {
    ask();
    pass(SILENCE.minusNanos(1));
    ask();
    assertThat(clients).hasSize(1);
    pass(Duration.ofNanos(1));
    ask();
    assertThat(clients).extracting(client -> client.asked).containsExactly(2, 1);
  }

  @Test
  void aTimeWithoutQuestions_isNoSilence() {
    ask();
    clients.get(0).heard++;
    pass(Duration.ofDays(1));
    ask();
    pass(SILENCE.minusNanos(1));
    ask();
    assertThat(clients).hasSize(1);
  }

  @Test
  void aNewClient_hasAsMuchTime() {
    ask();
    pass(SILENCE);
    ask();
    pass(SILENCE.minusNanos(1));
    ask();
    assertThat(clients).hasSize(2);
    pass(Duration.ofNanos(1));
    ask();
    assertThat(clients).hasSize(3);
  }

  @Test
  void theReplacedClient_answersWhatItWasAsked_andIsClosedThen() {
    ask();
    pass(SILENCE);
    ask();
    clients.get(1).heard++;
    pass(QUESTION);
    ask();
    assertThat(clients.get(0).closed).isZero();
    pass(Duration.ofNanos(1));
    ask();
    assertThat(clients).extracting(client -> client.closed).containsExactly(1, 0);
  }

  @Test
  void noNewClient_theOldOneIsAsked_andAnotherTriedNextTime() {
    ask();
    pass(SILENCE);
    canConnect = false;
    ask();
    canConnect = true;
    ask();
    assertThat(clients).extracting(client -> client.asked).containsExactly(2, 1);
  }

  @Test
  void close_closesAll_andMakesNoneAfterwards() {
    ask();
    pass(SILENCE);
    ask();
    admin.close();
    assertThat(clients).extracting(client -> client.closed).containsExactly(1, 1);
    pass(SILENCE);
    ask();
    assertThat(clients).hasSize(2);
  }

  @Test
  void anotherMayAsk_whileReplacedOnesAreClosed() throws Exception {
    ask();
    pass(SILENCE);
    ask();
    clients.get(0).atClose = () -> CompletableFuture.runAsync(this::ask).join();
    pass(QUESTION.plusNanos(1));
    clients.get(1).heard++;

    CompletableFuture.runAsync(this::ask).get(10, TimeUnit.SECONDS);

    assertThat(clients).extracting(client -> client.asked).containsExactly(1, 3);
  }

  @Test
  void anotherMayAsk_whileANewOneIsMade_andMakesNoneBesides() throws Exception {
    ask();
    pass(SILENCE);
    atMaking = () -> CompletableFuture.runAsync(this::ask).join();

    CompletableFuture.runAsync(this::ask).get(10, TimeUnit.SECONDS);

    assertThat(clients).extracting(client -> client.asked).containsExactly(2, 1);
  }

  @Test
  void aClientThatIsMadeDuringTheClose_isClosed() {
    ask();
    pass(SILENCE);
    atMaking = admin::close;
    ask();
    assertThat(clients).extracting(client -> client.closed).containsExactly(1, 1);
  }

  private void ask() {
    admin.client().listTopics();
  }

  private void pass(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  private Admin client() {
    if (!canConnect) {
      throw new KafkaException("No resolvable bootstrap urls");
    }
    Runnable first = atMaking;
    atMaking = () -> {};
    first.run();
    Client client = new Client();
    clients.add(client);
    return (Admin)
        Proxy.newProxyInstance(
            Admin.class.getClassLoader(),
            new Class<?>[] {Admin.class},
            (proxy, method, arguments) -> client.answer(method.getName()));
  }

  /** What a client was asked, and what it has heard of brokers. */
  private static final class Client {
    private int asked;
    private int closed;
    private double heard;
    private Runnable atClose = () -> {};

    private Object answer(String method) {
      switch (method) {
        case "metrics" -> {
          MetricName name =
              new MetricName(
                  "response-total", "admin-client-metrics", "", Map.of("client-id", "1"));
          return Map.of(name, metric(name));
        }
        case "close" -> {
          closed++;
          atClose.run();
        }
        default -> asked++;
      }
      return null;
    }

    private Metric metric(MetricName name) {
      return new Metric() {
        @Override
        public MetricName metricName() {
          return name;
        }

        @Override
        public Object metricValue() {
          return heard;
        }
      };
    }
  }
}
