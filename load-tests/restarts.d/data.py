"""The data of a server, by the client in Python: fills a topic, and tells what groups have committed.

data.py fill ADDRESS PLAN            creates the topic of the plan, and appends its records
data.py committed ADDRESS PLAN       reads names of groups from standard input, as a JSON list; prints their offsets
"""

import json
import sys

from whence.v1 import group_offsets_service_pb2, log_service_pb2

from whence_example.connection import Stubs, Target

SECONDS = 60
ENTRIES_OF_A_CALL = 20


def fill(stubs, plan):
    topic = log_service_pb2.CreateTopicRequest(
        source=plan["source"], topic=plan["topic"], partition_count=plan["partitions"]
    )
    stubs.logs.CreateTopic(topic, timeout=SECONDS)
    for first in range(0, plan["partitions"], ENTRIES_OF_A_CALL):
        request = log_service_pb2.AppendRequest(source=plan["source"])
        for partition in range(first, min(first + ENTRIES_OF_A_CALL, plan["partitions"])):
            entry = request.entries.add(topic=plan["topic"], partition=partition)
            for index in range(plan["records"]):
                made = plan["start_ms"] + partition + index * plan["step_ms"]
                entry.records.add(value=bytes(16), timestamp_ms=made)
        for result in stubs.logs.Append(request, timeout=SECONDS).results:
            if result.HasField("error"):
                sys.exit(f"append: {result.error}")


def committed(stubs, plan):
    offsets = {}
    for group in json.load(sys.stdin):
        query = group_offsets_service_pb2.GroupQuery(group=group)
        request = group_offsets_service_pb2.FetchOffsetRequest(source=plan["source"], queries=[query])
        result = stubs.groups.FetchOffset(request, timeout=SECONDS).results[0]
        if result.HasField("error"):
            sys.exit(f"{group}: {result.error}")
        offsets[group] = {
            str(one.partition): one.committed.next_offset for one in result.offsets if one.HasField("committed")
        }
    print(json.dumps(offsets))


def main():
    what, address, plan = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
    with Target(address).open() as channel:
        {"fill": fill, "committed": committed}[what](Stubs(channel), plan)


if __name__ == "__main__":
    main()
