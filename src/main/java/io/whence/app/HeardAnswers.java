package io.whence.app;

import io.whence.grpc.CallListener;

/** Tells the span of a call what its listener is told. Thread safety: thread-safe. */
final class HeardAnswers implements CallListener {
  private final CallSpan span;
  private final CallListener listener;

  HeardAnswers(CallSpan span, CallListener listener) {
    this.span = span;
    this.listener = listener;
  }

  @Override
  public void onAnswers(String rpc, String position, String outcome, long count) {
    span.outcomes(outcome, count);
    listener.onAnswers(rpc, position, outcome, count);
  }

  @Override
  public void onLookups(String rpc, String path, long count) {
    listener.onLookups(rpc, path, count);
  }

  @Override
  public void onPartitions(String rpc, int count) {
    span.partitions(count);
    listener.onPartitions(rpc, count);
  }

  @Override
  public void onCommits(String result, int count) {
    span.outcomes(result, count);
    listener.onCommits(result, count);
  }

  @Override
  public void onAppends(String result, int count) {
    span.outcomes(result, count);
    listener.onAppends(result, count);
  }

  @Override
  public void onOverload(String rpc) {
    listener.onOverload(rpc);
  }

  @Override
  public void onAbandoned(String rpc) {
    listener.onAbandoned(rpc);
  }

  @Override
  public void onFault(String rpc) {
    listener.onFault(rpc);
  }
}
