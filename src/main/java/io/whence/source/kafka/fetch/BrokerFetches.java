package io.whence.source.kafka.fetch;

import io.whence.model.ErrorReason;
import io.whence.source.kafka.fetch.Followed.Ticket;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.ClientResponse;
import org.apache.kafka.clients.FetchSessionHandler;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.requests.FetchResponse;
import org.apache.kafka.common.utils.internals.LogContext;
import org.jspecify.annotations.Nullable;

/**
 * The fetches from one broker, in one session, of the partitions that it leads. Invariant: one
 * question is with the broker at most, and none is sent while two answers of it are not handed over
 * yet. Thread safety: single-writer, the I/O thread.
 */
final class BrokerFetches {
  private static final long FOREVER = Long.MAX_VALUE;
  private static final long CONNECTING_MS = 20;

  private final LaneParts parts;
  private final BrokerClient client;
  private final FetchSessionHandler session;
  private final List<Followed> partitions = new ArrayList<>();
  private final Map<TopicPartition, FetchedBounds> sessionBounds = new HashMap<>();
  private Node node;
  private @Nullable Sent inFlight;
  private int handOvers;
  private int rotation;
  private long notBeforeMs;
  private int failures;
  private int refusals;
  private boolean connectionFailureNoted;
  private boolean sessionClosed;

  /** A question that was sent. */
  private record Sent(Map<TopicPartition, Ticket> tickets, long nanos) {}

  BrokerFetches(LaneParts parts, BrokerClient client, Node node) {
    this.parts = parts;
    this.client = client;
    this.node = node;
    session =
        new FetchSessionHandler(
            new LogContext("[" + parts.name() + ", broker " + node.id() + "] "), node.id());
  }

  void add(Followed followed) {
    partitions.add(followed);
  }

  void remove(Followed followed) {
    partitions.remove(followed);
  }

  /** Takes the address that the cluster gives for the broker. */
  void moveTo(Node address) {
    node = address;
  }

  /** Asks for what is next if it is time to. Returns in how many ms to look again. */
  long fetch(long nowMs) {
    if (inFlight != null || handOvers > 1) {
      return FOREVER;
    }
    if (nowMs < notBeforeMs) {
      return notBeforeMs - nowMs;
    }
    long wait = soonest(nowMs);
    if (wait > 0) {
      return wait;
    }
    if (connect(nowMs)) {
      send(nowMs);
      return FOREVER;
    }
    // It may also be that the client wants to ask for leaders first, and that takes long.
    long delay = Math.min(CONNECTING_MS, client.delayMs(node, nowMs));
    return Math.max(delay, notBeforeMs - nowMs);
  }

  private long soonest(long nowMs) {
    long wait = FOREVER;
    for (Followed followed : partitions) {
      wait = Math.min(wait, followed.fetchableIn(nowMs));
    }
    return wait;
  }

  private boolean connect(long nowMs) {
    if (client.hasFailed(node) && !connectionFailureNoted) {
      connectionFailureNoted = true;
      noteConnectionFailure(nowMs);
      if (nowMs < notBeforeMs) {
        return false;
      }
    }
    boolean ready = client.ready(node, nowMs);
    if (!client.hasFailed(node)) {
      connectionFailureNoted = false;
    }
    return ready;
  }

  private void noteConnectionFailure(long nowMs) {
    Optional<AuthenticationException> refusal = client.refusal(node);
    if (refusal.isPresent()) {
      refused(refusal.get(), nowMs);
    } else {
      fail(ErrorReason.LEADER_UNAVAILABLE, name() + " can't be reached");
    }
  }

  private void refused(AuthenticationException refusal, long nowMs) {
    notBeforeMs = nowMs + parts.limits().backoff().accessMillis(++refusals);
    fail(ErrorReason.NOT_AUTHORIZED, name() + " refuses the connection: " + refusal.getMessage());
  }

  private void fail(ErrorReason reason, String message) {
    parts.events().brokerFailed(parts.name(), node.id(), message);
    FetchFault fault = new FetchFault(reason, message);
    partitions.forEach(followed -> followed.report(fault));
  }

  private void send(long nowMs) {
    var builder = session.newBuilder(partitions.size(), false);
    Map<TopicPartition, Ticket> tickets = new LinkedHashMap<>();
    // Without a session, whoever comes first in an answer would always be the same.
    rotation = (rotation + 1) % partitions.size();
    for (int i = 0; i < partitions.size(); i++) {
      Followed followed = partitions.get((rotation + i) % partitions.size());
      if (followed.fetchableIn(nowMs) == 0) {
        Ticket ticket = followed.ticket();
        tickets.put(followed.partition(), ticket);
        builder.add(
            followed.partition(), followed.question(ticket, parts.limits().partitionMaxBytes()));
      }
    }
    // What is not asked for leaves the session.
    sessionBounds.keySet().retainAll(tickets.keySet());
    // The bounds of what is new here are wanted at once, whether there are records or not.
    int waitMs =
        sessionBounds.keySet().containsAll(tickets.keySet()) ? parts.limits().maxWaitMillis() : 0;
    Sent sent = new Sent(tickets, System.nanoTime());
    inFlight = sent;
    parts.events().asked(parts.name(), node.id());
    client.send(
        node,
        FetchQuestion.of(builder.build(), parts.limits(), waitMs),
        response -> answered(response, sent));
  }

  private void answered(ClientResponse response, Sent sent) {
    inFlight = null;
    long nowMs = BrokerClient.nowMs();
    // A connection that was lost with the question is no further failure.
    connectionFailureNoted = response.wasDisconnected();
    if (response.authenticationException() != null) {
      session.handleError(response.authenticationException());
      refused(response.authenticationException(), nowMs);
    } else if (response.versionMismatch() != null) {
      session.handleError(response.versionMismatch());
      notBeforeMs = nowMs + parts.limits().backoff().access().toMillis();
      fail(ErrorReason.UNSUPPORTED, name() + " is too old: topic ids came with Kafka 3.1");
    } else if (response.wasDisconnected()) {
      disconnected(response, nowMs);
    } else {
      read((FetchResponse) response.responseBody(), response, sent, nowMs);
    }
  }

  private void disconnected(ClientResponse response, long nowMs) {
    session.handleError(new DisconnectException());
    retryLater(nowMs);
    // A broker that restarts says nothing either, and its partitions have moved meanwhile.
    if (response.wasTimedOut() || failures > 1) {
      fail(
          ErrorReason.LEADER_UNAVAILABLE,
          name() + (response.wasTimedOut() ? " does not answer" : " breaks the connection"));
    } else {
      parts.events().brokerFailed(parts.name(), node.id(), name() + " breaks the connection");
    }
  }

  private void retryLater(long nowMs) {
    failures++;
    notBeforeMs = nowMs + parts.limits().backoff().millis(failures - 1, node.id());
  }

  private void read(FetchResponse answer, ClientResponse response, Sent sent, long nowMs) {
    long answeredNanos = System.nanoTime();
    short version = response.requestHeader().apiVersion();
    if (answer.throttleTimeMs() > 0) {
      parts.events().throttled(parts.name(), node.id(), answer.throttleTimeMs());
    }
    if (!session.handleResponse(answer, version)) {
      // The session is gone or unusable; the handler begins another one with the next question.
      retryLater(nowMs);
      return;
    }
    failures = 0;
    refusals = 0;
    AnswerReader reader = new AnswerReader(name(), sessionBounds, sent.nanos(), nowMs);
    answer
        .responseData(session.sessionTopicNames(), version)
        .forEach(
            (partition, data) -> {
              Ticket ticket = sent.tickets().remove(partition);
              if (ticket != null) {
                reader.read(ticket, data);
              }
            });
    sent.tickets().values().forEach(reader::unchanged);
    handOver(reader.deliveries()); // First: the positions have moved already.
    notBeforeMs = nowMs + parts.limits().pauseMillis(reader.bytes());
    parts
        .events()
        .answered(
            parts.name(),
            node.id(),
            reader.records(),
            reader.bytes(),
            answeredNanos - sent.nanos());
    client.metadata().take(reader.movedLeaders(), answer.data().nodeEndpoints());
    if (reader.isLeaderWanted()) {
      client.metadata().requestUpdate(false);
    }
  }

  private void handOver(List<Runnable> deliveries) {
    handOvers++;
    parts
        .worker()
        .submit(
            () -> {
              deliveries.forEach(Runnable::run);
              parts.inbox().post(() -> handOvers--);
            });
  }

  /** Ends the session, so that the broker has room for others. Returns whether that is done. */
  boolean closeSession(long nowMs) {
    if (inFlight != null) {
      return false;
    }
    if (sessionClosed || session.sessionId() == 0 || !client.ready(node, nowMs)) {
      return true;
    }
    sessionClosed = true;
    session.notifyClose();
    Sent sent = new Sent(Map.of(), System.nanoTime());
    inFlight = sent;
    client.send(
        node,
        FetchQuestion.of(session.newBuilder().build(), parts.limits(), 0),
        response -> inFlight = null);
    return false;
  }

  /** Returns whether the broker has a question. */
  boolean isAsked() {
    return inFlight != null;
  }

  private String name() {
    return "broker " + node.id() + " at " + node.host() + ":" + node.port();
  }
}
