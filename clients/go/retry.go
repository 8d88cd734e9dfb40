package main

import (
	"context"
	"math/rand/v2"
	"time"

	"google.golang.org/grpc"
)

const (
	attempts   = 5
	leastPause = 10 * time.Millisecond
)

// Retrying sends a request that may be sent again, such as a commit with a request id, at most five times before the
// deadline of ctx, and waits as long as the server says.
func Retrying[T any](ctx context.Context, call func(context.Context) (T, error)) (T, error) {
	return repeat(ctx, Failure.MaySucceedLater, call)
}

// Lookup sends what changes nothing again where the server was too busy, at most five times before the deadline of ctx.
// What is unavailable gRPC has repeated itself (see connection.go), and once is enough.
func Lookup[Q, A any](
	ctx context.Context, call func(context.Context, Q, ...grpc.CallOption) (A, error), request Q,
) (A, error) {
	return repeat(ctx, Failure.TurnedAway, func(ctx context.Context) (A, error) { return call(ctx, request) })
}

func repeat[T any](
	ctx context.Context, helps func(Failure) bool, call func(context.Context) (T, error),
) (T, error) {
	for attempt := 1; ; attempt++ {
		answer, err := call(ctx)
		if err == nil {
			return answer, nil
		}
		failure := FailureOf(err)
		if attempt == attempts || !helps(failure) || !WaitToRetry(ctx, failure, attempt) {
			return answer, err
		}
	}
}

// WaitToRetry waits before the next attempt; false if that can't help, or would be too late.
func WaitToRetry(ctx context.Context, failure Failure, attempt int) bool {
	pause := pauseAfter(failure, attempt)
	if deadline, ok := ctx.Deadline(); !failure.MaySucceedLater() || ok && time.Until(deadline) <= pause {
		return false
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(pause):
		return true
	}
}

// pauseAfter is as long as the server says or a little longer, so that those who were refused together don't come back
// together; and never nothing.
func pauseAfter(failure Failure, attempt int) time.Duration {
	if failure.RetryAfter != nil {
		return time.Duration(float64(max(*failure.RetryAfter, leastPause)) * (1 + 0.5*rand.Float64()))
	}
	doubled := min(200*time.Millisecond<<min(attempt-1, 4), 2*time.Second)
	return time.Duration(float64(doubled) * (0.8 + 0.4*rand.Float64()))
}
