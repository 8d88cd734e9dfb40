package io.whence.commit;

import java.util.List;

/**
 * What one look at the lags of many groups came to. Thread safety: immutable.
 *
 * @param lags the lags, by group and topic; of those topics where one partition or more is known
 * @param unknownPartitions how many partitions with a committed offset have a lag that can't be
 *     told now; those of topics that are not there are not among them
 * @param failedGroups how many groups, or brokers that know some, could not be read
 * @param problem why the first of these could not be, for people; empty if all could
 */
public record LagFindings(
    List<TopicLag> lags, int unknownPartitions, int failedGroups, String problem) {
  /** Copies the list. */
  public LagFindings {
    lags = List.copyOf(lags);
  }
}
