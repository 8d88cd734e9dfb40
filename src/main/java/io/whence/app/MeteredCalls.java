package io.whence.app;

import io.whence.grpc.CallListener;
import io.whence.ops.CallMetrics;

/** Turns what the services tell into metrics. Thread safety: thread-safe. */
final class MeteredCalls implements CallListener {
  private final CallMetrics metrics;

  MeteredCalls(CallMetrics metrics) {
    this.metrics = metrics;
  }

  @Override
  public void onAnswers(String rpc, String position, String outcome, long count) {
    metrics.answers(rpc, position, outcome, count);
  }

  @Override
  public void onLookups(String rpc, String path, long count) {
    metrics.lookups(rpc, path, count);
  }

  @Override
  public void onPartitions(String rpc, int count) {
    metrics.partitions(rpc, count);
  }

  @Override
  public void onCommits(String result, int count) {
    metrics.commits(result, count);
  }

  @Override
  public void onAppends(String result, int count) {
    metrics.appends(result, count);
  }

  @Override
  public void onOverload(String rpc) {
    metrics.overload(rpc);
  }

  @Override
  public void onAbandoned(String rpc) {
    metrics.abandoned(rpc);
  }

  @Override
  public void onFault(String rpc) {
    metrics.fault(rpc);
  }
}
