"""A channel with a retry policy and TLS, and the stubs on it."""

import dataclasses
import json
import pathlib

import grpc
from grpc_health.v1 import health_pb2_grpc
from whence.v1 import group_offsets_service_pb2_grpc, log_service_pb2_grpc, resolver_service_pb2_grpc

GROUPS = "whence.v1.GroupOffsetsService"
LOGS = "whence.v1.LogService"
RESOLVER = "whence.v1.ResolverService"

# Lookups change nothing, so gRPC itself repeats them on UNAVAILABLE; of several addresses, each gets its share. In an
# outage that ends after 50 repetitions, until there are answers again. Commits and watches only wait for a server: we
# repeat them, since gRPC doesn't look for a request id, nor does it know what a watch has told (see retry.py).
SERVICE_CONFIG = {
    "loadBalancingConfig": [{"round_robin": {}}],
    "retryThrottling": {"maxTokens": 100, "tokenRatio": 0.1},
    "methodConfig": [
        {
            "name": [
                {"service": RESOLVER},
                *({"service": LOGS, "method": method} for method in ("Read", "ListTopics", "DescribeTopic")),
                *({"service": GROUPS, "method": method} for method in ("FetchOffset", "GetGroupLag", "ListGroups")),
            ],
            "waitForReady": True,
            "retryPolicy": {
                "maxAttempts": 4,
                "initialBackoff": "0.2s",
                "maxBackoff": "2s",
                "backoffMultiplier": 2,
                "retryableStatusCodes": ["UNAVAILABLE"],
            },
        },
        {
            "name": [
                {"service": RESOLVER, "method": "WatchTimestamp"},
                {"service": GROUPS, "method": "CommitOffset"},
            ],
            "waitForReady": True,
        },
    ],
}


@dataclasses.dataclass(frozen=True)
class Target:
    """Where the server is, and how TLS is spoken.

    The CA of the server is given if it is none that everybody knows, and a certificate of our own for mutual TLS, all
    PEM files. Any of them turns TLS on.
    """

    server: str
    tls: bool = False
    tls_ca: str | None = None
    tls_cert: str | None = None
    tls_key: str | None = None

    def __post_init__(self):
        if (self.tls_cert is None) != (self.tls_key is None):
            raise ValueError("--tls-cert and --tls-key need each other")

    def open(self) -> grpc.Channel:
        options = [
            ("grpc.service_config", json.dumps(SERVICE_CONFIG)),
            ("grpc.keepalive_time_ms", 30_000),
            ("grpc.max_receive_message_length", 16 << 20),
        ]
        if not self.tls and self.tls_ca is None and self.tls_cert is None:
            return grpc.insecure_channel(self.server, options)
        credentials = grpc.ssl_channel_credentials(_read(self.tls_ca), _read(self.tls_key), _read(self.tls_cert))
        return grpc.secure_channel(self.server, credentials, options)


class Stubs:
    """The stubs of all services. Thread-safe, as the channel is."""

    def __init__(self, channel: grpc.Channel):
        self.resolver = resolver_service_pb2_grpc.ResolverServiceStub(channel)
        self.logs = log_service_pb2_grpc.LogServiceStub(channel)
        self.groups = group_offsets_service_pb2_grpc.GroupOffsetsServiceStub(channel)
        self.health = health_pb2_grpc.HealthStub(channel)


def _read(path: str | None) -> bytes | None:
    return None if path is None else pathlib.Path(path).read_bytes()
