package io.whence.app.tls;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ApplicationProtocolNegotiator;
import io.netty.handler.ssl.SslContext;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSessionContext;

/**
 * Gives each new connection the context of its time. The context is swapped as a whole, so that no
 * handshake mixes an old certificate with a new key, and nobody resumes a session that a CA let in
 * which counts no more. Thread safety: thread-safe.
 */
final class SwappedSslContext extends SslContext {
  private volatile SslContext current;

  SwappedSslContext(SslContext first) {
    this.current = first;
  }

  /** Counts for connections from now on. */
  void swap(SslContext next) {
    current = next;
  }

  @Override
  public boolean isClient() {
    return current.isClient();
  }

  @Override
  public List<String> cipherSuites() {
    return current.cipherSuites();
  }

  @Override
  @SuppressWarnings("deprecation") // Abstract there, so it must be answered.
  public ApplicationProtocolNegotiator applicationProtocolNegotiator() {
    return current.applicationProtocolNegotiator();
  }

  @Override
  public SSLEngine newEngine(ByteBufAllocator allocator) {
    return current.newEngine(allocator);
  }

  @Override
  public SSLEngine newEngine(ByteBufAllocator allocator, String peerHost, int peerPort) {
    return current.newEngine(allocator, peerHost, peerPort);
  }

  @Override
  public SSLSessionContext sessionContext() {
    return current.sessionContext();
  }
}
