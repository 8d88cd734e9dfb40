package io.whence.app;

import io.quarkus.arc.DefaultBean;
import io.quarkus.runtime.configuration.MemorySize;
import io.whence.commit.reset.PlanLimits;
import io.whence.commit.reset.ResetPlanner;
import io.whence.commit.reset.ResetPlans;
import io.whence.grpc.CallLane;
import io.whence.grpc.CallLimits;
import io.whence.grpc.CallRunner;
import io.whence.grpc.CallThreads;
import io.whence.grpc.HealthWatches;
import io.whence.grpc.LogLookups;
import io.whence.grpc.PartitionResolver;
import io.whence.grpc.TimestampStreams;
import io.whence.grpc.WatchLimits;
import io.whence.grpc.Watches;
import io.whence.log.BlockIndexCache;
import io.whence.log.LogMemory;
import io.whence.log.Preload;
import io.whence.log.PreloadOptions;
import io.whence.ops.CallMetrics;
import io.whence.ops.PreloadMetrics;
import io.whence.resolve.LogResolver;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.InstantSource;

/** Makes the objects that the layers below take as parameters. */
class Wiring {
  /** Plans that are kept: a partition takes less than 1 KiB of memory. */
  private static final int MAX_PLANS = 1_000;

  private static final int SHARE_OF_HEAP = 4;

  private static final long MAX_PLANNED_PARTITIONS = 100_000;

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
    return new LogLookups();
  }

  @Produces
  @Singleton
  LogMemory memory(CheckedConfig config, PreloadMetrics metrics) {
    PreloadConfig settings = config.values().preload();
    long memoryBytes =
        settings
            .memory()
            .map(MemorySize::asLongValue)
            .orElse(Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP);
    PreloadOptions options =
        new PreloadOptions(memoryBytes, settings.mode(), settings.recent().toMillis());
    return new LogMemory(
        new BlockIndexCache(config.values().indexCache().memory().asLongValue()),
        new Preload(options, metrics));
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
        limits.callsInFlightPerConnection(),
        limits.defaultDeadline());
  }

  @Produces
  @Singleton
  ResetPlanner resetPlanner(InstantSource clock) {
    return new ResetPlanner(new LogResolver(), clock);
  }

  @Produces
  @Singleton
  ResetPlans resetPlans(CheckedConfig config, InstantSource clock) {
    PlanLimits limits =
        new PlanLimits(config.values().groups().planTtl(), MAX_PLANS, MAX_PLANNED_PARTITIONS);
    return new ResetPlans(limits, clock, new SecureRandom());
  }

  @Produces
  @Singleton
  CallRunner runner(
      Workers workers,
      EventLoopExecutor eventLoops,
      InstantSource clock,
      CallLimits limits,
      Sources sources,
      CallMetrics metrics) {
    CallThreads threads = new CallThreads(workers, eventLoops, System::nanoTime);
    CallRunner runner = new CallRunner(threads, clock, limits, sources, new MeteredCalls(metrics));
    workers.watch(metrics, runner::callsInFlight);
    return runner;
  }

  @Produces
  @Singleton
  HealthWatches healthWatches() {
    return new HealthWatches();
  }

  @Produces
  @Singleton
  TimestampStreams timestampStreams(
      CheckedConfig config, CallRunner runner, PartitionResolver resolver, CallMetrics metrics) {
    TimestampStreams streams =
        new TimestampStreams(runner, resolver, config.values().limits().streamStall());
    metrics.watchStreams(streams::openCount);
    return streams;
  }

  @Produces
  @Singleton
  Watches watches(
      CheckedConfig config,
      Workers workers,
      PartitionResolver resolver,
      InstantSource clock,
      CallLimits limits,
      Sources sources,
      CallMetrics metrics) {
    LimitsConfig settings = config.values().limits();
    Object owner = new Object(); // All of them are one among the connections.
    Watches watches =
        new Watches(
            task -> workers.execute(CallLane.LOOKUPS, owner, task),
            resolver,
            clock,
            limits,
            new WatchLimits(
                settings.watches(), settings.watchedPartitions(), settings.watchStall()),
            sources,
            new MeteredCalls(metrics));
    metrics.watchWatches(watches::watchCount, watches::partitionCount);
    return watches;
  }
}
