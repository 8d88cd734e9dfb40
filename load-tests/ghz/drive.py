"""Runs scenarios of scenarios.json by ghz, each beside the method that does nothing, and judges them. Started by
load-tests/ghz/run, which builds what is needed."""

import argparse
import collections
import datetime
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time

import wire
from server import Server

HERE = pathlib.Path(__file__).resolve().parent
TOPIC = "orders"
PARTITIONS = 1000
BEGIN_MS = 1_700_000_000_000
STEP_MS = 1_000
RECORDS = 60
PER_APPEND = 20
QUICK = {"seconds": 2, "rounds": 1}
QUICK_SOAK_SECONDS = 6
SOAK_PARTS = 3
# So short a run says little of times: only what is out of all proportion fails it.
QUICK_SLACK = 20
RESOLVE = "whence.v1.ResolverService.ResolveTimestamp"
STREAM = "whence.v1.ResolverService.StreamResolveTimestamp"
NOOP = "whence.bench.NoOpService."
FINE = {"outcome": ("found",), "result": ("committed", "unchanged")}
COMMIT = "whence.v1.GroupOffsetsService.CommitOffset"


class Ghz:
    """One kind of call, as ghz is told to make it."""

    def __init__(self, program, scratch):
        self.program, self.scratch, self.count = program, scratch, 0
        self.answered = collections.Counter()

    def start(self, port, call, data, shape):
        self.count += 1
        request = self.scratch / f"request-{self.count}.bin"
        request.write_bytes(data)
        config = {
            "proto": str(HERE / "proto" / ("noop.proto" if ".bench." in call else "whence.proto")),
            "import-paths": [str(HERE / "proto")],
            "call": call,
            "host": f"127.0.0.1:{port}",
            "insecure": True,
            "binary-file": str(request),
            "concurrency": shape["concurrency"],
            "connections": shape["connections"],
            "format": "json",
            # A call that gets no answer fails, also one that is under way at the end.
            "duration-stop": "wait",
            "timeout": "10s",
        }
        if "calls" in shape:
            config["total"] = shape["calls"]
        else:
            config["duration"] = f"{shape['seconds']}s"
        if "rate" in shape:
            config["rps"] = shape["rate"]
        file = self.scratch / f"ghz-{self.count}.json"
        file.write_text(json.dumps(config))
        process = subprocess.Popen([self.program, "--config", file], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.method = call.rsplit(".", 1)[1]
        return process

    def result(self, process):
        out, err = process.communicate()
        if process.returncode != 0:
            raise RuntimeError(f"ghz failed: {err.decode()}{out.decode()[:500]}")
        result = Result(json.loads(out))
        self.answered[process.method] += result.statuses.get("OK", 0)
        return result

    def run(self, *args):
        return self.result(self.start(*args))


class Result:
    """What ghz saw, in ms."""

    def __init__(self, said):
        self.statuses = {name: count for name, count in said["statusCodeDistribution"].items()}
        self.calls = sum(self.statuses.values())
        latencies = {one["percentage"]: one["latency"] / 1e6 for one in said.get("latencyDistribution") or []}
        self.p50, self.p99 = latencies.get(50, 0.0), latencies.get(99, 0.0)
        self.slowest, self.rate = said.get("slowest", 0) / 1e6, said["rps"]

    def failed(self, allowed=()):
        return {name: count for name, count in self.statuses.items() if name != "OK" and name not in allowed}


def median(results, field):
    return statistics.median(getattr(one, field) for one in results)


class Scenario:
    def __init__(self, name, settings, quick):
        self.name, self.shape, self.slack = name, dict(settings), QUICK_SLACK if quick else 1
        if quick:
            self.shape.update(QUICK)
            if name == "soak":
                self.shape["seconds"] = QUICK_SOAK_SECONDS
        self.rounds = self.shape.get("rounds", 1 if name in ("soak", "overload") else 3)
        self.request = wire.resolve(TOPIC, self.shape["partitions"], BEGIN_MS + RECORDS // 2 * STEP_MS)
        self.failures, self.whence, self.noop, self.more = [], [], [], {}

    def run(self, ghz, jar, data):
        if self.name == "cold-start":
            self.cold(ghz, jar, data)
        else:
            with Server(jar, data, self.shape.get("settings")) as server:
                ghz.answered.clear()
                self.store(server)
                self.warm_up(ghz, server)
                for _ in range(self.rounds):
                    self.round(ghz, server)
                self.require_right(wire.call(server.port, "whence.v1.ResolverService/ResolveTimestamp", self.request))
                self.compare(ghz, server)
        self.judge()

    def require_right(self, answer):
        """The record asked for is in the middle of each partition."""
        wrong = {part: at for part, at in wire.offsets(answer).items() if at != RECORDS // 2}
        if wrong or len(wire.offsets(answer)) != self.shape["partitions"]:
            raise RuntimeError(f"{self.name}: wrong answers, by partition: {wrong}")

    def compare(self, ghz, server):
        """What ghz had for an answer the server must have counted, and nothing in it may have failed."""
        singles = {"ResolveTimestamp": 2, "CommitOffset": 1 if "commit" in self.shape else 0}
        for method in ("ResolveTimestamp", "StreamResolveTimestamp", "CommitOffset"):
            had = ghz.answered[method] + singles.get(method, 0)
            counted = server.metric("whence_calls_seconds_count", rpc=method, status="OK")
            self.expect(had == counted, f"{method}: {had} had an answer, {counted:.0f} were answered")
        for metric, label in (("whence_answers_total", "outcome"), ("whence_commits_total", "result")):
            failed = server.metric(metric) - sum(server.metric(metric, **{label: fine}) for fine in FINE[label])
            self.expect(failed == 0, f"{failed:.0f} of {metric} are none of {', '.join(FINE[label])}")

    def store(self, server):
        """Gives the method that does nothing the very answer to this request."""
        answer = wire.call(server.port, "whence.v1.ResolverService/ResolveTimestamp", self.request)
        self.require_right(answer)
        wire.call(server.port, "whence.bench.NoOpService/Store0", answer)
        if "commit" in self.shape:
            self.commit = wire.commit("load", TOPIC, self.shape["commit"]["partitions"], RECORDS)
            answer = wire.call(server.port, "whence.v1.GroupOffsetsService/CommitOffset", self.commit)
            wire.call(server.port, "whence.bench.NoOpService/Store1", answer)

    def warm_up(self, ghz, server):
        shape = dict(self.shape, seconds=min(5, self.shape["seconds"]))
        shape.pop("rate", None)
        ghz.run(server.port, RESOLVE, self.request, shape)
        ghz.run(server.port, NOOP + "Answer0", self.request, shape)

    def round(self, ghz, server):
        if self.name == "stream":
            count = self.shape["messages"]
            requests = [wire.stream_request(tag, self.request) for tag in range(1, count + 1)]
            delimited = b"".join(wire.varint(len(one)) + one for one in requests)
            self.whence.append(ghz.run(server.port, STREAM, delimited, self.shape))
        elif self.name == "mixed":
            self.whence.append(self.both(ghz, server, RESOLVE, COMMIT, "commits"))
            self.noop.append(self.both(ghz, server, NOOP + "Answer0", NOOP + "Answer1"))
            return
        elif self.name == "soak":
            self.soak(ghz, server)
        elif self.name == "overload":
            self.overload(ghz, server)
        else:
            self.whence.append(ghz.run(server.port, RESOLVE, self.request, self.shape))
        beside = dict(self.shape, seconds=min(60, self.shape["seconds"]))
        self.noop.append(ghz.run(server.port, NOOP + "Answer0", self.request, beside))

    def both(self, ghz, server, lookup, commit, keep=None):
        shape = dict(self.shape["commit"], seconds=self.shape["seconds"])
        commits = ghz.start(server.port, commit, self.commit, shape)
        lookups = ghz.run(server.port, lookup, self.request, self.shape)
        committed = ghz.result(commits)
        self.expect(not committed.failed(), f"commits failed: {committed.failed()}")
        if keep:
            self.more["commits p99 ms"] = round(committed.p99, 2)
        return lookups

    def overload(self, ghz, server):
        """First what the server can do, then calls at a multiple of that, then callers that call again at once."""
        self.capacity = 0
        for callers in self.shape["callers_within"]:
            within = ghz.run(server.port, RESOLVE, self.request, dict(self.shape, concurrency=callers))
            self.expect(not within.failed(), f"{callers} callers: calls failed: {within.failed()}")
            self.capacity = max(self.capacity, within.rate)
        rate = round(self.shape["times_capacity"] * self.capacity)
        self.whence.append(ghz.run(server.port, RESOLVE, self.request, dict(self.shape, rate=rate)))
        self.storm = ghz.run(server.port, RESOLVE, self.request, self.shape)

    def judge_overload(self):
        passes, loaded = self.shape["passes"], self.whence[0]
        self.more["within capacity calls/s"] = round(self.capacity)
        for what, result, least in (
            ("answered/s", loaded, passes["goodput_at_least"]),
            ("answered/s in the storm", self.storm, passes["goodput_in_storm_at_least"]),
        ):
            failed = result.failed(self.shape["allowed"])
            self.expect(not failed, f"calls failed: {failed}")
            answered = result.rate * result.statuses.get("OK", 0) / max(result.calls, 1)
            self.more[what] = round(answered)
            self.expect(
                answered * self.slack >= least * self.capacity,
                f"{what}: {answered:.0f}, less than {least} of {self.capacity:.0f}",
            )
        refused = loaded.statuses.get("ResourceExhausted", 0) / max(loaded.calls, 1)
        self.more["refused %"] = round(100 * refused, 1)
        least = passes["refused_share_at_least"]
        self.expect(refused * self.slack >= least, f"{refused:.2f} were refused, less than {least}: no overload")

    def soak(self, ghz, server):
        """Three parts; what is there after the first counts as warm."""
        part, passes = dict(self.shape, seconds=self.shape["seconds"] / SOAK_PARTS), self.shape["passes"]
        parts = [ghz.run(server.port, RESOLVE, self.request, part)]
        warm = server.figures()
        parts += [ghz.run(server.port, RESOLVE, self.request, part) for _ in range(SOAK_PARTS - 1)]
        end = server.figures()
        self.whence += parts
        self.more["minutes"] = round(self.shape["seconds"] / 60, 1)
        self.more["p99 ms of each third"] = " → ".join(f"{one.p99:.2f}" for one in parts)
        grown = self.slack * passes["p99_growth"]
        self.expect(parts[-1].p99 <= grown * parts[0].p99, f"p99 grew: {self.more['p99 ms of each third']}")
        asked = self.shape["rate"] * self.shape["seconds"]
        made = sum(one.calls for one in parts)
        self.expect(made >= passes["calls_at_least"] * asked, f"{made} calls of {asked:.0f}")
        for what in ("heap", "resident"):
            self.more[f"{what} MiB"] = f"{warm[what] >> 20} → {end[what] >> 20}"
            most = max(warm[what] * passes["memory_growth"], warm[what] + passes["memory_growth_mib"] * (1 << 20))
            self.expect(end[what] <= most, f"{what} grew")
        for what in ("files", "threads"):
            self.more[what] = f"{warm[what]} → {end[what]}"
            self.expect(end[what] <= warm[what] + passes[f"{what}_growth"], f"{what} grew")

    def cold(self, ghz, jar, data):
        ready = []
        for _ in range(self.rounds):
            with Server(jar, data) as server:
                ready.append(server.ready_seconds)
                self.whence.append(ghz.run(server.port, RESOLVE, self.request, self.shape))
            with Server(jar, data) as server:
                self.store(server)
                self.noop.append(ghz.run(server.port, NOOP + "Answer0", self.request, self.shape))
        self.more["ready s"] = round(statistics.median(ready), 2)
        self.more["slowest ms"] = round(max(one.slowest for one in self.whence), 1)
        self.expect(max(ready) <= self.shape["passes"]["ready_seconds"], f"ready after {max(ready):.1f} s")

    def expect(self, good, problem):
        if not good:
            self.failures.append(problem)

    def judge(self):
        passes, allowed = self.shape["passes"], self.shape.get("allowed", ())
        for one in self.whence + ([] if allowed else self.noop):
            self.expect(one.calls > 0, "no call was answered")
            self.expect(not one.failed(allowed), f"calls failed: {one.failed(allowed)}")
        each = self.shape.get("messages", 1)
        for quantile in ("p50", "p99"):
            ratio = median(self.whence, quantile) / each / max(median(self.noop, quantile), 1e-3)
            most = self.slack * passes.get(f"{quantile}_of_noop", float("inf"))
            self.expect(ratio <= most, f"{quantile} is {ratio:.2f} times that of the no-op, above {most}")
        if "slowest_ms" in passes:
            slowest = max(one.slowest for one in self.whence)
            self.expect(slowest <= self.slack * passes["slowest_ms"], f"the slowest call took {slowest:.0f} ms")
        if self.name == "overload":
            self.judge_overload()

    def figures(self):
        """Returns what was measured, by name; times in ms, those of a stream per request."""
        each = self.shape.get("messages", 1)
        figures = {"passed": not self.failures, "failures": list(dict.fromkeys(self.failures))}
        for who, results, per in (("whence", self.whence, each), ("noop", self.noop, 1)):
            figures[who] = {
                "p50_ms": median(results, "p50") / per,
                "p99_ms": median(results, "p99") / per,
                "calls_per_second": median(results, "rate") * per,
            }
        return figures | {"besides": self.more}

    def row(self):
        figures = self.figures()
        whence, noop = figures["whence"], figures["noop"]
        cells = [self.name]
        for quantile in ("p50_ms", "p99_ms"):
            cells += [f"{whence[quantile]:.2f}", f"{noop[quantile]:.2f}"]
        cells += [f"{whence['calls_per_second']:.0f}", f"{noop['calls_per_second']:.0f}"]
        cells.append(", ".join(f"{name} {value}" for name, value in self.more.items()) or "–")
        cells.append("passed" if figures["passed"] else "**failed**: " + "; ".join(figures["failures"]))
        return "| " + " | ".join(cells) + " |"


HEADING = (
    "| scenario | p50 ms | no-op | p99 ms | no-op | calls/s | no-op | besides | |",
    "| --- | --: | --: | --: | --: | --: | --: | --- | --- |",
)


def conditions():
    day = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%MZ")
    load = os.getloadavg()[0]
    return f"{day}; {os.cpu_count()} processors, {platform.machine()}; load {load:.1f} before"


def write_docs(scenarios, chosen, measured):
    """Puts rows where README.md has marks for them; those of other scenarios stay, with their dates."""
    readme = HERE / "README.md"
    before, rest = readme.read_text().split("<!-- begin results -->", 1)
    old, after = rest.split("<!-- end results -->", 1)
    rows = {line.split(" | ")[0].strip("| "): line for line in old.splitlines() if line.startswith("| ")}
    rows |= {one.name: f"{one.row()} {measured} |" for one in chosen}
    heading = [line + last for line, last in zip(HEADING, (" measured |", " --- |"))]
    table = [*heading, *(rows[name] for name in scenarios if name in rows)]
    readme.write_text(before + "<!-- begin results -->\n\n" + "\n".join(table) + "\n\n<!-- end results -->" + after)


def fill(server):
    wire.call(server.port, "whence.v1.LogService/CreateTopic", wire.create_topic(TOPIC, PARTITIONS))
    for first in range(0, RECORDS, PER_APPEND):
        times = [BEGIN_MS + number * STEP_MS for number in range(first, first + PER_APPEND)]
        answer = wire.call(server.port, "whence.v1.LogService/Append", wire.append(TOPIC, PARTITIONS, times))
        if wire.errors(answer) != (0, PARTITIONS):
            raise RuntimeError(f"appends failed, of how many: {wire.errors(answer)}")


def main():
    scenarios = json.loads((HERE / "scenarios.json").read_text())
    parser = argparse.ArgumentParser(prog="load-tests/ghz/run")
    parser.add_argument("--ghz", required=True)
    parser.add_argument("--jar", required=True)
    parser.add_argument("--dir", required=True, type=pathlib.Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--write-docs", action="store_true")
    parser.add_argument("--soak-minutes", type=float)
    parser.add_argument("scenarios", nargs="*")
    args = parser.parse_args()
    if args.quick and args.write_docs:
        parser.error("--quick says nothing of speed: it has no place in documents")
    unknown = [name for name in args.scenarios if name not in scenarios]
    if unknown:
        parser.error(f"no such scenario: {', '.join(unknown)}; there are {', '.join(scenarios)}")
    if args.soak_minutes:
        if args.write_docs and 60 * args.soak_minutes < scenarios["soak"]["seconds"]:
            parser.error(f"a soak of {args.soak_minutes:g} minutes is none: it has no place in documents")
        scenarios["soak"]["seconds"] = round(60 * args.soak_minutes)
    chosen = [Scenario(name, scenarios[name], args.quick) for name in args.scenarios or scenarios]
    measured = conditions()
    args.dir.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=args.dir) as scratch:
        scratch = pathlib.Path(scratch)
        data = scratch / "data"
        with Server(args.jar, data) as server:
            fill(server)
        ghz = Ghz(args.ghz, scratch)
        print("\n".join(HEADING), flush=True)
        for scenario in chosen:
            scenario.run(ghz, args.jar, data)
            print(scenario.row(), flush=True)
    if args.json:
        args.json.write_text(json.dumps({one.name: one.figures() for one in chosen}, indent=2) + "\n")
    failed = any(one.failures for one in chosen)
    if args.write_docs and not failed:
        write_docs(scenarios, chosen, measured)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
