package io.whence.grpc;

import io.grpc.Attributes;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Who makes a call. Spelled out only when asked for. Thread safety: immutable.
 *
 * @param address the other end of the connection; null when not known
 * @param connection the connection
 * @param trace what follows the call
 */
public record Caller(@Nullable SocketAddress address, Connection connection, CallTrace trace) {
  /** Where the context of a call has it. */
  static final Context.Key<Caller> KEY = Context.key("caller");

  /** Makes a caller whose call nothing follows. */
  Caller(@Nullable SocketAddress address, Connection connection) {
    this(address, connection, CallTrace.NONE);
  }

  /** Returns who makes the current call; somebody else each time where nobody noted it. */
  static Caller ofCurrentCall() {
    Caller noted = KEY.get();
    return noted == null ? new Caller(null, new Connection()) : noted;
  }

  /** Returns an interceptor that notes who makes each call. */
  public static ServerInterceptor interceptor() {
    return Caller::note;
  }

  /** Returns the address and port of the other end of the connection; empty when not known. */
  String name() {
    SocketAddress known = address;
    if (known == null) {
      return "";
    }
    if (known instanceof InetSocketAddress internet) {
      InetAddress host = internet.getAddress();
      return (host == null ? internet.getHostString() : host.getHostAddress())
          + ":"
          + internet.getPort();
    }
    return known.toString();
  }

  private static <Q, R> ServerCall.Listener<Q> note(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    Attributes attributes = call.getAttributes();
    Caller caller =
        new Caller(
            attributes.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR),
            Connection.of(attributes),
            CallTrace.ofCurrentCall());
    return Contexts.interceptCall(Context.current().withValue(KEY, caller), call, headers, next);
  }
}
