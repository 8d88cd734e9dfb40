"""Load by the client in Python: calls until standard input ends, then prints what became of them, as JSON.

Uses the channel, the retry policy and the errors of clients/python; run with that on the PYTHONPATH.
"""

import collections
import json
import random
import sys
import threading
import time
import uuid

import grpc
from whence.v1 import common_pb2, errors_pb2, group_offsets_service_pb2, resolver_service_pb2

from whence_example import connection
from whence_example.errors import Failure
from whence_example.retry import retrying

SHOWN = 20
LOOKUPS = [("one", 6), ("hundred", 1), ("window", 3)]
FOUND = common_pb2.OUTCOME_FOUND
AFTER_END = common_pb2.OUTCOME_AFTER_END
COMMITTED = group_offsets_service_pb2.COMMIT_OUTCOME_COMMITTED


class Wrong(Exception):
    """An answer is not what it must be."""


class Refused(Exception):
    """A commit was refused, or a partition has no answer."""

    def __init__(self, error):
        super().__init__(f"{errors_pb2.ErrorReason.Name(error.reason)}: {error.message}")


class Tally:
    """What became of the calls. Thread-safe."""

    def __init__(self):
        self.lock = threading.Lock()
        self.calls, self.failures = collections.Counter(), collections.Counter()
        self.shown, self.wrong, self.micros = [], [], collections.defaultdict(list)
        self.sent_again, self.missed, self.made_before = 0, 0, 0

    def answered(self, kind, seconds):
        with self.lock:
            self.calls[kind] += 1
            self.micros[kind].append(round(seconds * 1e6))

    def failed(self, kind, status, reason, text, seconds):
        with self.lock:
            self.calls[kind] += 1
            self.failures[f"{kind} {status} {reason}".strip()] += 1
            if len(self.shown) < SHOWN:
                self.shown.append(f"{kind} after {seconds * 1e3:.0f} ms: {text}")

    def is_wrong(self, kind, text):
        with self.lock:
            self.calls[kind] += 1
            self.wrong.append(f"{kind}: {text}")


class Known:
    """Where each moment lies: record i of partition p was made at start + p + i * step."""

    def __init__(self, plan):
        self.start, self.step, self.records = plan["start_ms"], plan["step_ms"], plan["records"]

    def at_or_after(self, partition, moment):
        """Returns the offset, as many as there are records if all were made before."""
        index = -((self.start + partition - moment) // self.step)
        return min(max(index, 0), self.records)

    def any_moment(self):
        return self.start + random.randrange(-self.step, (self.records + 1) * self.step)


def require_answers(result):
    for one in (result, *result.answers):
        if one.HasField("error"):
            raise Refused(one.error)


class Caller:
    """Makes the calls of one thread."""

    def __init__(self, plan, stubs, tally, number):
        self.plan, self.stubs, self.tally, self.known = plan, stubs, tally, Known(plan)
        self.group = f"{plan['run']}-python-{number}"
        self.commits, self.committed = 0, {}

    def call(self, kind):
        began = time.monotonic()
        try:
            getattr(self, kind)()
            self.tally.answered(kind, time.monotonic() - began)
        except Wrong as wrong:
            self.tally.is_wrong(kind, str(wrong))
        except Refused as refused:
            self.tally.failed(kind, "REFUSED", str(refused).split(":")[0], str(refused), time.monotonic() - began)
        except grpc.RpcError as error:
            failure = Failure.of(error)
            self.tally.failed(kind, failure.status, failure.reason, str(failure), time.monotonic() - began)

    def one(self):
        self.resolve([random.randrange(self.plan["partitions"])])

    def hundred(self):
        self.resolve(list(range(self.plan["partitions"])))

    def resolve(self, partitions):
        moment = self.known.any_moment()
        position = resolver_service_pb2.Position(at_or_after=common_pb2.TimePoint(epoch_ms=moment))
        query = resolver_service_pb2.TimestampQuery(topic=self.plan["topic"], partitions=partitions, position=position)
        request = resolver_service_pb2.ResolveTimestampRequest(source=self.plan["source"], queries=[query])
        response = self.stubs.resolver.ResolveTimestamp(request, timeout=self.plan["timeout"])
        require_answers(response.results[0])
        answers = response.results[0].answers
        if [answer.partition for answer in answers] != partitions:
            raise Wrong(f"{moment} ms: {len(answers)} answers for {len(partitions)} partitions")
        for answer in answers:
            wanted = self.known.at_or_after(answer.partition, moment)
            outcome = FOUND if wanted < self.plan["records"] else AFTER_END
            if answer.outcome != outcome or (outcome == FOUND and answer.offset != wanted):
                raise Wrong(f"{moment} ms lies at {wanted} of partition {answer.partition}, not: {answer}")

    def window(self):
        partition, step = random.randrange(self.plan["partitions"]), self.known.step
        first = self.known.start + random.randrange(self.known.records // 2) * step
        last = first + random.randrange(1, self.known.records // 2) * step
        query = resolver_service_pb2.WindowQuery(
            topic=self.plan["topic"], partitions=[partition], to=common_pb2.TimePoint(epoch_ms=last)
        )
        getattr(query, "from").epoch_ms = first
        request = resolver_service_pb2.ResolveWindowRequest(source=self.plan["source"], queries=[query])
        response = self.stubs.resolver.ResolveWindow(request, timeout=self.plan["timeout"])
        require_answers(response.results[0])
        answer = response.results[0].answers[0]
        start, end = self.known.at_or_after(partition, first), self.known.at_or_after(partition, last)
        got = (answer.outcome, answer.range.start_offset, answer.range.end_offset, answer.record_count)
        if got != (FOUND, start, end, end - start):
            raise Wrong(f"[{first}, {last}) ms is {start}..{end} of partition {partition}, not: {answer}")

    def commit(self):
        """The next offset of the next partition, guarded by the one that was acknowledged before."""
        partition = self.commits % self.plan["partitions"]
        before = self.committed.get(partition)
        entry = group_offsets_service_pb2.CommitEntry(
            topic=self.plan["topic"],
            partition=partition,
            next_offset=(before or 0) + 1,
            expected_offset=before,
            expect_no_offset=before is None,
        )
        request = group_offsets_service_pb2.CommitOffsetRequest(
            source=self.plan["source"], group=self.group, entries=[entry], request_id=str(uuid.uuid4())
        )
        tries = 0

        def send(left):
            nonlocal tries
            tries += 1
            return self.stubs.groups.CommitOffset(request, timeout=left)

        try:
            result = retrying(send, self.plan["timeout"]).results[0]
        finally:
            with self.tally.lock:
                self.tally.sent_again += tries - 1
        made_before = tries > 1 and result.HasField("offset_now") and result.offset_now == entry.next_offset
        if result.outcome != COMMITTED and not made_before:
            raise Refused(result.error)
        with self.tally.lock:
            self.tally.made_before += result.outcome != COMMITTED
        self.committed[partition] = entry.next_offset
        self.commits += 1


def keep_calling(caller, kinds, interval, stop):
    """At fixed times; what is late by more than a second isn't sent."""
    names, weights = zip(*kinds)
    due = time.monotonic() + random.random() * interval
    while not stop.wait(max(0, due - time.monotonic())):
        caller.call(random.choices(names, weights)[0])
        due += interval
        if (late := time.monotonic() - due) > 1:
            missed = int(late / interval)
            due += missed * interval
            with caller.tally.lock:
                caller.tally.missed += missed


def main():
    plan = json.loads(sys.argv[1])
    connection.SERVICE_CONFIG["healthCheckConfig"] = {"serviceName": "whence.v1.ResolverService"}
    tally, stop = Tally(), threading.Event()
    with connection.Target("ipv4:" + ",".join(plan["addresses"])).open() as channel:
        stubs = connection.Stubs(channel)
        looking = [Caller(plan, stubs, tally, number) for number in range(plan["callers"])]
        committing = [Caller(plan, stubs, tally, number) for number in range(plan["committers"])]
        threads = [
            threading.Thread(target=keep_calling, args=(caller, kinds, len(callers) / rate, stop), daemon=True)
            for callers, kinds, rate in (
                (looking, LOOKUPS, plan["lookups"]),
                (committing, [("commit", 1)], plan["commits"]),
            )
            for caller in callers
        ]
        for thread in threads:
            thread.start()
        sys.stdin.read()
        stop.set()
        for thread in threads:
            thread.join()
    result = {
        "calls": tally.calls,
        "failures": tally.failures,
        "shown": tally.shown,
        "wrong": len(tally.wrong),
        "wrong_shown": tally.wrong[:SHOWN],
        "sent_again": tally.sent_again,
        "made_before": tally.made_before,
        "missed": tally.missed,
        "micros": tally.micros,
        "committed": {caller.group: caller.committed for caller in committing},
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
