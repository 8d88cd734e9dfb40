package io.whence.grpc;

import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import io.whence.v1.PartitionError;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jboss.logging.Logger;

/** Keeps the failure of one partition or group from its neighbours. Thread safety: immutable. */
final class PartitionGuard {
  private static final Logger LOG = Logger.getLogger(PartitionGuard.class);

  private PartitionGuard() {}

  /**
   * Returns the answer of the work, or the one that tells its failure. Only a passed deadline goes
   * on to the caller, because it ends the whole call.
   */
  static <A> A answer(
      CallScope scope,
      String topic,
      int partition,
      Supplier<A> work,
      Function<PartitionError, A> failed) {
    try {
      return work.get();
    } catch (WhenceException e) {
      if (e.reason() == ErrorReason.DEADLINE_EXCEEDED) {
        throw e;
      }
      return failed.apply(error(scope, topic, partition, e));
    } catch (RuntimeException e) {
      return failed.apply(error(scope, topic, partition, e));
    }
  }

  /**
   * Returns the failure of a query as a whole.
   *
   * @throws WhenceException the failure itself, where it concerns the whole call
   */
  static PartitionError queryError(WhenceException failure) {
    return switch (failure.reason()) {
      case DEADLINE_EXCEEDED, LIMIT_EXCEEDED, NOT_READY -> throw failure;
      default -> GrpcErrors.partitionError(failure);
    };
  }

  /**
   * Returns the answer about a group, or the one that tells why it can't be told.
   *
   * @throws WhenceException the failure itself, where it concerns the whole call
   */
  static <A> A group(
      CallScope scope, String group, Supplier<A> work, Function<PartitionError, A> failed) {
    try {
      return work.get();
    } catch (WhenceException e) {
      return failed.apply(queryError(e));
    } catch (RuntimeException e) {
      scope.listener().onFault(scope.rpc());
      LOG.errorf(e, "group failed: rpc=%s group=%s", scope.rpc(), group);
      return failed.apply(GrpcErrors.partitionError(GrpcErrors.internal()));
    }
  }

  /** Returns what a client is told; logs what is a fault of the server. */
  static PartitionError error(CallScope scope, String topic, int partition, Throwable failure) {
    if (failure instanceof WhenceException known) {
      return GrpcErrors.partitionError(known);
    }
    scope.listener().onFault(scope.rpc());
    LOG.errorf(
        failure, "partition failed: rpc=%s topic=%s partition=%d", scope.rpc(), topic, partition);
    return GrpcErrors.partitionError(GrpcErrors.internal());
  }
}
