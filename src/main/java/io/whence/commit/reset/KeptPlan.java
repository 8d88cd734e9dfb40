package io.whence.commit.reset;

import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A plan and its application. It is applied once: while it is being applied, and ever after, all
 * get the result of that, also when the plan was outdated. Only where the application failed for
 * another reason may somebody try again; where it failed without saying whether anything was
 * committed, that is remembered. Thread safety: thread-safe.
 */
final class KeptPlan {
  private final ResetPlan plan;

  /** Null until somebody applies the plan. */
  private final AtomicReference<@Nullable CompletableFuture<List<AppliedReset>>> application =
      new AtomicReference<>();

  private volatile long untilMs;
  private volatile boolean maybeApplied;

  KeptPlan(ResetPlan plan) {
    this.plan = plan;
    untilMs = plan.expiresAtMs();
  }

  /** Returns until when it is known, exclusive, in epoch milliseconds. */
  long untilMs() {
    return untilMs;
  }

  void keepUntil(long untilMs) {
    this.untilMs = untilMs;
  }

  ResetPlan plan() {
    return plan;
  }

  /** Returns whether an application that failed may have been made all the same. */
  boolean isMaybeApplied() {
    return maybeApplied;
  }

  /** Returns the result of an application, unless somebody may try again. */
  Optional<CompletionStage<List<AppliedReset>>> applied() {
    CompletableFuture<List<AppliedReset>> known = application.get();
    return known == null || isOpen(known) ? Optional.empty() : Optional.of(known.copy());
  }

  /** Applies the plan, or gives the result of whoever does. */
  CompletionStage<List<AppliedReset>> applyOnce(
      Supplier<CompletionStage<List<AppliedReset>>> work) {
    CompletableFuture<List<AppliedReset>> own = new CompletableFuture<>();
    CompletableFuture<List<AppliedReset>> known = application.get();
    while (known == null || isOpen(known)) {
      if (application.compareAndSet(known, own)) {
        run(work, own);
        return own.copy();
      }
      known = application.get();
    }
    return known.copy();
  }

  /** Returns whether an application failed in a way that allows another one. */
  private static boolean isOpen(CompletableFuture<List<AppliedReset>> known) {
    if (!known.isCompletedExceptionally()) {
      return false;
    }
    // What moved doesn't move back, and the refusal is kept with the id of the request.
    Throwable failure = known.handle((result, thrown) -> thrown).join();
    return !(causeOf(failure) instanceof WhenceException refusal
        && refusal.reason() == ErrorReason.PLAN_OUTDATED);
  }

  /** Returns whether a failure leaves open what became of the commit: it is no refusal. */
  private static boolean isSilent(Throwable failure) {
    return !(causeOf(failure) instanceof WhenceException known)
        || known.isOutcomeUnknown()
        || known.reason() == ErrorReason.INTERNAL;
  }

  private static @Nullable Throwable causeOf(Throwable failure) {
    return failure instanceof CompletionException ? failure.getCause() : failure;
  }

  private void run(
      Supplier<CompletionStage<List<AppliedReset>>> work,
      CompletableFuture<List<AppliedReset>> own) {
    try {
      work.get()
          .whenComplete(
              (result, failure) -> {
                if (failure == null) {
                  own.complete(result);
                } else {
                  maybeApplied |= isSilent(failure); // Before anybody may try again.
                  own.completeExceptionally(failure);
                }
              });
    } catch (RuntimeException | Error e) {
      own.completeExceptionally(e);
    }
  }
}
