"""What a gRPC server that has enough to do answers: RESOURCE_EXHAUSTED, and when to try again. Frames of HTTP/2."""

import base64

DATA, HEADERS, SETTINGS, GOAWAY = 0, 1, 4, 7
ACK = END_STREAM = 1
END_HEADERS = 4
RESOURCE_EXHAUSTED = 8
STATUS_200 = b"\x88"  # the 8th name and value of HPACK's static table
TYPE_URL = b"type.googleapis.com/google.rpc.RetryInfo"


def frame(kind, flags, stream, payload):
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def refusal(stream, retry_after_ms):
    """An answer without a message, and the end of the connection: the next call comes over another one."""
    headers = STATUS_200
    for name, value in [
        (b"content-type", b"application/grpc"),
        (b"grpc-status", str(RESOURCE_EXHAUSTED).encode()),
        (b"grpc-message", b"too many calls"),
        (b"grpc-status-details-bin", base64.b64encode(_status(retry_after_ms)).rstrip(b"=")),
    ]:
        headers += b"\0" + _string(name) + _string(value)  # a literal that no table takes up
    goaway = frame(GOAWAY, 0, 0, stream.to_bytes(4, "big") + bytes(4))
    return frame(HEADERS, END_HEADERS | END_STREAM, stream, headers) + goaway


def _string(text):
    """A length and bytes, as HPACK has them up to 126 bytes."""
    assert len(text) < 127, text
    return bytes([len(text)]) + text


def _status(retry_after_ms):
    """The protobuf bytes of google.rpc.Status with a google.rpc.RetryInfo."""
    seconds, ms = divmod(retry_after_ms, 1000)
    delay = b"\x08" + _varint(seconds) + b"\x10" + _varint(ms * 1_000_000)
    detail = _field(1, TYPE_URL) + _field(2, _field(1, delay))
    return b"\x08" + _varint(RESOURCE_EXHAUSTED) + _field(2, b"too many calls") + _field(3, detail)


def _field(number, value):
    return bytes([number << 3 | 2]) + _varint(len(value)) + value


def _varint(number):
    groups = bytearray()
    while number > 127:
        groups.append(number & 127 | 128)
        number >>= 7
    groups.append(number)
    return bytes(groups)
