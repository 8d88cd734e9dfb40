package io.whence.server;

import static io.whence.server.GroupClient.entry;
import static org.assertj.core.api.Assertions.assertThat;

import io.whence.testkit.Directories;
import io.whence.v1.CommitOffsetRequest;
import io.whence.v1.CommitOffsetResponse;
import io.whence.v1.GroupOffsetsResult;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What groups have committed, across the ends of the server. */
class GroupOffsetsProcessIT {
  private static final String TOPIC = "orders";
  private static final int PARTITIONS = 50;

  private final Path data = Directories.temporary("whence-groups");

  @AfterEach
  void delete() {
    Directories.delete(data);
  }

  @Test
  void killedServer_hasKeptCommitsAndWhatItAnswered() throws Exception {
    CommitOffsetRequest request = request();
    CommitOffsetResponse first;
    GroupOffsetsResult before;
    try (ServerProcess server = ServerProcess.start(data);
        Client client = server.client()) {
      client.topic(TOPIC, PARTITIONS, 1, 2, 3);
      first = client.groups.commitOffset(request);
      group(client).commit(entry(TOPIC, 0, 3));
      before = group(client).fetch();
      server.kill();
    }
    try (ServerProcess server = ServerProcess.start(data);
        Client client = server.client()) {
      assertThat(group(client).fetch()).isEqualTo(before);
      assertThat(group(client).fetch(TOPIC, 0).getHistoryList())
          .extracting(change -> change.getOffsetBefore() + " to " + change.getOffsetAfter())
          .containsExactly("2 to 3", "0 to 2");
      CommitOffsetResponse replayed = client.groups.commitOffset(request);
      assertThat(replayed.getReplayed()).isTrue();
      assertThat(replayed.getResultsList()).isEqualTo(first.getResultsList());
      assertThat(group(client).fetch()).isEqualTo(before);
      assertThat(server.metric("whence_groups_offsets")).isEqualTo(PARTITIONS);
    }
  }

  private static GroupClient group(Client client) {
    return new GroupClient(client, "g");
  }

  private static CommitOffsetRequest request() {
    CommitOffsetRequest.Builder request =
        CommitOffsetRequest.newBuilder().setGroup("g").setRequestId("once").setWriter("test");
    request.addEntries(entry(TOPIC, 0, 2));
    for (int partition = 1; partition < PARTITIONS; partition++) {
      request.addEntries(entry(TOPIC, partition, 0));
    }
    return request.build();
  }
}
