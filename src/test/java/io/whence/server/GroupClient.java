package io.whence.server;

import io.whence.v1.CommitEntry;
import io.whence.v1.CommitOffsetRequest;
import io.whence.v1.CommitOffsetResponse;
import io.whence.v1.CommitResult;
import io.whence.v1.FetchOffsetRequest;
import io.whence.v1.GroupOffsetsResult;
import io.whence.v1.GroupQuery;
import io.whence.v1.OffsetResult;
import io.whence.v1.TopicPartitions;
import java.util.Arrays;

/** Commits of one group and looks at them. */
final class GroupClient {
  private final Client client;
  private final String group;

  GroupClient(Client client, String group) {
    this.client = client;
    this.group = group;
  }

  /** Returns an entry for a partition. */
  static CommitEntry.Builder entry(String topic, int partition, long offset) {
    return CommitEntry.newBuilder().setTopic(topic).setPartition(partition).setNextOffset(offset);
  }

  /** Returns a request of the group. */
  CommitOffsetRequest.Builder request(CommitEntry.Builder... entries) {
    CommitOffsetRequest.Builder request = CommitOffsetRequest.newBuilder().setGroup(group);
    Arrays.stream(entries).forEach(request::addEntries);
    return request;
  }

  /** Commits one entry. */
  CommitResult commit(CommitEntry.Builder entry) {
    return commit(request(entry)).getResults(0);
  }

  CommitOffsetResponse commit(CommitOffsetRequest.Builder request) {
    return client.groups.commitOffset(request.build());
  }

  /** Fetches all offsets of the group. */
  GroupOffsetsResult fetch() {
    return fetch(GroupQuery.newBuilder().setGroup(group), 0);
  }

  GroupOffsetsResult fetch(GroupQuery.Builder query, int history) {
    return client
        .groups
        .fetchOffset(FetchOffsetRequest.newBuilder().addQueries(query).setHistory(history).build())
        .getResults(0);
  }

  /** Fetches one offset with its history. */
  OffsetResult fetch(String topic, int partition) {
    return fetch(
            GroupQuery.newBuilder()
                .setGroup(group)
                .addTopics(TopicPartitions.newBuilder().setTopic(topic).addPartitions(partition)),
            10)
        .getOffsets(0);
  }
}
