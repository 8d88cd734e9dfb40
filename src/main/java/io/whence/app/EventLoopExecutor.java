package io.whence.app;

import io.netty.util.concurrent.EventExecutor;
import io.vertx.core.Context;
import io.vertx.core.impl.ContextInternal;
import io.vertx.core.impl.VertxInternal;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.Executor;

/**
 * Runs the callbacks of calls on a Vert.x context of the event loop that they come from, as
 * Quarkus' interceptors expect it. Thread safety: thread-safe.
 */
final class EventLoopExecutor implements Executor {
  private final Map<EventExecutor, ContextInternal> contexts = new IdentityHashMap<>();
  private final Context fallback;
  private final ThreadLocal<Context> current = ThreadLocal.withInitial(this::contextOfThread);

  EventLoopExecutor(VertxInternal vertx) {
    ClassLoader loader = Thread.currentThread().getContextClassLoader();
    for (EventExecutor loop : vertx.getEventLoopGroup()) {
      contexts.put(
          loop,
          vertx.createEventLoopContext(
              (io.netty.channel.EventLoop) loop, vertx.getWorkerPool(), loader));
    }
    fallback = contexts.values().iterator().next();
  }

  @Override
  public void execute(Runnable task) {
    current.get().runOnContext(ignored -> task.run());
  }

  private Context contextOfThread() {
    for (Map.Entry<EventExecutor, ContextInternal> entry : contexts.entrySet()) {
      if (entry.getKey().inEventLoop()) {
        return entry.getValue();
      }
    }
    return fallback;
  }
}
