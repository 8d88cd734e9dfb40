package io.whence.commit;

import io.whence.log.LogSnapshot;
import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.IsolationLevel;
import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.source.LogSource;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Looks at the lags of many groups of a source, topic by topic. Only partitions that a group has
 * committed an offset of count, and of these only where the lag is known: nothing that is not known
 * is shown as 0. Waits for the cluster and reads files; not for an event loop. Thread safety:
 * thread-safe.
 */
public final class LagSurvey {
  private final LogSource source;
  private final Supplier<GroupsRead> groups;
  private final LagReader reader;
  private final InstantSource clock;

  /**
   * Makes a survey.
   *
   * @param groups reads the groups to look at
   * @param clock what waiting is measured by
   */
  public LagSurvey(
      LogSource source, Supplier<GroupsRead> groups, LagReader reader, InstantSource clock) {
    this.source = source;
    this.groups = groups;
    this.reader = reader;
    this.clock = clock;
  }

  /**
   * Looks once. All groups are read before the first log: logs only grow, so that what was
   * committed lies in them.
   *
   * @throws WhenceException if no group can be read at all, or what the cancellation throws
   */
  public LagFindings look(Cancellation cancellation) {
    GroupsRead read = groups.get();
    Set<TopicPartition> partitions = new LinkedHashSet<>();
    read.groups().forEach(group -> partitions.addAll(group.partitions()));
    Look look = new Look(source.catchUp(partitions, cancellation), cancellation);
    read.groups().stream().sorted(Comparator.comparing(Group::name)).forEach(look::add);
    String problem =
        read.failures().isEmpty()
            ? look.problem
            : String.valueOf(read.failures().get(0).getMessage());
    return new LagFindings(look.lags, look.unknown, read.failures().size(), problem);
  }

  /** One look. */
  private final class Look {
    private final Map<TopicPartition, WhenceException> behind;
    private final Cancellation cancellation;
    private final List<TopicLag> lags = new ArrayList<>();
    private int unknown;
    private String problem = "";

    Look(Map<TopicPartition, WhenceException> behind, Cancellation cancellation) {
      this.behind = behind;
      this.cancellation = cancellation;
    }

    void add(Group group) {
      Map<String, LagSum> sums = new TreeMap<>();
      group.forEach(
          (topic, partition, offset) -> {
            cancellation.check();
            lag(new TopicPartition(topic, partition), offset)
                .filter(lag -> lag.status().isKnown())
                .ifPresent(lag -> sums.computeIfAbsent(topic, name -> new LagSum()).add(lag));
          });
      sums.forEach(
          (topic, sum) ->
              lags.add(
                  new TopicLag(
                      group.name(), topic, sum.recordLag(), sum.maxStalenessMs().orElse(-1))));
    }

    /** Returns nothing of a partition that isn't there, or that fails: which is counted. */
    private Optional<PartitionLag> lag(TopicPartition partition, CommittedOffset offset) {
      try {
        WhenceException failure = behind.get(partition);
        if (failure != null) {
          throw failure;
        }
        LogSnapshot log = source.snapshot(partition);
        // As it is after the log was read: the topic could have been made anew.
        Optional<TopicId> id = source.topic(partition.topic()).topicId();
        return Optional.of(
            reader.lag(
                Optional.of(offset),
                id,
                log,
                IsolationLevel.READ_UNCOMMITTED,
                clock.millis(),
                cancellation));
      } catch (WhenceException e) {
        cancellation.check();
        if (e.reason() != ErrorReason.UNKNOWN_TOPIC
            && e.reason() != ErrorReason.UNKNOWN_PARTITION) {
          failed(e);
        }
        return Optional.empty();
      } catch (RuntimeException e) {
        failed(e);
        return Optional.empty();
      }
    }

    private void failed(RuntimeException failure) {
      unknown++;
      if (problem.isEmpty()) {
        problem = String.valueOf(failure.getMessage());
      }
    }
  }
}
