package io.whence.grpc;

import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What calls run on. Thread safety: immutable.
 *
 * @param workers bounded pools that throw {@link java.util.concurrent.RejectedExecutionException}
 *     when full
 * @param currentLoop gives the event loop of the current thread, or any if it is no event loop
 * @param nanoClock a clock that only differences of mean something, in nanoseconds
 */
public record CallThreads(
    CallWorkers workers, Supplier<EventLoop> currentLoop, LongSupplier nanoClock) {}
