package io.whence.bench.lookup;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;

/** Kafka's own client, as users have it. Thread safety: single-writer. */
final class AdminClient implements LookupClient {
  private final Admin admin;
  private final List<Question> questions;
  private final List<Map<TopicPartition, OffsetSpec>> requests;
  private Question asked;
  private Map<TopicPartition, ListOffsetsResultInfo> response = Map.of();

  AdminClient(Admin admin, List<Question> questions) {
    this.admin = admin;
    this.questions = List.copyOf(questions);
    this.requests = questions.stream().map(Question::kafkaRequest).toList();
    this.asked = questions.get(0);
  }

  @Override
  public void ask(int question) throws Exception {
    asked = questions.get(question);
    response = admin.listOffsets(requests.get(question)).all().get(60, TimeUnit.SECONDS);
  }

  @Override
  public long[] offsets() {
    long[] offsets = new long[asked.partitions()];
    for (int i = 0; i < offsets.length; i++) {
      offsets[i] = response.get(asked.partition(i)).offset();
    }
    return offsets;
  }
}
