package io.whence.example;

import com.google.protobuf.ProtocolMessageEnum;
import io.grpc.Channel;
import io.grpc.Deadline;
import io.grpc.StatusRuntimeException;
import io.whence.v1.CommitEntry;
import io.whence.v1.CommitOffsetRequest;
import io.whence.v1.CommitOffsetResponse;
import io.whence.v1.CommitResult;
import io.whence.v1.ErrorReason;
import io.whence.v1.GetGroupLagRequest;
import io.whence.v1.GroupLag;
import io.whence.v1.GroupOffsetsServiceGrpc;
import io.whence.v1.GroupQuery;
import io.whence.v1.LogServiceGrpc;
import io.whence.v1.OffsetRange;
import io.whence.v1.Outcome;
import io.whence.v1.PartitionError;
import io.whence.v1.PartitionLag;
import io.whence.v1.ReadRecord;
import io.whence.v1.ReadRequest;
import io.whence.v1.ResolveWindowRequest;
import io.whence.v1.ResolverServiceGrpc;
import io.whence.v1.TimePoint;
import io.whence.v1.WatchQuery;
import io.whence.v1.WatchTimestampRequest;
import io.whence.v1.WatchTimestampResponse;
import io.whence.v1.WindowAnswer;
import io.whence.v1.WindowQuery;
import io.whence.v1.WindowQueryResult;
import java.io.PrintStream;
import java.math.BigInteger;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What a client of Whence does: a window and its records, a guarded commit, lag in time, a watch.
 * Each job prints lines, and returns whether no partition failed. Thread-safe, as the channel is.
 */
record Jobs(Channel channel, String source, long timeoutMs, PrintStream out) {
  /** RFC 3339 with an offset, or digits: epoch milliseconds. The server refuses seconds. */
  private static TimePoint moment(String text) {
    return text.matches("[0-9]+") && new BigInteger(text).bitLength() < Long.SIZE
        ? TimePoint.newBuilder().setEpochMs(Long.parseLong(text)).build()
        : TimePoint.newBuilder().setRfc3339(text).build();
  }

  /** Tells where the records of [from, to) lie in all partitions, and reads the first of each. */
  boolean window(String topic, String from, String to, int records) throws InterruptedException {
    var query = WindowQuery.newBuilder().setTopic(topic).setFrom(moment(from)).setTo(moment(to));
    var request = ResolveWindowRequest.newBuilder().setSource(source).addQueries(query).build();
    WindowQueryResult result =
        Retry.lookup(resolver(), stub -> stub.resolveWindow(request)).getResults(0);
    if (result.hasError()) {
      print("%s %s", topic, failed(result.getError()));
      return false;
    }
    print("%s: [%d, %d) ms", topic, result.getFromMs(), result.getToMs());
    long count = 0;
    int found = 0;
    boolean good = true;
    for (WindowAnswer answer : result.getAnswersList()) {
      found += answer.hasRange() ? 1 : 0;
      count += answer.getRecordCount();
      good &= !answer.hasError();
      print("%s-%d %s", topic, answer.getPartition(), describe(answer));
      if (answer.hasRange()) {
        read(topic, answer.getPartition(), answer.getRange(), records);
      }
    }
    print("sum: %d records in %d of %d partitions", count, found, result.getPartitionCount());
    return good;
  }

  private static String describe(WindowAnswer answer) {
    if (answer.getOutcome() == Outcome.OUTCOME_FOUND) {
      OffsetRange range = answer.getRange();
      return "FOUND %d..%d: %d records, %d outside"
          .formatted(
              range.getStartOffset(),
              range.getEndOffset(),
              answer.getRecordCount(),
              answer.getOutsideCount());
    }
    return answer.hasError() ? failed(answer.getError()) : word(answer.getOutcome());
  }

  /** Starts at the start of a range, and stops at its end or after so many records. */
  private void read(String topic, int partition, OffsetRange range, int records)
      throws InterruptedException {
    long offset = range.getStartOffset();
    int left = records;
    while (left > 0 && offset < range.getEndOffset()) {
      var request =
          ReadRequest.newBuilder()
              .setSource(source)
              .setTopic(topic)
              .setPartition(partition)
              .setOffset(offset)
              .setMaxRecords(Math.min(left, 1000))
              .build();
      var page = Retry.lookup(logs(), stub -> stub.read(request));
      page.getRecordsList().stream()
          .filter(record -> record.getInfo().getOffset() < range.getEndOffset())
          .forEach(this::print);
      if (page.getNextOffset() == offset) {
        return;
      }
      left -= page.getRecordsCount();
      offset = page.getNextOffset();
    }
  }

  private void print(ReadRecord record) {
    print(
        "  %d at %d ms: %s=%s",
        record.getInfo().getOffset(),
        record.getInfo().getTimestampMs(),
        record.getKey().toStringUtf8(),
        record.getValue().toStringUtf8());
  }

  /**
   * Commits one offset. With the request id, sending it again after a lost answer commits nothing
   * twice, where the same server gets it. In front of a followed cluster each server remembers only
   * what it answered itself: send what you expect, too, and another one refuses with CONFLICT what
   * is done already.
   */
  boolean commit(String group, CommitEntry entry, String requestId) throws InterruptedException {
    var request =
        CommitOffsetRequest.newBuilder()
            .setSource(source)
            .setGroup(group)
            .addEntries(entry)
            .setRequestId(requestId)
            .build();
    var sent = new AtomicInteger();
    CommitOffsetResponse response =
        Retry.retrying(
            groups(),
            stub -> {
              sent.incrementAndGet();
              return stub.commitOffset(request);
            });
    var result = response.getResults(0);
    if (sent.get() > 1 && isDone(entry, result)) {
      String name = result.getTopic() + "-" + result.getPartition();
      print("%s COMMITTED -> %d (sent before)", name, result.getOffsetNow());
      return true;
    }
    if (result.hasError()) {
      print("%s-%d %s", result.getTopic(), result.getPartition(), failed(result.getError()));
      return false;
    }
    print(
        "%s-%d %s %s -> %d%s",
        result.getTopic(),
        result.getPartition(),
        word(result.getOutcome()),
        result.hasOffsetBefore() ? Long.toString(result.getOffsetBefore()) : "none",
        result.getOffsetNow(),
        response.getReplayed() ? " (sent before)" : "");
    return true;
  }

  /** Whether a commit that was sent again is refused because the one before did its work. */
  private static boolean isDone(CommitEntry entry, CommitResult result) {
    return result.getError().getReason() == ErrorReason.ERROR_REASON_CONFLICT
        && result.hasOffsetNow()
        && result.getOffsetNow() == entry.getNextOffset();
  }

  /** Tells how far a group is behind, in records and in time. */
  boolean lag(String group) throws InterruptedException {
    var query = GroupQuery.newBuilder().setGroup(group);
    var request = GetGroupLagRequest.newBuilder().setSource(source).addQueries(query).build();
    GroupLag result = Retry.lookup(groups(), stub -> stub.getGroupLag(request)).getResults(0);
    if (result.hasError()) {
      print("%s %s", group, failed(result.getError()));
      return false;
    }
    if (!result.getExists()) {
      print("%s has committed nothing", group);
      return false;
    }
    for (PartitionLag part : result.getPartitionsList()) {
      print("%s-%d %s", part.getTopic(), part.getPartition(), describe(part));
    }
    var sum = result.getSum();
    print(
        "sum: %d records in %d partitions, span %d ms",
        sum.getRecordLag(), sum.getPartitionCount(), sum.getMaxSpanMs());
    return true;
  }

  private static String describe(PartitionLag part) {
    if (part.hasError()) {
      return failed(part.getError());
    }
    String records = part.hasRecordLag() ? ": " + part.getRecordLag() + " records" : "";
    String span = part.hasSpanMs() ? ", span " + part.getSpanMs() + " ms" : "";
    String waiting = part.hasStalenessMs() ? ", waiting for " + part.getStalenessMs() + " ms" : "";
    return word(part.getStatus()) + records + span + waiting;
  }

  /**
   * Tells, per partition and then for all, that a moment has been reached. The deadline ends the
   * wait. A connection that grows too old does not, nor does a server that stops.
   */
  boolean watch(String topic, String time) throws InterruptedException {
    var query = WatchQuery.newBuilder().setTopic(topic).setTime(moment(time));
    var stub = resolver();
    var watched = new Watched(out);
    for (int attempt = 1; ; attempt++) {
      var request = WatchTimestampRequest.newBuilder().setSource(source).addQueries(query).build();
      try {
        var events = stub.watchTimestamp(request);
        while (events.hasNext()) {
          WatchTimestampResponse event = events.next();
          watched.add(event);
          if (event.hasStarted()) {
            attempt = 1;
            long sameMoment = event.getStarted().getTargetTimestampMs(0);
            query.setTime(TimePoint.newBuilder().setEpochMs(sameMoment));
          }
        }
        return watched.good();
      } catch (StatusRuntimeException e) {
        Deadline deadline = stub.getCallOptions().getDeadline();
        if (!Retry.waitToRetry(Failure.of(e), attempt, deadline)) {
          throw e;
        }
      }
    }
  }

  private ResolverServiceGrpc.ResolverServiceBlockingStub resolver() {
    return ResolverServiceGrpc.newBlockingStub(channel).withDeadline(deadline());
  }

  private LogServiceGrpc.LogServiceBlockingStub logs() {
    return LogServiceGrpc.newBlockingStub(channel).withDeadline(deadline());
  }

  private GroupOffsetsServiceGrpc.GroupOffsetsServiceBlockingStub groups() {
    return GroupOffsetsServiceGrpc.newBlockingStub(channel).withDeadline(deadline());
  }

  private Deadline deadline() {
    return Deadline.after(timeoutMs, TimeUnit.MILLISECONDS);
  }

  static String failed(PartitionError error) {
    return "FAILED %s: %s".formatted(word(error.getReason()), error.getMessage());
  }

  /**
   * The name of an enum's value without its prefix; UNRECOGNIZED for one newer than this client.
   */
  private static String word(ProtocolMessageEnum value) {
    String name = value.toString();
    String first = value.getDescriptorForType().getValues().get(0).getName();
    String prefix = first.substring(0, first.length() - "UNSPECIFIED".length());
    return name.startsWith(prefix) ? name.substring(prefix.length()) : name;
  }

  private void print(String format, Object... args) {
    out.println(format.formatted(args));
  }
}
