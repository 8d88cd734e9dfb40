"""Requests of Whence as bytes, and single calls with them. A message is a list of (number, value): an int is a
varint, bytes and str have a length, a list is a message. curl speaks HTTP/2."""

import subprocess
import tempfile

FOUND = 1


def varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def message(fields):
    out = b""
    for number, value in fields:
        if isinstance(value, int):
            out += varint(number << 3) + varint(value)
        else:
            data = message(value) if isinstance(value, list) else value.encode() if isinstance(value, str) else value
            out += varint(number << 3 | 2) + varint(len(data)) + data
    return out


def fields(data):
    """Reads a message: (number, value) in order, an int for a varint, bytes for all that has a length."""
    at = 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        key = number()
        value = number()
        if key & 7 == 2:
            at += value
            value = data[at - value : at]
        elif key & 7 != 0:
            raise ValueError(f"wire type {key & 7} at {at}")
        yield key >> 3, value


def offsets(response):
    """Returns what a ResolveTimestampResponse of one query found: an offset, or None, for each partition."""
    (result,) = (dict_of(value) for number, value in fields(response) if number == 3)
    answers = [dict_of(answer) for answer in result.get(6, [])]
    return {one.get(1, [0])[0]: one[3][0] if one[2] == [FOUND] and 3 in one else None for one in answers}


def dict_of(data):
    """Returns the values of each field, in order."""
    found = {}
    for number, value in fields(data):
        found.setdefault(number, []).append(value)
    return found


def errors(response):
    """Returns how many of the results of an AppendResponse are errors, and how many results there are."""
    results = [dict_of(value) for number, value in fields(response) if number == 1]
    return sum(4 in one for one in results), len(results)


def resolve(topic, partitions, epoch_ms):
    """A ResolveTimestampRequest for the first partitions of a topic."""
    position = [(1, [(1, epoch_ms)])]
    query = [(1, topic), (2, b"".join(varint(number) for number in range(partitions))), (3, position)]
    return message([(1, "embedded"), (4, query)])


def stream_request(tag, request):
    return message([(1, tag), (2, request)])


def create_topic(topic, partitions):
    return message([(1, "embedded"), (2, topic), (3, partitions)])


def append(topic, partitions, times):
    """An AppendRequest with a record for each of these times in each partition."""
    records = [(3, [(1, b"k"), (2, b"v" * 20), (3, time)]) for time in times]
    return message([(1, "embedded")] + [(2, [(1, topic), (2, number)] + records) for number in range(partitions)])


def commit(group, topic, partitions, next_offset):
    entries = [(3, [(2, topic), (3, number), (4, next_offset)]) for number in range(partitions)]
    return message([(1, "embedded"), (2, group)] + entries)


def call(port, method, request):
    """Calls a method once and returns its answer, as bytes. Raises if it failed."""
    with tempfile.NamedTemporaryFile() as headers:
        url = f"http://127.0.0.1:{port}/{method}"
        command = ["curl", "-sS", "--max-time", "60", "--http2-prior-knowledge", "-D", headers.name]
        command += ["-H", "content-type: application/grpc", "-H", "te: trailers", "--data-binary", "@-", url]
        frame = b"\0" + len(request).to_bytes(4, "big") + request
        done = subprocess.run(command, input=frame, capture_output=True, check=True)
        said = headers.read().decode(errors="replace")
    if len(done.stdout) < 5 or "grpc-status: 0" not in said:
        raise RuntimeError(f"{method} failed: {said.strip()}")
    return done.stdout[5:]
