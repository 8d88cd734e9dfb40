package io.whence.server;

import io.grpc.EquivalentAddressGroup;
import io.grpc.NameResolver;
import io.grpc.NameResolverProvider;
import io.grpc.StatusOr;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URI;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * What a headless service is to clients: a name with an address for each server that is ready. Like
 * DNS it tells of a change only when it is asked again. Thread safety: thread-safe.
 */
final class PodNames extends NameResolverProvider {
  private static final String SCHEME = "pods";
  static final String TARGET = SCHEME + ":///whence";

  private final List<EquivalentAddressGroup> addresses = new CopyOnWriteArrayList<>();

  void add(int port) {
    addresses.add(address(port));
  }

  void remove(int port) {
    addresses.remove(address(port));
  }

  private static EquivalentAddressGroup address(int port) {
    return new EquivalentAddressGroup(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
  }

  @Override
  protected boolean isAvailable() {
    return true;
  }

  @Override
  protected int priority() {
    return 5;
  }

  @Override
  public String getDefaultScheme() {
    return SCHEME;
  }

  @Override
  public Collection<Class<? extends SocketAddress>> getProducedSocketAddressTypes() {
    return Set.of(InetSocketAddress.class);
  }

  @Override
  public NameResolver newNameResolver(URI target, NameResolver.Args args) {
    return new NameResolver() {
      private Listener2 listener;

      @Override
      public String getServiceAuthority() {
        return "whence";
      }

      @Override
      public void start(Listener2 asks) {
        listener = asks;
        refresh();
      }

      @Override
      public void refresh() {
        args.getSynchronizationContext()
            .execute(
                () ->
                    listener.onResult2(
                        ResolutionResult.newBuilder()
                            .setAddressesOrError(StatusOr.fromValue(List.copyOf(addresses)))
                            .build()));
      }

      @Override
      public void shutdown() {}
    };
  }
}
