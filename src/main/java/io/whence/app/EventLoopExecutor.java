package io.whence.app;

import io.netty.util.concurrent.EventExecutor;
import io.vertx.core.Vertx;
import io.vertx.core.impl.ContextInternal;
import io.vertx.core.impl.VertxInternal;
import io.whence.grpc.EventLoop;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Runs the callbacks of calls on a Vert.x context of the event loop that they come from, as
 * Quarkus' interceptors expect it. Thread safety: thread-safe.
 */
@Singleton
final class EventLoopExecutor implements Executor, Supplier<EventLoop> {
  private final List<Loop> loops = new ArrayList<>();
  private final ThreadLocal<Loop> current = ThreadLocal.withInitial(this::loopOfThread);

  EventLoopExecutor(Vertx vertx) {
    VertxInternal internal = (VertxInternal) vertx;
    ClassLoader loader = Thread.currentThread().getContextClassLoader();
    for (EventExecutor loop : internal.getEventLoopGroup()) {
      loops.add(
          new Loop(
              loop,
              internal.createEventLoopContext(
                  (io.netty.channel.EventLoop) loop, internal.getWorkerPool(), loader)));
    }
  }

  @Override
  public void execute(Runnable task) {
    current.get().execute(task);
  }

  /** Returns the event loop of the current thread; any, if it is none. */
  @Override
  public EventLoop get() {
    return current.get();
  }

  private Loop loopOfThread() {
    for (Loop loop : loops) {
      if (loop.isCurrent()) {
        return loop;
      }
    }
    return loops.get(0);
  }

  /**
   * One event loop.
   *
   * @param executor the loop itself
   * @param context a context on it
   */
  private record Loop(EventExecutor executor, ContextInternal context) implements EventLoop {
    @Override
    public boolean isCurrent() {
      return executor.inEventLoop();
    }

    @Override
    public void execute(Runnable task) {
      context.runOnContext(ignored -> task.run());
    }

    @Override
    public Runnable schedule(Runnable task, Duration delay) {
      Future<?> scheduled =
          executor.schedule(
              () -> context.emit(ignored -> task.run()), delay.toNanos(), TimeUnit.NANOSECONDS);
      return () -> scheduled.cancel(false);
    }
  }
}
