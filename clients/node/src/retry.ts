// Sends a request again that may be sent again: a lookup, or a commit with a request id.
import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "./errors.js";

const ATTEMPTS = 5;
const LEAST_PAUSE_MS = 10;

/** Calls with the seconds that are left, at most five times, and waits as long as the server says. */
export function retrying<T>(call: (secondsLeft: number) => Promise<T>, seconds: number): Promise<T> {
  return repeat(call, seconds, (failure) => failure.maySucceedLater);
}

/**
 * The same for what changes nothing, but only where the server was too busy: what is unavailable gRPC has repeated
 * itself (see connection.ts), and once is enough.
 */
export function lookup<T>(call: (secondsLeft: number) => Promise<T>, seconds: number): Promise<T> {
  return repeat(call, seconds, (failure) => failure.turnedAway);
}

async function repeat<T>(
  call: (secondsLeft: number) => Promise<T>,
  seconds: number,
  helps: (failure: Failure) => boolean,
): Promise<T> {
  const end = Date.now() + seconds * 1000;
  for (let attempt = 1; ; attempt++) {
    try {
      return await call((end - Date.now()) / 1000);
    } catch (error) {
      const failure = Failure.of(error);
      if (attempt === ATTEMPTS || !helps(failure) || !(await waitToRetry(failure, attempt, end))) {
        throw error;
      }
    }
  }
}

/** Waits before the next attempt; false if that can't help, or would be too late. */
export async function waitToRetry(failure: Failure, attempt: number, end: number): Promise<boolean> {
  const pause = pauseAfter(failure, attempt);
  if (!failure.maySucceedLater || Date.now() + pause >= end) {
    return false;
  }
  await sleep(pause);
  return true;
}

/** As long as the server says or a little longer: who was refused together must not come back together. */
export function pauseAfter(failure: Failure, attempt: number): number {
  if (failure.retryAfterMs !== undefined) {
    return Math.max(failure.retryAfterMs, LEAST_PAUSE_MS) * (1 + 0.5 * Math.random());
  }
  return Math.min(200 * 2 ** (attempt - 1), 2000) * (0.8 + 0.4 * Math.random());
}
