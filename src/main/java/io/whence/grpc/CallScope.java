package io.whence.grpc;

import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import io.whence.source.LogSource;
import io.whence.source.SourceCatalog;
import io.whence.source.WritableLogSource;

/**
 * What the work of one call may use. Thread safety: immutable.
 *
 * @param rpc the name of the method
 * @param serverTimeMs the clock of the server when the request arrived, in epoch milliseconds
 * @param catalog the sources
 * @param cancellation tells when the work should stop
 * @param limits what the call may ask for
 * @param listener is told about answers
 */
record CallScope(
    String rpc,
    long serverTimeMs,
    SourceCatalog catalog,
    CallCancellation cancellation,
    CallLimits limits,
    CallListener listener) {

  /** Returns a source that answers now. */
  LogSource source(String name) {
    return ready(catalog.source(name));
  }

  /** Returns a source that can be written to now. */
  WritableLogSource writable(String name) {
    return ready(catalog.writable(name));
  }

  private static <S extends LogSource> S ready(S source) {
    if (!source.isReady()) {
      throw WhenceException.of(
          ErrorReason.NOT_READY,
          "source '" + source.name() + "' is still loading",
          "source",
          source.name());
    }
    return source;
  }
}
