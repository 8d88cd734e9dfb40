"""Restarts servers under load by real clients, and judges what became of the calls; load-tests/restarts starts it."""

import argparse
import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid

import servers
import verdict

HERE = pathlib.Path(__file__).resolve().parent
TOPIC, PARTITIONS, RECORDS, START_MS, STEP_MS = "orders", 100, 1000, 1709964000000, 1000
COMMITS_PER_SECOND = 15  # of each client
COMMITTERS = 4
# Of all calls, how many by which client, and by how many callers at a time.
SHARES = {"go": (0.75, 96), "node": (0.1, 32), "python": (0.15, 32)}
# What deployments say of these is what servers get here.
SHUTDOWN = {
    "WHENCE_SHUTDOWN_DELAY": "whence.shutdown.delay",
    "WHENCE_SHUTDOWN_GRACE": "whence.shutdown.grace",
}
CONNECTIONS = {
    "WHENCE_GRPC_MAX_CONNECTION_AGE": "whence.grpc.max-connection-age",
    "WHENCE_GRPC_MAX_CONNECTION_AGE_GRACE": "whence.grpc.max-connection-age-grace",
}
WARM_UP_SECONDS = {False: 5, True: 3}
# The sleep of preStop there: the service loses a node, which goes on serving.
PRE_STOP_SECONDS = {False: 5, True: 1}
# A node that was replaced is left alone for as long as minReadySeconds says in k8s/base/stateful-set.yaml.
SETTLE_SECONDS = {False: 10, True: 2}
# With one server there is nobody else to ask while it starts, so calls have to wait.
TIMEOUT_SECONDS = {"one": 60, "rolling": 20}


def say(text):
    print(text, file=sys.stderr, flush=True)


def parse():
    parser = argparse.ArgumentParser(prog="load-tests/restarts")
    for option in ("--home", "--jar", "--class-path", "--dir"):
        parser.add_argument(option, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", choices=("one", "rolling"))
    parser.add_argument("--rate", type=float)
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--kill", action="store_true")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--clients", type=pathlib.Path)
    parser.add_argument("--settings", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    options.rate = options.rate or (600 if options.quick else 2000)
    options.rounds = options.rounds or (1 if options.quick else 3)
    options.clients = (options.clients or pathlib.Path(options.home, "clients")).resolve()
    options.settings = options.settings or pathlib.Path(options.home, "k8s/base/settings.env")
    if options.rate < 100 or options.rounds < 1:
        parser.error("needed: 100 calls a second or more, and a round")
    return options


# ---- clients ----------------------------------------------------------------------------------


class Programs:
    """The load programs: what runs each, with what in its environment."""

    def __init__(self, clients, directory):
        self.clients = clients
        for language, made in (("python", ".venv/bin/python"), ("go", "gen"), ("node", "dist/src/connection.js")):
            if not (clients / language / made).exists():
                say(f"-- building the client in {language}")
                self._run([clients / language / "build"], clients)
        self.python = clients / "python/.venv/bin/python"
        self.python_path = {"PYTHONPATH": f"{clients / 'python/gen'}:{clients / 'python'}"}
        self.commands = {
            "go": ([self._go(directory / "go")], {}),
            "node": (["node", HERE / "load.mjs"], {"CLIENT": str(clients / "node")}),
            "python": ([self.python, HERE / "load.py"], self.python_path),
        }

    def _go(self, build):
        """Our load and the client's connection, errors and retries are one program."""
        client = self.clients / "go"
        build.mkdir()
        for name in ("connection.go", "errors.go", "retry.go", "go.mod", "go.sum"):
            shutil.copy(client / name, build)
        shutil.copytree(client / "gen", build / "gen")
        shutil.copy(HERE / "load.go", build)
        self._run(["go", "build", "-o", "load", "."], build)
        return build / "load"

    def data(self, what, address, plan, text=""):
        command = [self.python, HERE / "data.py", what, address, json.dumps(plan)]
        return self._run(command, self.clients, self.python_path, text)

    def _run(self, command, directory, environment=None, text=""):
        result = subprocess.run(
            list(map(str, command)),
            cwd=directory,
            env=os.environ | (environment or {}),
            input=text,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        if result.returncode:
            raise servers.Failed(f"{command[0]} {command[1:2]}: {result.stdout[-2000:]}{result.stderr[-2000:]}")
        return result.stdout


def plan_of(source, nodes, kind):
    return {
        "addresses": [f"127.0.0.1:{node.port}" for node in nodes],
        "source": source,
        "topic": TOPIC,
        "partitions": PARTITIONS,
        "records": RECORDS,
        "start_ms": START_MS,
        "step_ms": STEP_MS,
        "timeout": TIMEOUT_SECONDS[kind],
        "run": uuid.uuid4().hex[:8],
    }


# ---- a run ------------------------------------------------------------------------------------


def start_all(nodes):
    for node in nodes:
        node.start()
    for node in nodes:
        node.await_ready()


def publish(endpoints, nodes):
    """Tells which nodes are ready, as the names of a headless service do."""
    new = endpoints.with_suffix(".new")
    new.write_text(json.dumps([node.port for node in nodes]))
    new.replace(endpoints)


def restart(nodes, endpoints, clients, options):
    """Stops each node in turn, and starts it again; returns what went wrong, and for how long no node was there."""
    wrong, away = [], 0
    for round_number in range(1, options.rounds + 1):
        for node in nodes:
            if not options.kill:
                publish(endpoints, [other for other in nodes if other is not node])
                time.sleep(PRE_STOP_SECONDS[options.quick])
            took, code = node.stop(options.kill)
            publish(endpoints, [other for other in nodes if other is not node])
            node.start()
            ready = node.await_ready()
            publish(endpoints, nodes)
            away += took + ready if len(nodes) == 1 else 0
            say(f"   round {round_number}: {node.name} ended with {code} after {took:.1f} s, ready {ready:.1f} s later")
            if code and not options.kill:
                wrong.append(f"{node.name} ended with exit code {code}")
            for client in clients:
                client.require_running()
            time.sleep(SETTLE_SECONDS[options.quick])
    return wrong, away


def under_load(nodes, plan, programs, options, directory):
    """Returns what became of the calls, by client, in how many seconds, and what restart returns."""
    endpoints = directory / "endpoints.json"
    publish(endpoints, nodes)
    with contextlib.ExitStack() as stack:
        clients = []
        began = time.monotonic()
        for name, (command, environment) in programs.commands.items():
            share, callers = SHARES[name]
            lookups = options.rate * share - COMMITS_PER_SECOND
            own = {"lookups": lookups, "commits": COMMITS_PER_SECOND, "callers": callers, "committers": COMMITTERS}
            own["endpoints"] = str(endpoints)
            clients.append(servers.Client(name, command, environment, plan | own, directory))
            stack.callback(clients[-1].close)
        time.sleep(WARM_UP_SECONDS[options.quick])
        wrong, away = restart(nodes, endpoints, clients, options)
        for client in clients:
            client.process.stdin.close()
            client.process.stdin = None
        seconds = time.monotonic() - began
        return {client.name: client.finish() for client in clients}, seconds, wrong, away


def judge(title, nodes, plan, outcome, programs, options):
    """Prints what became of the calls; returns it, and why it didn't pass."""
    results, seconds, wrong, away = outcome
    groups = json.dumps([group for result in results.values() for group in result["committed"]])
    lost = []
    for node in nodes:
        found = json.loads(programs.data("committed", f"127.0.0.1:{node.port}", plan, groups))
        lost += [f"{node.name}: {line}" for line in verdict.lost(results, found)]
    asked = {name: options.rate * share for name, (share, _) in SHARES.items()}
    wrong += [*verdict.problems(results, asked, seconds, away, options.kill), *lost]
    wrong += [f"{node.name}: {line}" for node in nodes for line in node.problems()]
    calls = sum(sum(result["calls"].values()) for result in results.values())
    there = seconds - away
    print(f"\n### {title}\n\n{calls} calls in {seconds:.0f} s, of which a server was there for {there:.0f}: ", end="")
    print(f"{calls / there:.0f} a second\n")
    print("\n".join(verdict.table(results, seconds)) + "\n")
    kept = sum(len(offsets) for result in results.values() for offsets in result["committed"].values())
    print(f"- committed offsets looked for on each server at the end: {kept}, lost: {len(lost)}")
    print("".join(f"- {line}\n" for line in [*verdict.failures(results), *wrong]), end="")
    print(f"- {'NOT PASSED' if wrong else 'passed: no call failed, no wrong answer'}", flush=True)
    for result in results.values():
        del result["micros"]
    return {"title": title, "seconds": seconds, "clients": results, "wrong": wrong}


def run(title, kind, source, nodes, options, programs, directory):
    plan = plan_of(source, nodes, kind)
    if source == "embedded":
        programs.data("fill", plan["addresses"][0], plan)
    say(f"-- {title}")
    outcome = under_load(nodes, plan, programs, options, directory)
    return judge(title, nodes, plan, outcome, programs, options)


def one(options, programs, directory, settings):
    """One server that owns its logs."""
    directory.mkdir()
    with contextlib.ExitStack() as stack:
        nodes = [servers.Server("server", os.environ["JAVA"], options.jar, directory, settings)]
        stack.callback(nodes[0].close)
        start_all(nodes)
        return run("Restart of one server", "one", "embedded", nodes, options, programs, directory)


def rolling(options, programs, directory, settings, cluster):
    """Three servers, each of which follows the cluster on its own."""
    directory.mkdir()
    java = os.environ["JAVA"]
    with contextlib.ExitStack() as stack:
        settings = settings | {"whence.embedded.enabled": "false", "whence.kafka.prod.bootstrap": cluster.bootstrap()}
        nodes = []
        for number in range(3):
            own = {"whence.kafka.prod.dir": directory / f"followed-{number}"}
            nodes.append(servers.Server(f"node-{number}", java, options.jar, directory, settings | own))
            stack.callback(nodes[-1].close)
        start_all(nodes)
        title = "Rolling restart of three nodes that follow one Kafka cluster"
        return run(title, "rolling", "prod", nodes, options, programs, directory)


def measure(options, directory, settings):
    programs = Programs(options.clients, directory)
    reports = []
    with contextlib.ExitStack() as stack:
        cluster = None
        if options.only != "one":  # starts while the first half runs
            topic = (TOPIC, PARTITIONS, RECORDS, START_MS, STEP_MS)
            cluster = servers.Cluster(os.environ["JAVA"], options.class_path, options.home, directory, topic)
            stack.callback(cluster.close)
        if options.only != "rolling":
            reports.append(one(options, programs, directory / "one", settings))
        if cluster is not None:
            reports.append(rolling(options, programs, directory / "rolling", settings, cluster))
    return reports


def main():
    options = parse()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    directory = pathlib.Path(tempfile.mkdtemp(prefix="restarts.", dir=options.dir))
    try:
        settings = servers.settings_of(options.settings, SHUTDOWN)
        settings |= servers.settings_of(pathlib.Path(options.home, "k8s/overlays/kafka/settings.env"), CONNECTIONS)
        if options.quick:
            # So that connections come of age in so short a run, too.
            settings |= {"whence.shutdown.delay": "1s", "whence.grpc.max-connection-age": "10s"}
        reports = measure(options, directory, settings)
    except (servers.Failed, OSError) as failed:
        say(f"load-tests/restarts: {failed}")
        return 1
    except KeyboardInterrupt:
        return 130
    finally:
        if options.keep:
            say(f"-- kept: {directory}")
        else:
            shutil.rmtree(directory, ignore_errors=True)
    if options.json:
        options.json.write_text(json.dumps(reports, indent=2) + "\n", encoding="utf-8")
    return 1 if any(report["wrong"] for report in reports) else 0


if __name__ == "__main__":
    sys.exit(main())
