package io.whence.source.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.model.TopicId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ForgottenTopicsTest {
  private static final TopicId FOLLOWED = new TopicId(new UUID(1, 2));
  private static final TopicId OLD = new TopicId(new UUID(3, 4));

  @TempDir private Path directory;
  private final FakeLeaders leaders = new FakeLeaders();
  private ForgottenTopics forgotten;

  @BeforeEach
  void make() throws IOException {
    put(FOLLOWED, "orders");
    put(OLD, "old-ones");
    forgotten = new ForgottenTopics(directory, leaders::ids, Duration.ofSeconds(1));
    leaders.failIds("old-ones", new UnknownTopicOrPartitionException("none"));
  }

  private void put(TopicId id, String topic) throws IOException {
    Path partition = directory.resolve(id.toString()).resolve(topic + "-0");
    Files.createDirectories(partition);
    Files.writeString(partition.resolve("0.log"), "records");
  }

  private void look(TopicId... followed) throws Exception {
    forgotten.look(Set.of(followed));
  }

  private Path old() {
    return directory.resolve(OLD.toString());
  }

  @Test
  void topicThatIsGone_isDeletedAfterSeveralAnswers_andForeignFilesStay() throws Exception {
    Files.createDirectories(directory.resolve("photos/of-the-year"));
    Files.writeString(directory.resolve("notes.txt"), "mine");
    Path likeTopic = directory.resolve(new TopicId(new UUID(5, 6)).toString());
    Files.writeString(likeTopic, "mine");
    forgotten.begin();

    look(FOLLOWED);
    assertThat(old()).as("one answer may be of a broker behind").exists();
    look(FOLLOWED);

    assertThat(old()).doesNotExist();
    assertThat(directory.resolve(FOLLOWED.toString()).resolve("orders-0/0.log")).exists();
    assertThat(directory.resolve("photos/of-the-year")).exists();
    assertThat(directory.resolve("notes.txt")).exists();
    assertThat(likeTopic).as("only directories are logs").exists();
  }

  @Test
  void answersInARowCount() throws Exception {
    forgotten.begin();
    look(FOLLOWED);
    leaders.failIds("old-ones", new TimeoutException("nobody answers"));
    look(FOLLOWED);
    leaders.failIds("old-ones", new UnknownTopicOrPartitionException("none"));
    look(FOLLOWED);
    assertThat(old()).exists();
    look(FOLLOWED);
    assertThat(old()).doesNotExist();
  }

  @Test
  void topicThatMayNotBeSeen_orIsOnlyLeftOut_stays() throws Exception {
    TopicId leftOut = TestPartitions.id("left-out");
    put(leftOut, "left-out");
    leaders.failIds("old-ones", new TopicAuthorizationException("may not be described"));
    forgotten.begin();
    for (int i = 0; i < 5; i++) {
      look(FOLLOWED);
    }

    assertThat(old()).exists();
    assertThat(directory.resolve(leftOut.toString())).exists();

    leaders.createAnew("left-out");
    look(FOLLOWED);
    look(FOLLOWED);
    assertThat(directory.resolve(leftOut.toString())).as("another has its name").doesNotExist();
  }

  @Test
  void clusterWithNoneOfTheTopics_mayBeAnotherOne() throws Exception {
    TopicId foreign = new TopicId(new UUID(5, 6));
    forgotten.begin();
    leaders.failIds("orders", new UnknownTopicOrPartitionException("none"));
    put(foreign, "foreign");
    for (int i = 0; i < 5; i++) {
      look(foreign);
    }
    assertThat(old()).exists();
    assertThat(directory.resolve(FOLLOWED.toString())).exists();

    leaders.failIds("foreign", new UnknownTopicOrPartitionException("none"));
    look();
    look();
    assertThat(directory.resolve(foreign.toString())).as("it was its own").doesNotExist();
    assertThat(old()).exists();
  }
}
