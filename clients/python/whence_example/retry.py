"""Sends a request again that may be sent again: a lookup, or a commit with a request id."""

import random
import time
from collections.abc import Callable
from typing import TypeVar

import grpc

from whence_example.errors import Failure

ATTEMPTS = 5
LEAST_PAUSE_SECONDS = 0.01
T = TypeVar("T")


def retrying(call: Callable[[float], T], deadline_seconds: float) -> T:
    """Calls with the seconds that are left, at most five times, and waits as long as the server says."""
    return _repeat(call, deadline_seconds, lambda failure: failure.may_succeed_later)


def lookup(call: Callable[[float], T], deadline_seconds: float) -> T:
    """The same for what changes nothing, but only where the server was too busy.

    What is unavailable gRPC has repeated itself (see connection.py), and once is enough.
    """
    return _repeat(call, deadline_seconds, lambda failure: failure.turned_away)


def _repeat(call: Callable[[float], T], deadline_seconds: float, helps: Callable[[Failure], bool]) -> T:
    end = time.monotonic() + deadline_seconds
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return call(end - time.monotonic())
        except grpc.RpcError as error:
            failure = Failure.of(error)
            if attempt == ATTEMPTS or not helps(failure) or not wait_to_retry(failure, attempt, end):
                raise
    raise AssertionError("unreachable")


def wait_to_retry(failure: Failure, attempt: int, end: float) -> bool:
    """Waits before the next attempt; False if that can't help, or would be too late."""
    pause = pause_after(failure, attempt)
    if not failure.may_succeed_later or time.monotonic() + pause >= end:
        return False
    time.sleep(pause)
    return True


def pause_after(failure: Failure, attempt: int) -> float:
    """As long as the server says or a little longer: who was refused together must not come back together."""
    if failure.retry_after_seconds is not None:
        return max(failure.retry_after_seconds, LEAST_PAUSE_SECONDS) * random.uniform(1, 1.5)
    return min(0.2 * 2 ** min(attempt - 1, 4), 2) * random.uniform(0.8, 1.2)
