"""What a failed call says of itself: google.rpc.ErrorInfo and RetryInfo in its status."""

import dataclasses

import grpc
from google.rpc import error_details_pb2
from grpc_status import rpc_status


@dataclasses.dataclass(frozen=True)
class Failure:
    """Why a whole call failed. Programs decide by reason; an empty one means that gRPC itself failed it."""

    status: str
    message: str
    reason: str = ""
    metadata: dict[str, str] = dataclasses.field(default_factory=dict)
    retry_after_seconds: float | None = None

    @classmethod
    def of(cls, error: grpc.RpcError) -> "Failure":
        reason, metadata, retry_after = "", {}, None
        status = rpc_status.from_call(error)
        for detail in status.details if status else ():
            info, retry = error_details_pb2.ErrorInfo(), error_details_pb2.RetryInfo()
            if detail.Unpack(info) and info.domain == "whence":
                reason, metadata = info.reason, dict(info.metadata)
            elif detail.Unpack(retry):
                retry_after = retry.retry_delay.ToTimedelta().total_seconds()
        return cls(error.code().name, error.details() or "", reason, metadata, retry_after)

    @property
    def may_succeed_later(self) -> bool:
        """Whether the same request may be sent again, if it changes nothing or has a request id."""
        return self.status == "UNAVAILABLE" or self.retry_after_seconds is not None

    @property
    def turned_away(self) -> bool:
        """Whether the server was too busy for the request, and said when to try again."""
        return self.status == "RESOURCE_EXHAUSTED" and self.retry_after_seconds is not None

    def __str__(self) -> str:
        facts = ", ".join(f"{name}={value}" for name, value in sorted(self.metadata.items()))
        words = [self.status, self.reason, f"({facts})" if facts else ""]
        text = " ".join(word for word in words if word) + f": {self.message}"
        if self.retry_after_seconds is not None:
            text += f"; retry after {self.retry_after_seconds * 1000:.0f} ms"
        return text
