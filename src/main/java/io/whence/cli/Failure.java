package io.whence.cli;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import io.grpc.Status;
import io.grpc.protobuf.StatusProto;
import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Why a command failed as a whole: for people as lines, for programs as one JSON document.
 * Immutable.
 *
 * @param exitCode the exit code that it leads to
 * @param status the name of the gRPC status; empty where no call was made
 * @param reason the reason, without its prefix; empty where the server gave none
 * @param message what happened
 * @param facts facts by name
 * @param hint what to do; empty if unknown
 */
record Failure(
    int exitCode,
    String status,
    String reason,
    String message,
    Map<String, String> facts,
    String hint) {

  Failure {
    facts = Map.copyOf(facts);
  }

  /** Makes the failure that a wrong command line is. */
  static Failure of(BadInputException e) {
    return new Failure(ExitCode.REFUSED, "", "", e.getMessage(), Map.of("field", e.field()), "");
  }

  /** Makes the failure that a wrong command line is, found by the parser. */
  static Failure ofUsage(String message, String command) {
    return new Failure(
        ExitCode.REFUSED, "", "", message, Map.of(), command + " --help shows the options");
  }

  /** Makes the failure that a failed call is. */
  static Failure of(CallFailedException e) {
    Status status = e.failure().getStatus();
    ErrorInfo info = ErrorInfo.getDefaultInstance();
    RetryInfo retry = RetryInfo.getDefaultInstance();
    com.google.rpc.Status details = StatusProto.fromThrowable(e.failure());
    try {
      for (Any detail : details == null ? List.<Any>of() : details.getDetailsList()) {
        info = detail.is(ErrorInfo.class) ? detail.unpack(ErrorInfo.class) : info;
        retry = detail.is(RetryInfo.class) ? detail.unpack(RetryInfo.class) : retry;
      }
    } catch (InvalidProtocolBufferException damaged) {
      info = ErrorInfo.getDefaultInstance();
    }
    if (info.getReason().isEmpty() && status.getCode() == Status.Code.UNAVAILABLE) {
      return unreachable(e.server(), status);
    }
    String text =
        status.getDescription() == null ? status.getCode().name() : status.getDescription();
    return new Failure(
        exitCode(status.getCode()),
        status.getCode().name(),
        info.getReason(),
        text,
        info.getMetadataMap(),
        hint(status.getCode(), info.getReason(), retry));
  }

  /**
   * Makes the failure that a change with an unknown outcome is: it can't be taken for a refusal.
   */
  static Failure of(OutcomeUnknownException e) {
    Failure last = of(e.last());
    return new Failure(
        ExitCode.SERVER_FAILED,
        last.status(),
        last.reason(),
        e.advice(),
        last.facts(),
        "the last try: " + DisplayText.printable(last.message()));
  }

  /** Returns the lines for people. */
  List<String> lines(boolean colour) {
    List<String> lines = new ArrayList<>();
    lines.add(Ink.RED.paint("whence: ", colour) + DisplayText.printable(message));
    if (!reason.isEmpty()) {
      lines.add("  reason: " + DisplayText.printable(reason) + " (" + status + ")");
    }
    new TreeMap<>(facts)
        .forEach((name, value) -> lines.add("  " + DisplayText.printable(name + ": " + value)));
    if (!hint.isEmpty()) {
      lines.add("  " + hint);
    }
    return lines;
  }

  /** Returns the JSON document for programs. */
  Message document() {
    Struct.Builder metadata = Struct.newBuilder();
    new TreeMap<>(facts).forEach((name, value) -> metadata.putFields(name, value(value)));
    Struct.Builder error =
        Struct.newBuilder()
            .putFields("status", value(status))
            .putFields("reason", value(reason))
            .putFields("message", value(message))
            .putFields("metadata", Value.newBuilder().setStructValue(metadata).build())
            .putFields("hint", value(hint));
    return Struct.newBuilder()
        .putFields("error", Value.newBuilder().setStructValue(error).build())
        .build();
  }

  private static Value value(String text) {
    return Value.newBuilder().setStringValue(text).build();
  }

  private static Failure unreachable(String server, Status status) {
    boolean local = server.startsWith("localhost:") || server.startsWith("127.");
    Throwable cause = status.getCause();
    boolean refused = cause instanceof ConnectException;
    String why =
        refused ? "nothing listens at " + server : "can't reach " + server + ": " + words(status);
    String hint =
        isOfTls(cause)
            ? "--tls-ca FILE names who signs the server's certificate, --tls-server-name its name,"
                + " and --tls-cert FILE --tls-key FILE what it may want to see"
            : !refused && isBrokenOff(status)
                ? "does it want TLS? --tls, and --tls-cert FILE --tls-key FILE where it wants to see"
                    + " them; or is it no gRPC that listens there?"
                : local
                    ? "start one with ./whence serve, or name another with --server"
                    : "name the server with --server HOST:PORT";
    return new Failure(ExitCode.UNREACHABLE, "UNAVAILABLE", "", why, Map.of(), hint);
  }

  private static boolean isOfTls(@Nullable Throwable cause) {
    return cause instanceof SSLException
        || (cause != null && cause.getCause() instanceof SSLException);
  }

  /** A server that expects TLS, or a certificate, closes what it does not understand. */
  private static boolean isBrokenOff(Status status) {
    Throwable cause = status.getCause();
    return cause == null
        ? words(status).startsWith("End of stream")
        : cause instanceof IOException && !(cause instanceof UnknownHostException);
  }

  private static String words(Status status) {
    String description = status.getDescription() == null ? "" : status.getDescription();
    Throwable cause = status.getCause();
    String detail = cause == null || cause.getMessage() == null ? "" : cause.getMessage();
    return description.isEmpty() || detail.isEmpty() || description.contains(detail)
        ? description + detail
        : description + ": " + detail;
  }

  private static int exitCode(Status.Code code) {
    return switch (code) {
      case INVALID_ARGUMENT,
          NOT_FOUND,
          ALREADY_EXISTS,
          FAILED_PRECONDITION,
          ABORTED,
          OUT_OF_RANGE,
          PERMISSION_DENIED,
          UNAUTHENTICATED,
          UNIMPLEMENTED ->
          ExitCode.REFUSED;
      default -> ExitCode.SERVER_FAILED;
    };
  }

  private static String hint(Status.Code code, String reason, RetryInfo retry) {
    if (retry.hasRetryDelay()) {
      long ms =
          retry.getRetryDelay().getSeconds() * 1_000 + retry.getRetryDelay().getNanos() / 1_000_000;
      return "try again after " + TimeDisplay.span(ms);
    }
    if (code == Status.Code.DEADLINE_EXCEEDED) {
      return "allow more time with --timeout, or ask for fewer partitions";
    }
    return switch (reason) {
      case "UNKNOWN_TOPIC" -> "./whence topics lists the topics";
      case "UNKNOWN_SOURCE" -> "./whence topics lists the sources; name one with --source";
      case "UNKNOWN_GROUP" -> "./whence groups lists the groups";
      case "UNKNOWN_PLAN" -> "nothing was changed: plan again, and look again";
      case "PLAN_OUTDATED" -> "plan again, and look again";
      case "FALLBACK_NOT_ACCEPTED" ->
          "nothing was changed: --accept-fallbacks, --leave-out-fallbacks or --accept-fallback T:P";
      case "REQUEST_ID_REUSED" -> "leave --request-id out for a fresh one";
      case "INVALID_TIME" ->
          "digits: name their unit with --unit, or take them as they are with --allow-unusual-time;"
              + " local times: --on-clock-change earlier|later";
      case "NOT_READY", "DRAINING", "OVERLOADED", "STORAGE_ERROR", "STORAGE_FULL" ->
          "the same may succeed later";
      default -> "";
    };
  }
}
