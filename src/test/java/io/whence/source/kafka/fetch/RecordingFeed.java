package io.whence.source.kafka.fetch;

import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import io.whence.record.RecordBatch;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A feed that keeps what it gets, and checks that calls come one at a time and without gaps. Thread
 * safety: thread-safe.
 */
class RecordingFeed implements PartitionFeed {
  private final TopicPartition partition;
  private final TopicId topicId;
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final List<Long> moments = new ArrayList<>();
  private final List<FetchFault> faults = new ArrayList<>();
  private final List<String> events = new ArrayList<>();
  private final AtomicInteger calls = new AtomicInteger();
  private final AtomicInteger running = new AtomicInteger();
  private volatile FetchPosition position;
  private volatile @Nullable FetchedBounds bounds;
  private volatile int unchanged;
  private volatile int fetches;
  private volatile boolean failing;
  private volatile Consumer<RecordingFeed> hook = feed -> {};

  RecordingFeed(String topic, int partition, TopicId topicId) {
    this(topic, partition, topicId, new FetchPosition(0, -1));
  }

  RecordingFeed(String topic, int partition, TopicId topicId, FetchPosition position) {
    this.partition = new TopicPartition(topic, partition);
    this.topicId = topicId;
    this.position = position;
  }

  /** Sets what is done in each call with records. */
  void onRecords(Consumer<RecordingFeed> action) {
    hook = action;
  }

  @Override
  public TopicPartition partition() {
    return partition;
  }

  @Override
  public TopicId topicId() {
    return topicId;
  }

  @Override
  public FetchPosition position() {
    note("position");
    return position;
  }

  @Override
  public void fetched(ByteBuffer batches, FetchedBounds known) {
    if (running.incrementAndGet() != 1) {
      throw new IllegalStateException("two calls at once");
    }
    try {
      calls.incrementAndGet();
      if (batches.hasRemaining()) {
        fetches++;
        hook.accept(this);
        append(batches);
      }
      failing = false;
      bounds = known;
    } finally {
      running.decrementAndGet();
    }
  }

  private synchronized void append(ByteBuffer batches) {
    RecordBatch batch = new RecordBatch();
    FetchPosition next = position;
    for (int at = 0; at < batches.limit(); at += (int) batch.sizeInBytes()) {
      batch.wrap(batches, at);
      if (!batch.isCrcValid() || batch.nextOffset() <= next.nextOffset()) {
        throw new IllegalStateException("at " + next + " came a batch to " + batch.nextOffset());
      }
      next = new FetchPosition(batch.nextOffset(), batch.partitionLeaderEpoch());
    }
    byte[] copy = new byte[batches.remaining()];
    batches.duplicate().get(copy);
    bytes.writeBytes(copy);
    moments.add(System.nanoTime());
    position = next;
  }

  @Override
  public void unchanged(FetchedBounds known) {
    calls.incrementAndGet();
    unchanged++;
    failing = false;
    bounds = known;
  }

  @Override
  public void diverged(int leaderEpoch, long endOffset) {
    note("diverged " + leaderEpoch + " " + endOffset);
    position = new FetchPosition(Math.min(position.nextOffset(), endOffset), leaderEpoch);
  }

  @Override
  public void outOfRange() {
    note("outOfRange");
  }

  @Override
  public void failed(FetchFault fault) {
    calls.incrementAndGet();
    synchronized (this) {
      faults.add(fault);
    }
    failing = true;
  }

  private synchronized void note(String event) {
    calls.incrementAndGet();
    events.add(event);
  }

  /** Moves, without telling the lane. */
  void moveTo(FetchPosition moved) {
    position = moved;
  }

  long nextOffset() {
    return position.nextOffset();
  }

  @Nullable FetchedBounds bounds() {
    return bounds;
  }

  /** Returns whether a fault came last. */
  boolean isFailing() {
    return failing;
  }

  int unchangedCount() {
    return unchanged;
  }

  int fetchCount() {
    return fetches;
  }

  int callCount() {
    return calls.get();
  }

  synchronized byte[] bytes() {
    return bytes.toByteArray();
  }

  synchronized List<FetchFault> faults() {
    return List.copyOf(faults);
  }

  synchronized List<String> events() {
    return List.copyOf(events);
  }

  synchronized long lastMoment() {
    return moments.get(moments.size() - 1);
  }
}
