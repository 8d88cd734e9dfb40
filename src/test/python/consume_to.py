"""Consumes a topic as a member of a group until given ends, with librdkafka.

Usage: consume_to.py BOOTSTRAP GROUP TOPIC PARTITION=END...

Begins where the group has committed, and fails where it has not. Prints "PARTITION OFFSET KEY" for
each committed record below the ends; commits nothing.
"""

import sys
import time

from confluent_kafka import Consumer, KafkaException

LIMIT_S = 60


def consume(bootstrap, group, topic, ends):
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": group,
            "auto.offset.reset": "error",
            "enable.auto.commit": False,
            "isolation.level": "read_committed",
        }
    )
    consumer.subscribe([topic])
    until = time.monotonic() + LIMIT_S
    missing = dict(ends)
    try:
        while missing:
            if time.monotonic() > until:
                raise SystemExit(f"not reached within {LIMIT_S} s: {missing}")
            message = consumer.poll(0.2)
            if message is None:
                continue
            if message.error():
                raise KafkaException(message.error())
            partition, offset = message.partition(), message.offset()
            if offset < ends[partition]:
                print(partition, offset, message.key().decode())
            if offset + 1 >= ends[partition]:
                missing.pop(partition, None)
    finally:
        consumer.close()


if __name__ == "__main__":
    pairs = (argument.split("=") for argument in sys.argv[4:])
    consume(*sys.argv[1:4], {int(partition): int(end) for partition, end in pairs})
