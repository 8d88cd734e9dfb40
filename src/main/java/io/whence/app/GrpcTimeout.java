package io.whence.app;

import io.grpc.Metadata;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The time that a client gives a call, as its headers have it. Thread safety: immutable. */
final class GrpcTimeout {
  static final Metadata.Key<String> HEADER =
      Metadata.Key.of("grpc-timeout", Metadata.ASCII_STRING_MARSHALLER);

  /** The client's clock began to run a little earlier, by what a busy network or machine takes. */
  private static final long LEAST_TOLERANCE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private static final int TOLERATED_SHARE = 10;

  private static final int MAX_DIGITS = 8;

  private GrpcTimeout() {}

  /** Returns whether a call that has taken so long was given no more time, by and large. */
  static boolean hasPassed(@Nullable String timeout, long nanos) {
    if (timeout == null) {
      return false;
    }
    long given = parse(timeout);
    return nanos >= given - Math.max(LEAST_TOLERANCE_NANOS, given / TOLERATED_SHARE);
  }

  /** Returns the nanoseconds that a header stands for; as many as there are if it is none. */
  private static long parse(String timeout) {
    int digits = timeout.length() - 1;
    if (digits < 1
        || digits > MAX_DIGITS
        || !timeout.chars().limit(digits).allMatch(c -> c >= '0' && c <= '9')) {
      return Long.MAX_VALUE;
    }
    long value = Long.parseLong(timeout, 0, digits, 10);
    return switch (timeout.charAt(digits)) {
      case 'n' -> value;
      case 'u' -> TimeUnit.MICROSECONDS.toNanos(value);
      case 'm' -> TimeUnit.MILLISECONDS.toNanos(value);
      case 'S' -> TimeUnit.SECONDS.toNanos(value);
      case 'M' -> TimeUnit.MINUTES.toNanos(value);
      case 'H' -> TimeUnit.HOURS.toNanos(value);
      default -> Long.MAX_VALUE;
    };
  }
}
