package io.whence.app;

import io.quarkus.runtime.LaunchMode;
import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.whence.grpc.ProtoWarmUp;
import io.whence.grpc.TimestampStreams;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Starts and stops the server in order. The sources are opened on a thread of its own, so that
 * liveness, metrics and "not ready" are answered meanwhile; health says SERVING once they answer.
 * Stopping is the reverse: not ready, end streams and watches, drain the calls, stop the workers,
 * close the sources. Thread safety: single-writer; Quarkus calls it.
 */
@Singleton
class ServerLifecycle {
  private static final Logger LOG = Logger.getLogger("io.whence");
  private static final Duration STOP_PATIENCE = Duration.ofSeconds(5);

  private final WhenceConfig config;
  private final GrpcServerHandle server;
  private final HealthTicker health;
  private final Workers workers;
  private final Sources sources;
  private final TimestampStreams streams;
  private final WatchTicker watches;
  private volatile boolean stopping;
  private @Nullable Thread starter;

  ServerLifecycle(
      CheckedConfig config,
      GrpcServerHandle server,
      HealthTicker health,
      Workers workers,
      Sources sources,
      TimestampStreams streams,
      WatchTicker watches) {
    this.config = config.values();
    this.server = server;
    this.health = health;
    this.workers = workers;
    this.sources = sources;
    this.streams = streams;
    this.watches = watches;
  }

  void onStart(@Observes StartupEvent event) {
    health.begin();
    List<String> problems =
        EnvironmentChecks.problems(
            System.getenv(), config.archive().keySet(), config.kafka().keySet());
    if (!problems.isEmpty()) {
      throw StartRefusal.of(String.join("; ", problems));
    }
    server
        .problem()
        .ifPresent(
            problem -> {
              throw StartRefusal.of(
                  "whence.grpc.port: can't listen on "
                      + config.grpc().host()
                      + ":"
                      + config.grpc().port()
                      + ": "
                      + problem);
            });
    LOG.infof(
        "gRPC listens: address=%s:%d mode=separate-server security=%s",
        config.grpc().host(), server.port(), server.security());
    if (LaunchMode.current() == LaunchMode.NORMAL) {
      requireHttpPort();
      StopSignals.install(this::announceStop);
    }
    watches.start();
    starter = new Thread(this::openSources, "whence-start");
    starter.start();
  }

  /** Quarkus listens to HTTP right after this, and would not name our key where it can't. */
  private void requireHttpPort() {
    String host = config.http().host().orElse(config.grpc().host());
    int port = config.http().port();
    try (ServerSocket probe = new ServerSocket(port, 1, InetAddress.getByName(host))) {
      LOG.debugf("HTTP can listen: address=%s:%d", host, probe.getLocalPort());
    } catch (IOException e) {
      throw StartRefusal.of(
          "whence.http.port: can't listen on " + host + ":" + port + ": " + e.getMessage());
    }
  }

  private void openSources() {
    try {
      LOG.debugf("warmed up: messages=%d", ProtoWarmUp.run());
      sources.open();
      health.start();
    } catch (SourceNotOpenedException e) {
      giveUp(() -> LOG.fatalf("not started: %s", e.getMessage()));
    } catch (Exception e) {
      giveUp(() -> LOG.fatal("not started: a source could not be opened", e));
    } catch (Error e) {
      // Such as too little memory: better an end that is seen than a server that never gets ready.
      giveUp(() -> LOG.fatal("not started: a source could not be opened", e));
      throw e;
    }
  }

  private void giveUp(Runnable report) {
    if (!stopping) {
      report.run();
      Quarkus.asyncExit(1);
    }
  }

  /** Tells load balancers, and goes on answering until these had time to notice. */
  private void announceStop() {
    stopServing();
    LOG.infof("stopping: delay=%s grace=%s", config.shutdown().delay(), config.shutdown().grace());
    try {
      Thread.sleep(config.shutdown().delay().toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  void onStop(@Observes ShutdownEvent event) {
    stopping = true;
    List<Step> steps =
        List.of(
            new Step("say not serving", this::stopServing),
            new Step("end streams", streams::drain),
            new Step("end watches", watches::stop),
            new Step("drain calls", () -> server.drain(config.shutdown().grace())),
            new Step("stop workers", () -> workers.stop(STOP_PATIENCE)),
            new Step("stop opening sources", this::stopStarter),
            new Step("close sources", sources::close));
    steps.forEach(ServerLifecycle::run);
    LOG.info("stopped");
  }

  private void stopServing() {
    sources.stopServing();
    health.stop();
  }

  private void stopStarter() throws InterruptedException {
    Thread running = starter;
    if (running != null) {
      running.interrupt();
      running.join(STOP_PATIENCE.toMillis());
    }
  }

  private static void run(Step step) {
    try {
      step.action().run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      LOG.warnf("stopping was interrupted: step=%s", step.name());
    } catch (Exception e) {
      LOG.errorf(e, "stopping failed, going on: step=%s", step.name());
    }
  }

  /**
   * A step of stopping.
   *
   * @param name what it does
   * @param action does it
   */
  private record Step(String name, Action action) {}

  /** Does something that may fail. */
  @FunctionalInterface
  private interface Action {
    void run() throws Exception;
  }
}
