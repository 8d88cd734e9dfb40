package io.whence.source.kafka.fetch;

import io.whence.model.TopicPartition;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts what lanes do. Thread safety: thread-safe. */
final class RecordingEvents implements FetchEvents {
  final AtomicInteger asked = new AtomicInteger();
  final AtomicInteger metadataAsked = new AtomicInteger();
  final List<String> brokerFailures = new CopyOnWriteArrayList<>();
  final List<RuntimeException> feedFailures = new CopyOnWriteArrayList<>();
  final List<RuntimeException> laneFailures = new CopyOnWriteArrayList<>();

  @Override
  public void asked(String lane, int broker) {
    asked.incrementAndGet();
  }

  /** Of how many answers with records it fails to take note. */
  final AtomicInteger failing = new AtomicInteger();

  @Override
  public void answered(String lane, int broker, long records, long bytes, long nanos) {
    if (records > 0 && failing.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
      throw new IllegalStateException("can't take note");
    }
  }

  @Override
  public void metadataAsked(String lane) {
    metadataAsked.incrementAndGet();
  }

  @Override
  public void brokerFailed(String lane, int broker, String failure) {
    brokerFailures.add(failure);
  }

  @Override
  public void feedFailed(
      String lane, TopicPartition partition, int inRow, RuntimeException failure) {
    feedFailures.add(failure);
  }

  @Override
  public void laneFailed(String lane, RuntimeException failure) {
    laneFailures.add(failure);
  }

  /** Returns how many questions there were. */
  int requests() {
    return asked.get() + metadataAsked.get();
  }
}
