package io.whence.app;

import grpc.health.v1.HealthOuterClass.HealthCheckResponse.ServingStatus;
import io.quarkus.grpc.runtime.health.GrpcHealthStorage;
import io.whence.v1.GroupOffsetsServiceGrpc;
import io.whence.v1.LogServiceGrpc;
import io.whence.v1.ResolverServiceGrpc;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.TreeSet;

/** What grpc.health.v1 says of every service, and of the server. Thread safety: thread-safe. */
@Singleton
class HealthSwitch {
  private static final List<String> NAMES =
      List.of(
          GrpcHealthStorage.DEFAULT_SERVICE_NAME,
          ResolverServiceGrpc.SERVICE_NAME,
          LogServiceGrpc.SERVICE_NAME,
          GroupOffsetsServiceGrpc.SERVICE_NAME);

  private final GrpcHealthStorage storage;

  HealthSwitch(GrpcHealthStorage storage) {
    this.storage = storage;
  }

  /** Tells clients and load balancers to send calls, or not to. */
  void serve(boolean serving) {
    TreeSet<String> names = new TreeSet<>(NAMES);
    names.addAll(storage.getStatuses().keySet());
    for (String name : names) {
      storage.setStatus(name, serving ? ServingStatus.SERVING : ServingStatus.NOT_SERVING);
    }
  }
}
