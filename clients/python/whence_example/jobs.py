"""The jobs: a window and its records, a guarded commit, lag in time, a watch. Each yields lines of text."""

import time as clock
import uuid
from collections.abc import Iterator

import grpc
from whence.v1 import common_pb2, errors_pb2, group_offsets_service_pb2, log_service_pb2, resolver_service_pb2

from whence_example.connection import Stubs
from whence_example.errors import Failure
from whence_example.retry import lookup, retrying, wait_to_retry

Outcome = common_pb2.Outcome


class Refused(Exception):
    """Some partition failed; the lines say which and why."""


def moment(text: str) -> common_pb2.TimePoint:
    """RFC 3339 with an offset, or digits: epoch milliseconds. The server refuses what looks like seconds."""
    if text.isascii() and text.isdigit() and int(text) < 1 << 63:
        return common_pb2.TimePoint(epoch_ms=int(text))
    return common_pb2.TimePoint(rfc3339=text)


def window(stubs: Stubs, source: str, topic: str, start: str, end: str, records: int, timeout: float) -> Iterator[str]:
    """Tells where the records of [start, end) lie in all partitions, and reads the first of each from there."""
    query = resolver_service_pb2.WindowQuery(topic=topic, to=moment(end))
    getattr(query, "from").CopyFrom(moment(start))  # "from" is a word of Python
    request = resolver_service_pb2.ResolveWindowRequest(source=source, queries=[query])
    result = lookup(lambda left: stubs.resolver.ResolveWindow(request, timeout=left), timeout).results[0]
    if result.HasField("error"):
        yield f"{topic} {failed(result.error)}"
        raise Refused
    yield f"{topic}: [{result.from_ms}, {result.to_ms}) ms"
    count, found, refused = 0, 0, False
    for answer in result.answers:
        name = f"{topic}-{answer.partition}"
        if answer.outcome == Outcome.OUTCOME_FOUND:
            found, count = found + 1, count + answer.record_count
            span = answer.range
            yield (
                f"{name} FOUND {span.start_offset}..{span.end_offset}:"
                f" {answer.record_count} records, {answer.outside_count} outside"
            )
            yield from read(stubs, source, topic, answer.partition, span, records, timeout)
        elif answer.outcome == Outcome.OUTCOME_FAILED:
            refused = True
            yield f"{name} {failed(answer.error)}"
        else:
            yield f"{name} {word(Outcome, answer.outcome)}"
    yield f"sum: {count} records in {found} of {result.partition_count} partitions"
    if refused:
        raise Refused


def read(stubs: Stubs, source: str, topic: str, partition: int, span, records: int, timeout: float) -> Iterator[str]:
    """Starts at the start of a range, and stops at its end or after so many records."""
    offset = span.start_offset
    while records > 0 and offset < span.end_offset:
        request = log_service_pb2.ReadRequest(
            source=source, topic=topic, partition=partition, offset=offset, max_records=min(records, 1000)
        )
        page = lookup(lambda left: stubs.logs.Read(request, timeout=left), timeout)
        if page.next_offset == offset:
            return
        for record in page.records:
            if record.info.offset < span.end_offset:
                text = f"{record.key.decode(errors='replace')}={record.value.decode(errors='replace')}"
                yield f"  {record.info.offset} at {record.info.timestamp_ms} ms: {text}"
        records -= len(page.records)
        offset = page.next_offset


def commit(stubs: Stubs, source: str, group: str, entry, request_id: str | None, timeout: float) -> Iterator[str]:
    """Commits one offset. With the request id, sending it again after a lost answer commits nothing twice.

    That is so where the same server gets it. In front of a followed cluster each server remembers only what it answered
    itself: send what you expect, too, and another one refuses with CONFLICT what is done already.
    """
    request = group_offsets_service_pb2.CommitOffsetRequest(
        source=source, group=group, entries=[entry], request_id=request_id or str(uuid.uuid4())
    )
    sent = 0

    def send(left: float):
        nonlocal sent
        sent += 1
        return stubs.groups.CommitOffset(request, timeout=left)

    response = retrying(send, timeout)
    result = response.results[0]
    name = f"{result.topic}-{result.partition}"
    if sent > 1 and _is_done(entry, result):
        yield f"{name} COMMITTED -> {result.offset_now} (sent before)"
        return
    if result.HasField("error"):
        yield f"{name} {failed(result.error)}"
        raise Refused
    before = result.offset_before if result.HasField("offset_before") else "none"
    outcome = word(group_offsets_service_pb2.CommitOutcome, result.outcome)
    yield f"{name} {outcome} {before} -> {result.offset_now}{' (sent before)' if response.replayed else ''}"


def _is_done(entry, result) -> bool:
    """Whether a commit that was sent again is refused because the one before did its work."""
    refused = result.error.reason == errors_pb2.ERROR_REASON_CONFLICT
    return refused and result.HasField("offset_now") and result.offset_now == entry.next_offset


def lag(stubs: Stubs, source: str, group: str, timeout: float) -> Iterator[str]:
    """Tells how far a group is behind, in records and in time."""
    query = group_offsets_service_pb2.GroupQuery(group=group)
    request = group_offsets_service_pb2.GetGroupLagRequest(source=source, queries=[query])
    result = lookup(lambda left: stubs.groups.GetGroupLag(request, timeout=left), timeout).results[0]
    if result.HasField("error"):
        yield f"{group} {failed(result.error)}"
        raise Refused
    if not result.exists:
        yield f"{group} has committed nothing"
        raise Refused
    for part in result.partitions:
        yield f"{part.topic}-{part.partition} {_lag_of(part)}"
    total = result.sum
    yield f"sum: {total.record_lag} records in {total.partition_count} partitions, span {total.max_span_ms} ms"


def _lag_of(part) -> str:
    if part.HasField("error"):
        return failed(part.error)
    text = word(group_offsets_service_pb2.LagStatus, part.status)
    if part.HasField("record_lag"):
        text += f": {part.record_lag} records"
    if part.HasField("span_ms"):
        text += f", span {part.span_ms} ms"
    if part.HasField("staleness_ms"):
        text += f", waiting for {part.staleness_ms} ms"
    return text


def watch(stubs: Stubs, source: str, topic: str, time: str, timeout: float) -> Iterator[str]:
    """Tells, per partition and then for all, that a moment has been reached. The deadline ends the wait.

    A connection that grows too old does not, nor does a server that stops: asked again, it tells of all partitions
    again, and those that we told of are left out.
    """
    end = clock.monotonic() + timeout
    request = resolver_service_pb2.WatchTimestampRequest(source=source)
    request.queries.add(topic=topic, time=moment(time))
    told: set[str] = set()
    attempt = 0
    while True:
        attempt += 1
        try:
            for event in stubs.resolver.WatchTimestamp(request, timeout=end - clock.monotonic()):
                name, text = _told_by(event)
                if name == "started":
                    attempt = 1
                    same_moment = common_pb2.TimePoint(epoch_ms=event.started.target_timestamp_ms[0])
                    request.queries[0].time.CopyFrom(same_moment)
                if name and name not in told:
                    told.add(name)
                    yield text
                if event.done.failed_count:
                    raise Refused
            return
        except grpc.RpcError as error:
            if not wait_to_retry(Failure.of(error), attempt, end):
                raise


def _told_by(event) -> tuple[str, str]:
    """What an event is about, and the line that tells of it."""
    kind = event.WhichOneof("event")
    if kind == "started":
        started = event.started
        return kind, f"watching {started.partition_count} partitions for {started.target_timestamp_ms[0]} ms"
    if kind == "partition":
        answer = event.partition.answer
        name = f"{event.partition.topic}-{answer.partition}"
        what = failed(answer.error) if answer.HasField("error") else f"reached at {answer.offset}"
        return name, f"{name} {what}"
    if kind == "done":
        return kind, f"done: {event.done.reached_count} reached, {event.done.failed_count} failed"
    return "", ""


def failed(error) -> str:
    return f"FAILED {word(errors_pb2.ErrorReason, error.reason)}: {error.message}"


def word(enum, value: int) -> str:
    """The name of an enum's value, without its prefix; a number for one that is newer than this client."""
    prefix = enum.Name(0).removesuffix("UNSPECIFIED")
    return enum.Name(value).removeprefix(prefix) if value in enum.values() else str(value)
