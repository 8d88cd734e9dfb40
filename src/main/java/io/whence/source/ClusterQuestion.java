package io.whence.source;

import io.whence.model.Position;
import io.whence.model.TopicPartition;

/**
 * A question that a copy of a log can't answer, and the cluster perhaps can. Thread safety:
 * immutable.
 *
 * @param partition the partition
 * @param position the place that is looked for
 */
public record ClusterQuestion(TopicPartition partition, Position position) {}
