package io.whence.app;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A process in the background of which something fails; ends with 0 if it goes on all the same. */
final class FailingProcess {
  private static final int LIMIT_SECONDS = 30;

  private FailingProcess() {}

  public static void main(String[] args) throws InterruptedException {
    CountDownLatch wentOn = new CountDownLatch(2);
    Runnable error =
        () -> {
          wentOn.countDown();
          throw new LinkageError("no such class");
        };
    Runnable exception =
        () -> {
          wentOn.countDown();
          throw new IllegalStateException("odd");
        };
    switch (args[0]) {
      case "thread" -> new NamedThreads("loop").newThread(error).start();
      case "periodic" -> again(error);
      case "periodic-exception" -> again(exception);
      case "call" -> {
        FairPool pool = new FairPool("call", 1, 2);
        pool.execute("owner", error);
        pool.execute("owner", error);
      }
      default -> throw new IllegalArgumentException(args[0]);
    }
    Runtime.getRuntime().halt(wentOn.await(LIMIT_SECONDS, TimeUnit.SECONDS) ? 0 : 1);
  }

  private static void again(Runnable task) {
    var unused =
        new PeriodicThread(new NamedThreads("loop"))
            .scheduleWithFixedDelay(task, 1, 1, TimeUnit.MILLISECONDS);
  }
}
