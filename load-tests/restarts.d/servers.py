"""Servers, a Kafka cluster and clients, each in a process of its own, on loopback ports."""

import contextlib
import json
import os
import pathlib
import signal
import socket
import subprocess
import time
import urllib.request

START_SECONDS = 180
STOP_SECONDS = 90
SERVER_OPTIONS = ["-Xms256m", "-Xmx256m", "-XX:+UseG1GC", "-XX:+ExitOnOutOfMemoryError"]


class Failed(Exception):
    """A process didn't do what it should."""


def free_ports(count):
    """Returns ports that are free at this moment; all are held at once, or two could be the same."""
    with contextlib.ExitStack() as stack:
        listeners = [stack.enter_context(socket.socket()) for _ in range(count)]
        for listener in listeners:
            listener.bind(("127.0.0.1", 0))
        return [listener.getsockname()[1] for listener in listeners]


def end(process):
    """Ends what still runs."""
    if process.poll() is None:
        process.kill()
    process.wait()


class Server:
    """The packaged server, which keeps its ports and its data from one start to the next."""

    def __init__(self, name, java, jar, directory, settings):
        self.name, self.directory = name, directory
        self.port, self.http_port = free_ports(2)
        own = {"whence.grpc.port": self.port, "whence.http.port": self.http_port, "whence.data": directory / name}
        self.command = [java, *SERVER_OPTIONS]
        self.command += [f"-D{key}={value}" for key, value in (own | settings).items()] + ["-jar", jar]
        self.log = directory / f"{name}.log"
        self.process = None

    def start(self):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("WHENCE_")}
        with open(self.log, "ab") as output:
            self.process = subprocess.Popen(
                list(map(str, self.command)),
                cwd=self.directory,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )

    def await_ready(self):
        """Asks the probe of readiness, as Kubernetes does; returns after how many seconds it was green."""
        began = time.monotonic()
        while time.monotonic() - began < START_SECONDS and self.process.poll() is None:
            with contextlib.suppress(OSError):
                url = f"http://127.0.0.1:{self.http_port}/q/health/ready"
                with urllib.request.urlopen(url, timeout=5) as answer:
                    if answer.status == 200:
                        return time.monotonic() - began
            time.sleep(0.05)
        raise Failed(f"{self.name} didn't get ready:\n{self.tail()}")

    def stop(self, kill):
        """Returns after how many seconds it ended, and its exit code."""
        began = time.monotonic()
        self.process.send_signal(signal.SIGKILL if kill else signal.SIGTERM)
        try:
            code = self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            raise Failed(f"{self.name} lives on after {STOP_SECONDS} s:\n{self.tail()}") from None
        return time.monotonic() - began, code

    def tail(self):
        return self.log.read_text(errors="replace")[-4000:]

    def problems(self):
        """Returns the lines of its log that tell of errors."""
        lines = self.log.read_text(errors="replace").splitlines()
        return [line for line in lines if " ERROR " in line or " FATAL " in line]

    def close(self):
        if self.process is not None:
            end(self.process)


class Cluster:
    """A Kafka broker with the topic, which lives until closed."""

    def __init__(self, java, class_path, home, directory, topic):
        self.log = directory / "cluster.log"
        command = [java, "-Xmx256m", f"-Djava.io.tmpdir={directory}", f"-Dbasedir={home}", "-cp", class_path]
        command += ["io.whence.bench.restarts.RestartsCluster", *map(str, topic)]
        with open(self.log, "wb") as output:
            self.process = subprocess.Popen(
                command, cwd=home, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=output, text=True
            )

    def bootstrap(self):
        """Waits for the cluster; returns its address."""
        for line in self.process.stdout:
            if line.startswith("bootstrap="):
                return line.split("=")[1].strip()
        raise Failed(f"the cluster didn't start:\n{self.log.read_text(errors='replace')[-4000:]}")

    def close(self):
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            self.process.stdin.close()
            self.process.wait(30)
        end(self.process)


class Client:
    """A program that makes calls until its standard input ends."""

    def __init__(self, name, command, environment, plan, directory):
        self.name, self.log = name, directory / f"{name}.log"
        with open(self.log, "wb") as errors:
            self.process = subprocess.Popen(
                [*map(str, command), json.dumps(plan)],
                env=os.environ | environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )

    def require_running(self):
        if self.process.poll() is not None:
            raise Failed(f"the client {self.name} ended:\n{self.errors()}")

    def finish(self):
        """Lets it end; returns what became of its calls."""
        try:
            output, _ = self.process.communicate(timeout=STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGQUIT)  # Go says what each goroutine waits for.
            time.sleep(1)
            raise Failed(f"the client {self.name} lives on:\n{self.errors()}") from None
        if self.process.returncode:
            raise Failed(f"the client {self.name} ended with {self.process.returncode}:\n{self.errors()}")
        return json.loads(output)

    def errors(self):
        return self.log.read_text(errors="replace")[-4000:]

    def close(self):
        end(self.process)


def settings_of(path, wanted):
    """Reads settings from those that deployments have.

    wanted: their names in the environment."""
    found = {}
    for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
        name, _, value = line.partition("=")
        if name in wanted:
            found[wanted[name]] = value
    if len(found) < len(wanted):
        raise Failed(f"{path}: not all of {', '.join(wanted)}")
    return found
