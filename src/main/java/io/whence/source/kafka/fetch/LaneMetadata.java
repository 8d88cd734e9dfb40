package io.whence.source.kafka.fetch;

import io.whence.model.ErrorReason;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.Metadata;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.internals.ClusterResourceListeners;
import org.apache.kafka.common.message.FetchResponseData.NodeEndpointCollection;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.MetadataRequest;
import org.apache.kafka.common.requests.MetadataResponse;
import org.apache.kafka.common.utils.internals.LogContext;

/**
 * Who leads the partitions of a lane's topics. It asks by itself when it is old, and, ever less
 * often, while a topic or a leader is missing. Invariant: an answer that names no topic says
 * nothing of it. Thread safety: single-writer; all by the I/O thread of the lane.
 */
final class LaneMetadata extends Metadata {
  private final Runnable onAsked;
  private List<String> topics = List.of();
  private Map<String, Errors> answers = Map.of();
  private long moves;

  /** Where a partition is to be asked for. */
  sealed interface Place {}

  /** The cluster has not been asked yet. */
  record Unknown() implements Place {}

  /** Nowhere. */
  record Missing(FetchFault fault) implements Place {}

  /** At its leader. */
  record Leader(Node node, Optional<Integer> epoch) implements Place {}

  LaneMetadata(
      long backoffMs, long longestBackoffMs, long ageMs, LogContext log, Runnable onAsked) {
    super(backoffMs, longestBackoffMs, ageMs, log, new ClusterResourceListeners());
    this.onAsked = onAsked;
  }

  /** Says which topics are of interest; new ones are asked for at once. */
  void follow(List<String> wanted) {
    boolean more = !topics.containsAll(wanted);
    topics = List.copyOf(wanted);
    if (more) {
      requestUpdateForNewTopics();
    }
  }

  @Override
  protected MetadataRequest.Builder newMetadataRequestBuilder() {
    onAsked.run();
    return MetadataRequest.Builder.forTopicNames(new ArrayList<>(topics), false);
  }

  @Override
  protected boolean retainTopic(String topic, boolean isInternal, long nowMs) {
    return topics.contains(topic);
  }

  @Override
  public synchronized void update(
      int requestVersion, MetadataResponse response, boolean isPartialUpdate, long nowMs) {
    super.update(requestVersion, response, isPartialUpdate, nowMs);
    Map<String, Errors> fresh = new HashMap<>();
    for (var topic : response.data().topics()) {
      fresh.put(topic.name(), Errors.forCode(topic.errorCode()));
    }
    answers = fresh;
  }

  /** Takes what a broker knows better. */
  void take(Map<TopicPartition, LeaderIdAndEpoch> leaders, NodeEndpointCollection addresses) {
    if (leaders.isEmpty()) {
      return;
    }
    List<Node> nodes = new ArrayList<>();
    for (var address : addresses) {
      nodes.add(new Node(address.nodeId(), address.host(), address.port(), address.rack()));
    }
    if (updatePartitionLeadership(leaders, nodes).size() < leaders.size()) {
      requestUpdate(false);
    }
    moves++;
  }

  /** Returns a number that changes whenever places may have. */
  long version() {
    return updateVersion() + moves;
  }

  /** Returns where a partition of the topic with that id is to be asked for. */
  Place place(TopicPartition partition, Uuid topicId) {
    Errors answer = answers.get(partition.topic());
    if (answer == null) {
      return new Unknown();
    }
    if (answer != Errors.NONE) {
      return new Missing(PartitionErrors.reactionTo(answer).fault("the cluster", answer));
    }
    Uuid found = topicIds().get(partition.topic());
    if (found != null && !found.equals(topicId)) {
      return new Missing(staleTopic(partition.topic(), topicId, found));
    }
    return leader(partition);
  }

  private Place leader(TopicPartition partition) {
    Cluster cluster = fetch();
    Integer count = cluster.partitionCountForTopic(partition.topic());
    if (count != null && partition.partition() >= count) {
      String message = "topic '" + partition.topic() + "' has " + count + " partitions";
      return new Missing(new FetchFault(ErrorReason.UNKNOWN_PARTITION, message));
    }
    LeaderAndEpoch leader = currentLeader(partition);
    if (leader.leader.isEmpty()) {
      String message = "partition " + partition + " has no leader";
      return new Missing(new FetchFault(ErrorReason.LEADER_UNAVAILABLE, message));
    }
    return new Leader(leader.leader.get(), leader.epoch);
  }

  private static FetchFault staleTopic(String topic, Uuid followed, Uuid found) {
    String message =
        "topic '%s' was created anew: followed %s, found %s".formatted(topic, followed, found);
    return new FetchFault(ErrorReason.STALE_TOPIC, message);
  }
}
