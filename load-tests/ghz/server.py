"""The packaged server with the method that does nothing, in a process of its own on free loopback ports."""

import os
import pathlib
import re
import shutil
import subprocess
import time

START_SECONDS = 120
STOP_SECONDS = 60


class Server:
    def __init__(self, jar, data, settings=None):
        java = os.environ["JAVA"] if "JAVA" in os.environ else shutil.which("java")
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
            if port and " ready: " in text:
                return int(port.group(1))
            if self.process.poll() is not None:
                break
            time.sleep(0.005)
        raise RuntimeError(f"the server didn't start:\n{self.log.read_text()}")

    def figures(self):
        """Returns what the process has: resident bytes, open files, threads."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return {
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
