package io.whence.app;

import io.quarkus.arc.DefaultBean;
import io.whence.grpc.CallLimits;
import io.whence.grpc.CallRunner;
import io.whence.grpc.PartitionResolver;
import io.whence.ops.CallMetrics;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.InstantSource;

/** Makes the objects that the layers below take as parameters. */
class Wiring {
  @Produces
  @Singleton
  @DefaultBean
  InstantSource clock() {
    return Clock.systemUTC();
  }

  @Produces
  @Singleton
  @DefaultBean
  PartitionResolver resolver() {
    return new LogAnswers();
  }

  @Produces
  @Singleton
  CallLimits limits(CheckedConfig config) {
    LimitsConfig limits = config.values().limits();
    return new CallLimits(
        limits.partitionsPerCall(),
        limits.offsetsPerCall(),
        limits.recordsPerAppend(),
        limits.callsInFlight(),
        limits.defaultDeadline());
  }

  @Produces
  @Singleton
  CallRunner runner(
      Workers workers,
      InstantSource clock,
      CallLimits limits,
      Sources sources,
      CallMetrics metrics) {
    CallRunner runner = new CallRunner(workers, clock, limits, sources, new MeteredCalls(metrics));
    workers.watch(metrics, runner::callsInFlight);
    return runner;
  }
}
