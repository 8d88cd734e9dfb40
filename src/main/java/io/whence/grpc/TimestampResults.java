package io.whence.grpc;

import io.whence.grpc.TurnWork.Turn;
import io.whence.log.LogSnapshot;
import io.whence.model.ErrorReason;
import io.whence.model.IsolationLevel;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.resolve.LookAhead;
import io.whence.resolve.PositionAnswer;
import io.whence.source.ClusterAnswer;
import io.whence.source.ClusterQuestion;
import io.whence.source.LogSource;
import io.whence.v1.TimestampQuery;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Answers checked queries and writes the results as bytes. Where it stops is between two partitions
 * or queries; before a large answer it stops once, so that few of them are in work at a time.
 * Leaves no garbage for each partition. Thread safety: single-writer; one thread after the other.
 */
final class TimestampResults {
  /** An answer of more partitions is large: it takes tens of KiB or more to work in. */
  static final int LARGE = 256;

  private final PartitionResolver resolver;
  private final CallScope scope;
  private final LogSource source;
  private final IsolationLevel isolation;
  private final TimestampQuestions questions;
  private final Workspaces workspaces;
  private final CallTopics topics;
  private final PartitionBudget budget;
  private final LogEnds ends;
  private final ClusterQuestions cluster;

  private long sourceStalenessMs;
  private int countedQueries;
  private boolean stoppedOnce;
  private @Nullable Workspace taken;
  private int begunQueries;
  private @Nullable Begun begun;

  TimestampResults(
      PartitionResolver resolver,
      CallScope scope,
      LogSource source,
      IsolationLevel isolation,
      TimestampQuestions questions,
      Workspaces workspaces) {
    this.resolver = resolver;
    this.scope = scope;
    this.source = source;
    this.isolation = isolation;
    this.questions = questions;
    this.workspaces = workspaces;
    topics = new CallTopics(source);
    budget = new PartitionBudget(scope.limits().partitions(), "partitions");
    ends = new LogEnds(source, questions.isLocalOnly(), questions.maxStalenessMs());
    cluster = new ClusterQuestions(source, questions.isLocalOnly());
  }

  /** Goes on until all is answered, the time is over, or a file is needed that may not be read. */
  Turn goOn(TimeSlice slice, boolean mayReadFiles) {
    while (countedQueries < questions.count()) {
      if (scope.isOver(slice)) {
        return Turn.OVER;
      }
      count(countedQueries++);
    }
    if (taken == null) {
      if (budget.taken() > LARGE && !mayReadFiles && !stoppedOnce) {
        stoppedOnce = true;
        return Turn.OVER;
      }
      requireReader();
      beginResponse();
    }
    do {
      Turn turn = answerQueries(slice, mayReadFiles);
      if (turn != Turn.DONE) {
        return turn;
      }
    } while (askCluster());
    space().tally().report(scope, budget.taken());
    return Turn.DONE;
  }

  private Turn answerQueries(TimeSlice slice, boolean mayReadFiles) {
    while (begun != null || begunQueries < questions.count()) {
      Turn turn = answerQuery(slice, mayReadFiles);
      if (turn == Turn.NEEDS_FILES && mayReadFiles) {
        confirmEnds();
      } else if (turn != Turn.DONE) {
        return turn;
      }
    }
    return Turn.DONE;
  }

  /** Begins anew if the cluster had to be asked: what it says may also help the logs here. */
  private boolean askCluster() {
    boolean asked = cluster.ask(isolation, scope.cancellation());
    if (asked) {
      beginAnew();
    }
    return asked;
  }

  /** Before any work: a call that is refused must not cost what it asked for. */
  private void count(int index) {
    TimestampQuery query = questions.query(index);
    int listed = query.getPartitionsCount();
    if (listed > 0) {
      budget.take(listed, FieldPath.of("queries", index));
    } else {
      CallTopics.Topic topic = topics.topic(query.getTopic());
      // The query of a topic that isn't there says so itself, which takes as much as a partition.
      budget.take(topic.exists() ? topic.count() : 1, FieldPath.of("queries", index));
    }
  }

  /** Large answers that nobody reads would fill the memory. */
  private void requireReader() {
    Optional<String> refusal =
        budget.taken() > LARGE ? scope.caller().connection().unread().refusal() : Optional.empty();
    if (refusal.isPresent()) {
      throw Overload.refusal(refusal.get(), 0);
    }
  }

  /** Begins anew with logs that have all that their leaders had: each partition is seen once. */
  private void confirmEnds() {
    Set<TopicPartition> partitions = new LinkedHashSet<>();
    for (int index = 0; index < questions.count(); index++) {
      TimestampQuery query = questions.query(index);
      CallTopics.Topic topic = topics.topic(query.getTopic());
      if (topic.exists() && ends.mayBeDue(questions.target(index))) {
        Begun all = new Begun(query, questions.target(index), topic, partitionCount(query, topic));
        for (int i = 0; i < all.count; i++) {
          partitions.add(new TopicPartition(query.getTopic(), all.partition(i)));
        }
      }
    }
    ends.confirm(partitions, scope.cancellation());
    beginAnew();
  }

  private void beginAnew() {
    begun = null;
    begunQueries = 0;
    space().clear();
    beginResponse(space());
  }

  private static int partitionCount(TimestampQuery query, CallTopics.Topic topic) {
    return query.getPartitionsCount() == 0 ? topic.count() : query.getPartitionsCount();
  }

  private void beginResponse() {
    Workspace space = workspaces.take();
    taken = space;
    beginResponse(space);
  }

  private void beginResponse(Workspace space) {
    if (budget.taken() > 1) {
      topics.keepSnapshots(space.snapshots(), budget.taken());
    }
    sourceStalenessMs = source.stalenessMs();
    space.encoder().begin(source.name(), scope.serverTimeMs());
  }

  private Workspace space() {
    if (taken == null) {
      throw new IllegalStateException("nothing is answered yet");
    }
    return taken;
  }

  /** Returns what the answer is written to, once it is begun. */
  TimestampEncoder encoder() {
    return space().encoder();
  }

  /** Gives back what it works with. */
  void close() {
    if (taken != null) {
      workspaces.give(taken);
      taken = null;
    }
  }

  private Turn answerQuery(TimeSlice slice, boolean mayReadFiles) {
    Begun query = begun;
    if (query == null) {
      if (scope.isOver(slice)) {
        return Turn.OVER;
      }
      query = begin(begunQueries++);
      begun = query;
    }
    while (query.next < query.count) {
      if (scope.isOver(slice)) {
        return Turn.OVER;
      }
      if (query.next % LookAhead.MAX_LOGS == 0) {
        lookAhead(query);
      }
      if (!answerPartition(query, slice, mayReadFiles)) {
        return Turn.NEEDS_FILES;
      }
      query.next++;
    }
    space().encoder().endResult();
    begun = null;
    return Turn.DONE;
  }

  private Begun begin(int index) {
    TimestampQuery query = questions.query(index);
    Target target = questions.target(index);
    CallTopics.Topic topic = topics.topic(query.getTopic());
    space().encoder().beginResult(index, query.getTopic(), target);
    int listed = query.getPartitionsCount();
    try {
      // Where partitions are listed, each says itself that the topic isn't there.
      if (topic.exists() || listed == 0) {
        int count = topic.count();
        if (query.hasExpectPartitionCount()) {
          topic.requireCount(query.getExpectPartitionCount());
        }
        space().encoder().partitionCount(count);
        return new Begun(query, target, topic, listed == 0 ? count : listed);
      }
      return new Begun(query, target, topic, listed);
    } catch (WhenceException e) {
      space().encoder().failedResult(PartitionGuard.queryError(e));
      space().tally().failed(target.kind());
      return new Begun(query, target, topic, 0);
    }
  }

  /**
   * Lets memory be fetched for the next partitions; what fails will fail again, and be answered.
   */
  private void lookAhead(Begun query) {
    int end = Math.min(query.next + LookAhead.MAX_LOGS, query.count);
    if (end - query.next < 2) {
      return;
    }
    LookAhead ahead = space().lookAhead();
    for (int i = query.next; i < end; i++) {
      try {
        ahead.add(query.topic.snapshot(query.partition(i)));
      } catch (RuntimeException e) {
        // Its answer says so.
      }
    }
    ahead.look(query.target.position(), isolation);
  }

  private boolean answerPartition(Begun query, TimeSlice slice, boolean mayReadFiles) {
    int partition = query.partition(query.next);
    PositionAnswer answer = space().answer();
    try {
      LogSnapshot log = query.topic.snapshot(partition);
      if (!resolver.resolveFromMemory(log, query.target.position(), isolation, answer)) {
        if (!mayReadFiles) {
          return false;
        }
        scope.cancellation().check();
        answer.set(
            resolver.resolveFromLog(log, query.target.position(), isolation, scope.cancellation()));
      }
      long stalenessMs = query.topic.stalenessMs(partition, sourceStalenessMs);
      if (ends.isDue(query.target, answer, stalenessMs)) {
        return false;
      }
      ends.require(query.query.getTopic(), partition, query.target, answer, stalenessMs);
      tell(query, partition, answer, stalenessMs);
    } catch (RuntimeException e) {
      if (cluster.mayAnswer(query.target.position(), e)) {
        return mayReadFiles && answerFromCluster(query, partition, e);
      }
      fail(query, partition, e);
      slice.lookNext();
    }
    return true;
  }

  /** Answers as the cluster says; until it is asked, leaves the answer out. */
  private boolean answerFromCluster(Begun query, int partition, RuntimeException why) {
    try {
      TopicPartition asked = new TopicPartition(query.query.getTopic(), partition);
      ClusterAnswer told = cluster.answer(new ClusterQuestion(asked, query.target.position()), why);
      if (told != null) {
        space().answer().set(told.resolution());
        tell(query, partition, space().answer(), 0);
      }
    } catch (RuntimeException e) {
      fail(query, partition, e);
    }
    return true;
  }

  private void tell(Begun query, int partition, PositionAnswer answer, long stalenessMs) {
    space().encoder().answer(partition, query.target, answer, stalenessMs);
    space()
        .tally()
        .count(
            query.target.kind(), Protos.outcome(answer.outcome()), Protos.origin(answer.origin()));
  }

  /** Keeps the failure of a partition from its neighbours, unless it ends the whole call. */
  private void fail(Begun query, int partition, RuntimeException failure) {
    if (failure instanceof WhenceException known
        && known.reason() == ErrorReason.DEADLINE_EXCEEDED) {
      throw failure;
    }
    String topic = query.query.getTopic();
    space()
        .encoder()
        .failedAnswer(partition, PartitionGuard.error(scope, topic, partition, failure));
    space().tally().failed(query.target.kind());
  }

  /** The query that is being answered. */
  private static final class Begun {
    private final TimestampQuery query;
    private final Target target;
    private final CallTopics.Topic topic;
    private final int count;
    private int next;

    Begun(TimestampQuery query, Target target, CallTopics.Topic topic, int count) {
      this.query = query;
      this.target = target;
      this.topic = topic;
      this.count = count;
    }

    int partition(int index) {
      return query.getPartitionsCount() == 0 ? index : query.getPartitions(index);
    }
  }
}
