"""The command line: window, commit, lag, watch, health, conformance."""

import argparse
import os
import sys

import grpc
from grpc_health.v1 import health_pb2
from whence.v1 import group_offsets_service_pb2

from whence_example import conformance, jobs
from whence_example.connection import Stubs, Target
from whence_example.errors import Failure


def main() -> int:
    parser = _parser()
    options = parser.parse_args()
    try:
        target = Target(options.server, options.tls, options.tls_ca, options.tls_cert, options.tls_key)
    except ValueError as error:
        parser.error(str(error))
    try:
        with target.open() as channel:
            for line in options.run(Stubs(channel), options):
                print(line, flush=True)
    except (jobs.Refused, conformance.Different):
        return 1
    except grpc.RpcError as error:
        print(f"whence-example: {Failure.of(error)}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--server", default=os.environ.get("WHENCE_SERVER", "localhost:9000"), metavar="HOST:PORT")
    common.add_argument("--source", default="", help="needed where the server has several")
    common.add_argument("--timeout", type=float, default=10, metavar="SECONDS", help="the deadline of each call")
    common.add_argument("--tls", action="store_true", help="trusts the CAs of gRPC; any --tls-* turns TLS on, too")
    common.add_argument("--tls-ca", metavar="FILE", help="trusts this CA instead, PEM")
    common.add_argument("--tls-cert", metavar="FILE", help="our own certificate, for mutual TLS")
    common.add_argument("--tls-key", metavar="FILE", help="the key of our own certificate")
    parser = argparse.ArgumentParser(prog="whence-example")
    commands = parser.add_subparsers(required=True)

    def command(name, run, *arguments):
        sub = commands.add_parser(name, parents=[common])
        for argument in arguments:
            sub.add_argument(argument, type={"partition": int32, "next_offset": int64}.get(argument, str))
        sub.set_defaults(run=run)
        return sub

    command("window", _window, "topic", "start", "end").add_argument("--records", type=int, default=2, metavar="N")
    commit = command("commit", _commit, "group", "topic", "partition", "next_offset")
    commit.add_argument(
        "--expect", type=int64_or_none, metavar="OFFSET", help="what must be committed now; 'none' for nothing"
    )
    commit.add_argument("--request-id", metavar="ID", help="default: a new UUID")
    commit.add_argument("--metadata", default="")
    commit.add_argument("--rewind", action="store_true", help="allows a step back")
    command("lag", lambda s, o: jobs.lag(s, o.source, o.group, o.timeout), "group")
    command("watch", lambda s, o: jobs.watch(s, o.source, o.topic, o.time, o.timeout), "topic", "time")
    command("health", _health)
    command("conformance", conformance.run).add_argument("paths", nargs="+")
    return parser


def int32(text: str) -> int:
    return _whole(text, 32)


def int64(text: str) -> int:
    return _whole(text, 64)


def int64_or_none(text: str) -> int | str:
    return text if text == "none" else int64(text)


def _whole(text: str, bits: int) -> int:
    number = int(text)
    if not -(1 << (bits - 1)) <= number < 1 << (bits - 1):
        raise ValueError(f"{text} has more than {bits} bits")
    return number


def _window(stubs: Stubs, o: argparse.Namespace):
    return jobs.window(stubs, o.source, o.topic, o.start, o.end, o.records, o.timeout)


def _commit(stubs: Stubs, o: argparse.Namespace):
    entry = group_offsets_service_pb2.CommitEntry(
        topic=o.topic,
        partition=o.partition,
        next_offset=o.next_offset,
        metadata=o.metadata,
        allow_rewind=o.rewind,
        expect_no_offset=o.expect == "none",
        expected_offset=o.expect if o.expect != "none" else None,
    )
    return jobs.commit(stubs, o.source, o.group, entry, o.request_id, o.timeout)


def _health(stubs: Stubs, o: argparse.Namespace):
    request = health_pb2.HealthCheckRequest(service="whence.v1.ResolverService")
    status = stubs.health.Check(request, timeout=o.timeout, wait_for_ready=True).status
    yield health_pb2.HealthCheckResponse.ServingStatus.Name(status)
    if status != health_pb2.HealthCheckResponse.SERVING:
        raise jobs.Refused


if __name__ == "__main__":
    sys.exit(main())
