package io.whence.server;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.DefaultHttp2PingFrame;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2GoAwayFrame;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2PingFrame;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** One HTTP/2 connection whose frames a test decides on. Thread safety: thread-safe. */
final class RawHttp2 implements AutoCloseable {
  private final NioEventLoopGroup group = new NioEventLoopGroup(1);
  private final Channel connection;
  private final AtomicReference<CompletableFuture<Void>> pinged =
      new AtomicReference<>(new CompletableFuture<>());
  private final CompletableFuture<String> goAway = new CompletableFuture<>();

  RawHttp2(int port) throws InterruptedException {
    connection =
        new Bootstrap()
            .group(group)
            .channel(NioSocketChannel.class)
            .handler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel
                        .pipeline()
                        .addLast(
                            Http2FrameCodecBuilder.forClient().build(),
                            new Http2MultiplexHandler(new ChannelInboundHandlerAdapter()),
                            new ConnectionReader());
                  }
                })
            .connect("127.0.0.1", port)
            .sync()
            .channel();
  }

  /** Starts a call with one message. */
  Call call(String method, byte[] message) throws Exception {
    CompletableFuture<String> status = new CompletableFuture<>();
    Http2StreamChannel stream =
        new Http2StreamChannelBootstrap(connection)
            .handler(new StatusReader(status))
            .open()
            .get(60, TimeUnit.SECONDS);
    Http2Headers headers =
        new DefaultHttp2Headers()
            .method("POST")
            .scheme("http")
            .path("/" + method)
            .authority("localhost")
            .add("content-type", "application/grpc")
            .add("te", "trailers");
    stream.write(new DefaultHttp2HeadersFrame(headers));
    ByteBuf body = Unpooled.buffer().writeByte(0).writeInt(message.length).writeBytes(message);
    stream.writeAndFlush(new DefaultHttp2DataFrame(body, true)).sync();
    return new Call(stream, status);
  }

  /** Sends a ping. */
  void ping() throws InterruptedException {
    connection.writeAndFlush(new DefaultHttp2PingFrame(1)).await();
  }

  /** Sends a ping after a while; returns what completes when it is answered. */
  CompletableFuture<Void> pingAfter(Duration delay) {
    CompletableFuture<Void> answered = new CompletableFuture<>();
    pinged.set(answered);
    connection
        .eventLoop()
        .schedule(
            () -> connection.writeAndFlush(new DefaultHttp2PingFrame(1)),
            delay.toNanos(),
            TimeUnit.NANOSECONDS);
    return answered;
  }

  /** Returns what completes with the server's reason to end the connection. */
  CompletableFuture<String> goAway() {
    return goAway;
  }

  boolean isOpen() {
    return connection.isActive();
  }

  @Override
  public void close() {
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }

  /**
   * A call on the connection.
   *
   * @param stream its stream
   * @param status completes with grpc-status
   */
  record Call(Http2StreamChannel stream, CompletableFuture<String> status) {
    void reset(Http2Error error) {
      stream.writeAndFlush(new DefaultHttp2ResetFrame(error));
    }
  }

  /** Reads what belongs to no call. */
  private final class ConnectionReader extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object frame) {
      if (frame instanceof Http2PingFrame ping && ping.ack()) {
        pinged.get().complete(null);
      }
      if (frame instanceof Http2GoAwayFrame end) {
        goAway.complete(end.content().toString(StandardCharsets.UTF_8));
      }
      ReferenceCountUtil.release(frame);
    }
  }

  private static final class StatusReader extends ChannelInboundHandlerAdapter {
    private final CompletableFuture<String> status;

    StatusReader(CompletableFuture<String> status) {
      this.status = status;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object frame) {
      if (frame instanceof Http2HeadersFrame headers && headers.headers().contains("grpc-status")) {
        status.complete(headers.headers().get("grpc-status").toString());
      }
      ReferenceCountUtil.release(frame);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      status.completeExceptionally(new IllegalStateException("the stream was closed"));
    }
  }
}
