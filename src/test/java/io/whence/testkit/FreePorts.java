package io.whence.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Ports for servers that listen later, or again after a restart. They are below those that Linux
 * gives to connections, from 32768 on: any client could get such a port meanwhile, even one that
 * tries to connect to it. Thread safety: thread-safe.
 */
public final class FreePorts {
  private static final int FIRST = 10_000;
  private static final int COUNT = 20_000;
  private static final int MAX_TRIES = 1_000;
  private static final Random RANDOM = new Random();
  private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

  private FreePorts() {}

  /**
   * Returns a port of loopback that is free at this moment, and never the same twice.
   *
   * @throws IllegalStateException if there seems to be none
   */
  public static int next() {
    for (int i = 0; i < MAX_TRIES; i++) {
      int port = FIRST + RANDOM.nextInt(COUNT);
      if (isFree(port) && GIVEN.add(port)) {
        return port;
      }
    }
    throw new IllegalStateException("no port is free");
  }

  private static boolean isFree(int port) {
    try (var probe = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return probe.isBound();
    } catch (IOException e) {
      return false;
    }
  }
}
