"""The packaged server with the method that does nothing, in a process of its own on free loopback ports."""

import os
import pathlib
import re
import shutil
import subprocess
import time
import urllib.request

START_SECONDS = 120
STOP_SECONDS = 60


class Server:
    def __init__(self, jar, data, settings=None):
        java = os.environ["JAVA"] if "JAVA" in os.environ else shutil.which("java")
        self.java = java
        command = [java, "-Xms1g", "-Xmx1g", "-XX:+UseG1GC", "-XX:+ExitOnOutOfMemoryError"]
        command += ["-Dwhence.grpc.port=0", "-Dwhence.http.port=0", f"-Dwhence.data={data}"]
        command += [f"-D{key}={value}" for key, value in (settings or {}).items()] + ["-jar", str(jar)]
        self.log = pathlib.Path(f"{data}.log")
        environment = {key: value for key, value in os.environ.items() if not key.startswith("WHENCE_")}
        began = time.monotonic()
        with open(self.log, "w") as output:
            self.process = subprocess.Popen(
                command, cwd=data.parent, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output
            )
        try:
            self.port = self._await_ready(began)
        except BaseException:
            self.close()
            raise
        self.ready_seconds = time.monotonic() - began

    def _await_ready(self, began):
        while time.monotonic() - began < START_SECONDS:
            text = self.log.read_text()
            port = re.search(r"gRPC listens: address=127\.0\.0\.1:(\d+)", text)
            http = re.search(r"Listening on: http://127\.0\.0\.1:(\d+)", text)
            if port and http and " ready: " in text:
                self.http_port = int(http.group(1))
                return int(port.group(1))
            if self.process.poll() is not None:
                break
            time.sleep(0.005)
        raise RuntimeError(f"the server didn't start:\n{self.log.read_text()}")

    def metric(self, name, **labels):
        """Returns the sum of a metric over the series that have these labels."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.http_port}/q/metrics", timeout=10) as answer:
            lines = answer.read().decode().splitlines()
        wanted = [f'{key}="{value}"' for key, value in labels.items()]
        series = [line for line in lines if re.match(rf"{name}[{{ ]", line) and all(one in line for one in wanted)]
        return sum(float(line.rsplit(" ", 1)[1]) for line in series)

    def heap(self):
        """Returns the bytes that are left on the heap after a full collection."""
        jcmd = str(pathlib.Path(self.java).resolve().parent / "jcmd")
        subprocess.run([jcmd, str(self.process.pid), "GC.run"], check=True, capture_output=True, timeout=60)
        said = subprocess.run(
            [jcmd, str(self.process.pid), "GC.heap_info"], check=True, capture_output=True, text=True, timeout=60
        ).stdout
        return int(re.search(r"used (\d+)K", said).group(1)) * 1024

    def figures(self):
        """Returns what the process has: bytes on the heap, resident bytes, open files, threads."""
        heap = self.heap()
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return {
            "heap": heap,
            "resident": int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) * 1024,
            "files": len(os.listdir(f"/proc/{self.process.pid}/fd")),
            "threads": int(re.search(r"Threads:\s+(\d+)", status).group(1)),
        }

    def close(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
