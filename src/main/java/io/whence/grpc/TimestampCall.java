package io.whence.grpc;

import io.whence.model.IsolationLevel;
import io.whence.v1.ResolveTimestampRequest;
import org.jspecify.annotations.Nullable;

/**
 * One lookup of timestamps, which can stop before any query or partition and go on there later, on
 * another thread too. All queries are checked, all partitions counted, and only then answered, so
 * that a request that is refused costs little. Before many queries are checked it stops once, as
 * few calls at a time may hold what it makes of them. Thread safety: single-writer; one thread
 * after the other.
 */
final class TimestampCall implements TurnCall<EncodedMessage> {
  /** More partitions than this take longer than a unit of work should. */
  private static final int MANY_PARTITIONS = 64;

  private final PartitionResolver resolver;
  private final ResolveTimestampRequest request;
  private final CallScope scope;
  private final Workspaces workspaces;
  private final IsolationLevel isolation;
  private TimestampQuestions questions;
  private boolean stoppedOnce;
  private @Nullable TimestampResults results;

  /** Begins a call, or refuses it. */
  TimestampCall(
      PartitionResolver resolver,
      ResolveTimestampRequest request,
      CallScope scope,
      Workspaces workspaces) {
    this.resolver = resolver;
    this.request = request;
    this.scope = scope;
    this.workspaces = workspaces;
    requireWithinLimit(request.getQueriesCount(), scope.limits().partitions());
    questions = new TimestampQuestions(request, scope.serverTimeMs());
    isolation = Protos.isolation(request.getIsolationLevel(), request.getIsolationLevelValue());
  }

  /** Before any check: each query is about one partition at least. */
  private static void requireWithinLimit(int queries, int limit) {
    if (queries > limit) {
      throw BadRequests.tooMany(FieldPath.of("queries", limit), limit + 1L, limit, "partitions");
    }
  }

  @Override
  public Turn goOn(TimeSlice slice) {
    return goOn(slice, false);
  }

  @Override
  public void finish() {
    scope.cancellation().check();
    TimeSlice endless = new TimeSlice(() -> 0, Long.MAX_VALUE);
    Turn turn = goOn(endless, true);
    if (turn != Turn.DONE) {
      throw new IllegalStateException("expected the end of the call, found " + turn);
    }
  }

  private Turn goOn(TimeSlice slice, boolean mayReadFiles) {
    if (request.getQueriesCount() > TimestampResults.LARGE && !mayReadFiles && !stoppedOnce) {
      stoppedOnce = true;
      return Turn.OVER; // What is checked takes memory too.
    }
    while (!questions.areChecked()) {
      if (scope.isOver(slice)) {
        return Turn.OVER;
      }
      if (questions.checkNext() > MANY_PARTITIONS) {
        slice.lookNext();
      }
    }
    TimestampResults answering = results;
    if (answering == null) {
      answering =
          new TimestampResults(
              resolver, scope, scope.source(request.getSource()), isolation, questions, workspaces);
      results = answering;
    }
    return answering.goOn(slice, mayReadFiles);
  }

  @Override
  public void startOver() {
    close();
    results = null;
    questions = new TimestampQuestions(request, scope.serverTimeMs());
  }

  @Override
  public long requestBytes() {
    return RequestBytes.of(request);
  }

  @Override
  public CallCancellation cancellation() {
    return scope.cancellation();
  }

  @Override
  public EncodedMessage answer() {
    return encoder().response();
  }

  /** Returns the answer as a message of a stream. */
  EncodedMessage streamAnswer(long tag) {
    return encoder().streamResponse(tag);
  }

  private TimestampEncoder encoder() {
    if (results == null) {
      throw new IllegalStateException("nothing is answered yet");
    }
    return results.encoder();
  }

  @Override
  public void close() {
    if (results != null) {
      results.close();
    }
  }
}
