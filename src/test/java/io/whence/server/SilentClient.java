package io.whence.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.DefaultHttp2WindowUpdateFrame;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import java.util.concurrent.TimeUnit;

/**
 * A connection that asks and never reads: after its first bytes nothing is taken from the socket,
 * though HTTP/2's windows say that everything may be sent. Thread safety: single-writer.
 */
final class SilentClient implements AutoCloseable {
  private static final int WINDOW = 1 << 30;

  private final NioEventLoopGroup group = new NioEventLoopGroup(1);
  private final Channel connection;

  SilentClient(int port) throws InterruptedException {
    connection =
        new Bootstrap()
            .group(group)
            .channel(NioSocketChannel.class)
            .option(ChannelOption.SO_RCVBUF, 4096)
            .handler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel
                        .pipeline()
                        .addLast(
                            Http2FrameCodecBuilder.forClient()
                                .initialSettings(
                                    Http2Settings.defaultSettings().initialWindowSize(WINDOW))
                                .build(),
                            new Http2MultiplexHandler(new ChannelInboundHandlerAdapter()));
                  }
                })
            .connect("127.0.0.1", port)
            .sync()
            .channel();
    connection.writeAndFlush(new DefaultHttp2WindowUpdateFrame(WINDOW)).sync();
  }

  /** Makes a call and reads its answer, and nothing from the socket any more. */
  void askAndStopReading(String method, byte[] message) throws Exception {
    // With its answer come the windows of the server, so that requests have room.
    assertThat(ask(method, message).closeFuture().await(60, TimeUnit.SECONDS)).isTrue();
    connection.config().setAutoRead(false);
  }

  /** Starts a call with one message. */
  Http2StreamChannel ask(String method, byte[] message) throws Exception {
    Http2StreamChannel stream =
        new Http2StreamChannelBootstrap(connection)
            .handler(new ChannelInboundHandlerAdapter())
            .open()
            .get(60, TimeUnit.SECONDS);
    stream.write(
        new DefaultHttp2HeadersFrame(
            new DefaultHttp2Headers()
                .method("POST")
                .scheme("http")
                .path("/" + method)
                .authority("localhost")
                .add("content-type", "application/grpc")
                .add("te", "trailers")));
    ByteBuf body = Unpooled.buffer().writeByte(0).writeInt(message.length).writeBytes(message);
    stream.writeAndFlush(new DefaultHttp2DataFrame(body, true)).sync();
    return stream;
  }

  @Override
  public void close() {
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }
}
