"""Writes the data directory of a broker, with logs that Append can't make.

Topic large begins beyond 2^53, where a double is no longer exact: partition 0 at 9007199254740993, partition 1 at
73314510714175488; one record a second from 2024-03-09T06:00:00Z. The records of topic untimed have no timestamp.
"""

import pathlib
import struct
import sys

START_MS = 1709964000000
NO_TIMESTAMP = -1
# Topic, partition, first offset, first timestamp, milliseconds from one record to the next.
LOGS = [
    ("large", 0, 9007199254740993, START_MS, 1000),
    ("large", 1, 73314510714175488, START_MS, 1000),
    ("untimed", 0, 0, NO_TIMESTAMP, 0),
]
TOPIC_IDS = {"large": "AAAAAAAAAAAAAAAAAAAAKg", "untimed": "AAAAAAAAAAAAAAAAAAAAKw"}
RECORDS = 5


def crc32c(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def varint(value: int) -> bytes:
    value = value << 1 if value >= 0 else (-value << 1) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))


def record(index: int, step_ms: int) -> bytes:
    key, value = b"k%d" % index, b"v%d" % index
    body = b"\0" + varint(index * step_ms) + varint(index)
    body += varint(len(key)) + key + varint(len(value)) + value + varint(0)
    return varint(len(body)) + body


def batch(base_offset: int, timestamp: int, step_ms: int) -> bytes:
    """A record batch of format version 2: not compressed, create time, no producer."""
    last = RECORDS - 1
    body = struct.pack(">hiqqqhii", 0, last, timestamp, timestamp + last * step_ms, -1, -1, -1, RECORDS)
    body += b"".join(record(index, step_ms) for index in range(RECORDS))
    head = struct.pack(">ibI", 0, 2, crc32c(body))
    return struct.pack(">qi", base_offset, len(head) + len(body)) + head + body


def main(directory: pathlib.Path) -> None:
    for topic, partition, offset, timestamp, step_ms in LOGS:
        log = directory / f"{topic}-{partition}"
        log.mkdir(parents=True)
        (log / f"{offset:020d}.log").write_bytes(batch(offset, timestamp, step_ms))
        (log / "partition.metadata").write_text(f"version: 0\ntopic_id: {TOPIC_IDS[topic]}\n", encoding="ascii")
    starts = "".join(f"{topic} {partition} {offset}\n" for topic, partition, offset, _, _ in LOGS)
    checkpoint = f"0\n{len(LOGS)}\n{starts}"
    (directory / "log-start-offset-checkpoint").write_text(checkpoint, encoding="ascii")
    (directory / ".kafka_cleanshutdown").write_text('{"version":0,"brokerEpoch":1}', encoding="ascii")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
