"""A TCP relay in front of the server, for what networks do: answers get lost, servers come late, or are others."""

import asyncio
import contextlib
import threading
import time

from refusal import ACK, DATA, END_STREAM, HEADERS, SETTINGS, frame, refusal

FRAME_HEADER = 9
MESSAGE_HEADER = 5
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
GRACE_SECONDS = 0.2  # a reset would throw away what the client has not read yet


class Relay:
    """Relays connections to a port of this machine, from its own thread, between enter and exit.

    Of the first lost_answers connections, the answer to the first call is lost: the server has done the work, and the
    connection ends as soon as the answer begins. The first lost_streams connections end after the first message of an
    answer. The first refused connections get their call refused without the server, which says when to try again. What
    is forgotten, such as a request id, is another one in later connections: so it is to a server that never heard of
    it. Listens from listen_after seconds on. Keeps what clients sent, by connection, and when they called.
    """

    def __init__(
        self,
        port,
        listen_on,
        *,
        lost_answers=0,
        lost_streams=0,
        refused=0,
        retry_after_ms=0,
        forgotten=b"",
        listen_after=0.0,
    ):
        self.port, self.listen_on, self.listen_after = port, listen_on, listen_after
        self.refused, self.retry_after_ms = refused, retry_after_ms
        self.lost, self.last = lost_answers or lost_streams, HEADERS if lost_answers else DATA
        self.forgotten = forgotten
        self.sent = []
        self.called = []  # of time.monotonic()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._listening = threading.Event()

    def __enter__(self):
        self._thread.start()
        if not self.listen_after:
            self._listening.wait(60)
        return self

    def __exit__(self, *_):
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    def _run(self):
        self._loop.create_task(self._serve())
        self._loop.run_forever()
        tasks = asyncio.all_tasks(self._loop)
        for task in tasks:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        self._loop.close()

    async def _serve(self):
        await asyncio.sleep(self.listen_after)
        server = await asyncio.start_server(self._connection, "127.0.0.1", self.listen_on)
        self._listening.set()
        async with server:
            await server.serve_forever()

    async def _connection(self, reader, writer):
        sent = bytearray()
        self.sent.append(sent)
        number = len(self.sent)
        if number <= self.refused:
            await self._refuse(reader, writer)
            return
        server_reader, server_writer = await asyncio.open_connection("127.0.0.1", self.port)
        answers = _until(self.last, server_reader, writer) if number <= self.lost else _all(server_reader, writer)
        requests = self._requests(reader, server_writer, self.forgotten if number > self.lost else b"", sent)
        ways = [asyncio.create_task(requests), asyncio.create_task(answers)]
        try:
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            writer.transport.abort()
            server_writer.transport.abort()

    async def _requests(self, reader, writer, forgotten, sent):
        """Passes frames on, with another text of the same length for what is forgotten."""
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            data = await reader.readexactly(len(PREFACE))
            while True:
                if forgotten:
                    data = data.replace(forgotten, forgotten[::-1])
                sent += data
                writer.write(data)
                await writer.drain()
                kind, data = await _frame(reader)
                if kind == HEADERS:
                    self.called.append(time.monotonic())

    async def _refuse(self, reader, writer):
        """Is the server itself, until the client is gone."""
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            await reader.readexactly(len(PREFACE))
            writer.write(frame(SETTINGS, 0, 0, b""))
            while True:
                kind, data = await _frame(reader)
                flags, stream = data[4], int.from_bytes(data[5:FRAME_HEADER], "big")
                if kind == HEADERS:
                    self.called.append(time.monotonic())
                if kind == SETTINGS and not flags & ACK:
                    writer.write(frame(SETTINGS, ACK, 0, b""))
                elif kind in (HEADERS, DATA) and flags & END_STREAM:
                    writer.write(refusal(stream, self.retry_after_ms))
                    await writer.drain()
        writer.transport.abort()


async def _all(reader, writer):
    with contextlib.suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()


async def _frame(reader):
    """The type of the next HTTP/2 frame, and all of it."""
    header = await reader.readexactly(FRAME_HEADER)
    return header[3], header + await reader.readexactly(int.from_bytes(header[:3], "big"))


def _first_message(frame):
    """A DATA frame with the first gRPC message of another one, which may have several, and the end of the stream."""
    message = frame[FRAME_HEADER:]
    message = message[: MESSAGE_HEADER + int.from_bytes(message[1:MESSAGE_HEADER], "big")]
    return len(message).to_bytes(3, "big") + bytes([DATA, 0]) + frame[5:FRAME_HEADER] + message


async def _until(last, reader, writer):
    """Passes frames on, before the first HEADERS, or up to the first message in a DATA."""
    with contextlib.suppress(OSError, asyncio.IncompleteReadError):
        while True:
            kind, data = await _frame(reader)
            if kind == HEADERS == last:
                return
            if kind == DATA == last:
                data = _first_message(data)
            writer.write(data)
            await writer.drain()
            if kind == DATA == last:
                writer.write_eof()
                await asyncio.sleep(GRACE_SECONDS)
                return
