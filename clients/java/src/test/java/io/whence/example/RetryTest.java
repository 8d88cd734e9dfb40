package io.whence.example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Any;
import com.google.protobuf.util.Durations;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import com.google.rpc.Status;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.protobuf.StatusProto;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What a failure says, and what is sent again. */
class RetryTest {
  /** Has a deadline, and is never called. */
  private static final HealthGrpc.HealthBlockingStub STUB =
      HealthGrpc.newBlockingStub(
              Grpc.newChannelBuilder("localhost:1", InsecureChannelCredentials.create()).build())
          .withDeadlineAfter(60, TimeUnit.SECONDS);

  private static final StatusRuntimeException OVERLOADED =
      failing(
          Code.RESOURCE_EXHAUSTED,
          Any.pack(info("whence")),
          Any.pack(RetryInfo.newBuilder().setRetryDelay(Durations.fromMillis(20)).build()));

  private static ErrorInfo info(String domain) {
    return ErrorInfo.newBuilder()
        .setDomain(domain)
        .setReason("OVERLOADED")
        .putMetadata("retry_after_ms", "20")
        .build();
  }

  private static StatusRuntimeException failing(Code code, Any... details) {
    return StatusProto.toStatusRuntimeException(
        Status.newBuilder()
            .setCode(code.value())
            .setMessage("no")
            .addAllDetails(List.of(details))
            .build());
  }

  @Test
  void failure_hasReasonMetadataAndRetry() {
    assertEquals(
        "RESOURCE_EXHAUSTED OVERLOADED (retry_after_ms=20): no; retry after 20 ms",
        Failure.of(OVERLOADED).toString());
  }

  @Test
  void failureOfAnotherDomain_hasNoReason() {
    Failure failure = Failure.of(failing(Code.NOT_FOUND, Any.pack(info("proxy"))));
    assertEquals("", failure.reason());
    assertFalse(failure.maySucceedLater());
  }

  @Test
  void request_isSentAgainWhereThatCanHelp() throws InterruptedException {
    assertEquals(1, callsUntilAnswered(List.of()));
    assertEquals(3, callsUntilAnswered(List.of(OVERLOADED, OVERLOADED)));
    assertEquals(2, callsUntilAnswered(List.of(failing(Code.UNAVAILABLE))));
  }

  @Test
  void request_isNotSentAgainWhereThatCannotHelp() {
    assertEquals(1, callsUntilRefused(List.of(failing(Code.INVALID_ARGUMENT))));
    assertEquals(1, callsUntilRefused(List.of(failing(Code.RESOURCE_EXHAUSTED))));
    assertEquals(5, callsUntilRefused(Collections.nCopies(9, OVERLOADED)));
  }

  @Test
  void lookup_isSentAgainWhereTheServerWasTooBusy() throws InterruptedException {
    Any retry = Any.pack(RetryInfo.getDefaultInstance());
    AtomicInteger calls = new AtomicInteger();
    assertEquals(3, Retry.lookup(STUB, next(List.of(OVERLOADED, OVERLOADED), calls)));
    assertEquals(1, lookupsUntilRefused(failing(Code.UNAVAILABLE, retry)));
    assertEquals(1, lookupsUntilRefused(failing(Code.RESOURCE_EXHAUSTED)));
    assertEquals(5, lookupsUntilRefused(OVERLOADED));
  }

  private static int lookupsUntilRefused(StatusRuntimeException failure) {
    AtomicInteger calls = new AtomicInteger();
    var call = next(Collections.nCopies(9, failure), calls);
    assertThrows(StatusRuntimeException.class, () -> Retry.lookup(STUB, call));
    return calls.get();
  }

  @Test
  void pause_isAsLongAsTheServerSaysOrHalfAsLongAgain() {
    for (long said : new long[] {0, 1, 1000}) {
      long least = Math.max(said, 10);
      var failure = new Failure("RESOURCE_EXHAUSTED", "no", "", Map.of(), Optional.of(said));
      var pauses = IntStream.range(0, 100).mapToLong(i -> Retry.pauseMs(failure, 1)).toArray();
      assertTrue(LongStream.of(pauses).allMatch(ms -> ms >= least && ms <= least * 3 / 2));
      assertTrue(LongStream.of(pauses).distinct().count() > 1);
    }
  }

  private static int callsUntilAnswered(List<StatusRuntimeException> failures)
      throws InterruptedException {
    return call(failures, new AtomicInteger());
  }

  private static int callsUntilRefused(List<StatusRuntimeException> failures) {
    AtomicInteger calls = new AtomicInteger();
    assertThrows(StatusRuntimeException.class, () -> call(failures, calls));
    return calls.get();
  }

  private static int call(List<StatusRuntimeException> failures, AtomicInteger calls)
      throws InterruptedException {
    return Retry.retrying(STUB, next(failures, calls));
  }

  private static Function<HealthGrpc.HealthBlockingStub, Integer> next(
      List<StatusRuntimeException> failures, AtomicInteger calls) {
    Queue<StatusRuntimeException> left = new ArrayDeque<>(failures);
    return stub -> {
      calls.incrementAndGet();
      StatusRuntimeException failure = left.poll();
      if (failure != null) {
        throw failure;
      }
      return calls.get();
    };
  }
}
