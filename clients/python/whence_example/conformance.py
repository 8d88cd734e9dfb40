"""Runs conformance cases: JSON to messages, through the stubs, and back. ../conformance/README.md has the format."""

import json
import pathlib
import secrets
from collections.abc import Iterator

import grpc
from google.protobuf import json_format
from google.protobuf.message_factory import GetMessageClass
from whence.v1 import group_offsets_service_pb2, log_service_pb2, resolver_service_pb2

from whence_example.connection import Stubs
from whence_example.errors import Failure

FILES = (resolver_service_pb2, log_service_pb2, group_offsets_service_pb2)
SERVICES = {name: service for file in FILES for name, service in file.DESCRIPTOR.services_by_name.items()}


class Different(Exception):
    """Some case came to something else than it should."""


def run(stubs: Stubs, options) -> Iterator[str]:
    run_id = f"python-{secrets.token_hex(4)}"
    passed, total = 0, 0
    for path in _files(options.paths):
        for case in json.loads(path.read_text(encoding="utf-8").replace("$RUN", run_id))["cases"]:
            total += 1
            differences = [line for step in case["steps"] for line in _step(stubs, step)]
            passed += not differences
            yield from (f"{path.name}: {case['name']}: {line}" for line in differences)
    yield f"{passed} of {total} cases passed"
    if passed != total:
        raise Different


def _files(names: list[str]) -> Iterator[pathlib.Path]:
    for path in map(pathlib.Path, names):
        yield from sorted(path.glob("*.json")) if path.is_dir() else [path]


def _step(stubs: Stubs, step: dict) -> list[str]:
    wanted = {key: step[key] for key in ("responses", "status", "reason", "metadata") if key in step}
    if "response" in step:
        wanted["responses"] = [step["response"]]
    got = _call(stubs, step)
    if "status" in wanted and "reason" not in wanted:  # either side may end a call at its deadline
        got = {key: value for key, value in got.items() if key not in ("reason", "metadata")}
    return list(differences(step["rpc"], wanted, got))


def _call(stubs: Stubs, step: dict) -> dict:
    service_name, method_name = step["rpc"].split("/")
    method = SERVICES[service_name].methods_by_name[method_name]
    stub = {"ResolverService": stubs.resolver, "LogService": stubs.logs, "GroupOffsetsService": stubs.groups}
    request_class = GetMessageClass(method.input_type)
    requests = [json_format.ParseDict(request, request_class()) for request in step.get("requests", [step.get("request")])]
    call = getattr(stub[service_name], method_name)
    timeout = step.get("deadline_ms", 10_000) / 1000
    responses, got = [], {}
    try:
        answer = call(iter(requests) if method.client_streaming else requests[0], timeout=timeout)
        for message in answer if method.server_streaming else [answer]:
            responses.append(json_format.MessageToDict(message))
    except grpc.RpcError as error:
        failure = Failure.of(error)
        got = {"status": failure.status}
        if failure.reason:
            got |= {"reason": failure.reason, "metadata": failure.metadata}
    return {"responses": responses, **got} if responses or not got else got


def differences(path: str, wanted, got) -> Iterator[str]:
    """Tells where a JSON value differs. "$any" stands for any value that is there."""
    if wanted == "$any":
        return
    if isinstance(wanted, dict) and isinstance(got, dict):
        for key in sorted(wanted.keys() | got.keys()):
            if key not in got:
                yield f"{path}.{key} is missing"
            elif key not in wanted:
                yield f"{path}.{key} should not be there: {json.dumps(got[key])}"
            else:
                yield from differences(f"{path}.{key}", wanted[key], got[key])
    elif isinstance(wanted, list) and isinstance(got, list) and len(wanted) == len(got):
        for index, pair in enumerate(zip(wanted, got)):
            yield from differences(f"{path}[{index}]", *pair)
    elif type(wanted) is not type(got) or wanted != got:
        yield f"{path} is {json.dumps(got)} instead of {json.dumps(wanted)}"
