package io.whence.grpc;

import io.grpc.Attributes;
import io.grpc.ServerTransportFilter;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A connection of a client, with what it has in work; gone when the connection is. Thread safety:
 * thread-safe.
 */
public final class Connection {
  private static final Attributes.Key<Connection> KEY = Attributes.Key.create("whence-connection");

  private final UnreadAnswers unread;
  private final HeldRequests held;
  private final AtomicInteger callsInFlight = new AtomicInteger();
  private final AtomicInteger watches = new AtomicInteger();
  private final AtomicInteger watchedPartitions = new AtomicInteger();

  /** Makes a connection that shares nothing with others. */
  Connection() {
    this(new AtomicLong(), new AtomicLong());
  }

  /** Makes a connection that shares these counts of bytes with others. */
  Connection(AtomicLong unreadBytesOfAll, AtomicLong heldBytesOfAll) {
    unread = new UnreadAnswers(unreadBytesOfAll);
    held = new HeldRequests(heldBytesOfAll);
  }

  /** Returns a filter that gives each connection what {@link #of} finds. */
  public static ServerTransportFilter filter() {
    AtomicLong unreadBytes = new AtomicLong();
    AtomicLong heldBytes = new AtomicLong();
    return new ServerTransportFilter() {
      @Override
      public Attributes transportReady(Attributes attributes) {
        return attributes.toBuilder().set(KEY, new Connection(unreadBytes, heldBytes)).build();
      }
    };
  }

  /** Returns the connection with these attributes; another one each time if there is no filter. */
  static Connection of(Attributes attributes) {
    Connection known = attributes.get(KEY);
    return known == null ? new Connection() : known;
  }

  UnreadAnswers unread() {
    return unread;
  }

  HeldRequests held() {
    return held;
  }

  AtomicInteger callsInFlight() {
    return callsInFlight;
  }

  AtomicInteger watches() {
    return watches;
  }

  AtomicInteger watchedPartitions() {
    return watchedPartitions;
  }
}
