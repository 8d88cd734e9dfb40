package io.whence.app;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ServerChannel;
import jakarta.inject.Singleton;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The connections of clients to gRPC, for the end of those that gRPC can't end: before it closes a
 * connection it writes all that is left to a client, however long that doesn't read. Thread safety:
 * thread-safe.
 */
@Singleton
class OpenConnections {
  private final Set<Channel> open = ConcurrentHashMap.newKeySet();

  /** Returns a factory of listening sockets whose connections are known here. */
  ChannelFactory<ServerChannel> counting(ChannelFactory<? extends ServerChannel> factory) {
    return () -> {
      ServerChannel listening = factory.newChannel();
      listening.pipeline().addLast(new Accepting());
      return listening;
    };
  }

  /** Closes what is open, whatever is still to be written; returns how many that were. */
  int cut() {
    int cut = 0;
    for (Channel connection : open) {
      cut++;
      connection.eventLoop().execute(() -> close(connection));
    }
    return cut;
  }

  /** Closes it not through the handlers of gRPC, which would write first. */
  private static void close(Channel connection) {
    ChannelHandlerContext first = connection.pipeline().firstContext();
    if (first != null) {
      ChannelFuture unused = first.close();
    }
  }

  /** Sees each connection before anybody else does. */
  private final class Accepting extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object accepted) {
      Channel connection = (Channel) accepted;
      open.add(connection);
      connection.closeFuture().addListener(closed -> open.remove(connection));
      context.fireChannelRead(connection);
    }
  }
}
