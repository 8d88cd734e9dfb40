package io.whence.commit.reset;

import io.whence.model.Cancellation;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.resolve.LogResolver;
import io.whence.source.LogSource;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Works out what resets would do, and changes nothing. A partition that can't be planned doesn't
 * keep the others from it. Reads files; not for an event loop. Thread safety: thread-safe.
 */
public final class ResetPlanner {
  private final LogResolver resolver;
  private final InstantSource clock;

  /**
   * Makes a planner.
   *
   * @param clock tells which timestamps are in the future
   */
  public ResetPlanner(LogResolver resolver, InstantSource clock) {
    this.resolver = resolver;
    this.clock = clock;
  }

  /**
   * Plans a reset.
   *
   * @return one element for each partition of the request, in that order
   * @throws io.whence.model.WhenceException only {@code DEADLINE_EXCEEDED}, from the cancellation
   */
  public List<PlannedReset> plan(
      ResetRequest request, LogSource source, Cancellation cancellation, PartitionFaults faults) {
    // A copy of a log that lacks records would lead the group to a place before its end.
    Map<TopicPartition, WhenceException> behind =
        source.catchUp(request.partitions(), cancellation);
    PartitionSnapshots snapshots = source::snapshot;
    SourceGroupFinder elsewhere = null;
    if (request.target() instanceof ResetTarget.OfSourceGroup other) {
      // Before the other logs: whatever comes from them into these was there then.
      snapshots = PartitionSnapshots.taken(source, request.partitions());
      elsewhere = SourceGroupFinder.open(resolver, request, source, other, cancellation);
    }
    TargetFinder targets = new TargetFinder(resolver, request, elsewhere, cancellation);
    EffectCounter effects = new EffectCounter(resolver, request.isolation(), cancellation);
    PartitionPlanner partitions =
        new PartitionPlanner(request, source, snapshots, behind, targets, effects, clock.millis());
    List<PlannedReset> planned = new ArrayList<>(request.partitions().size());
    for (var partition : request.partitions()) {
      cancellation.check();
      planned.add(partitions.plan(partition, faults));
    }
    return planned;
  }
}
