"""Messages: HTTP/1.1 as far as a proxy between our own programs needs it. Bodies are read whole, by
length or in chunks, and sent on with a length.
"""
import asyncio
import ssl
import time
from dataclasses import dataclass

IDLE = 1.0  # seconds for which a connection to a server is kept
LIMIT = 60  # seconds for an answer of a server


class Cut(Exception):
    """A connection ended where it should not."""


@dataclass
class Message:
    start: str
    headers: dict[str, str]
    body: bytes = b""

    def keeps_open(self) -> bool:
        return "close" not in self.headers.get("connection", "").lower()


async def read_message(reader: asyncio.StreamReader,
                       writer: asyncio.StreamWriter) -> Message | None:
    """Nothing: the other side has ended, and had not begun one."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError as end:
        if end.partial:
            raise Cut from end
        return None
    start, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
    headers = {}
    for line in lines:
        name, _, value = line.partition(":")
        headers[name.strip().lower()] = value.strip()
    message = Message(start, headers)
    if headers.get("expect", "").lower() == "100-continue":
        writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    try:
        if "chunked" in headers.get("transfer-encoding", "").lower():
            while size := int((await reader.readuntil(b"\r\n")).split(b";")[0], 16):
                message.body += (await reader.readexactly(size + 2))[:-2]
            await reader.readuntil(b"\r\n")
        else:
            message.body = await reader.readexactly(int(headers.get("content-length", 0)))
    except asyncio.IncompleteReadError as end:
        raise Cut from end
    return message


class Upstream:
    """Connections to one server, each for one exchange at a time."""

    def __init__(self, port: int, host: str = "127.0.0.1", tls: ssl.SSLContext | None = None):
        self._port = port
        self._host = host
        self._tls = tls
        self._idle: list[tuple[float, asyncio.StreamReader, asyncio.StreamWriter]] = []

    async def exchange(self, request: bytes) -> Message:
        reader, writer = await self._connection()
        writer.write(request)
        try:
            answer = await asyncio.wait_for(read_message(reader, writer), LIMIT)
        except (Cut, OSError, asyncio.TimeoutError) as reason:
            answer = None
            how = type(reason).__name__
        else:
            how = "ended"
        if answer is None:
            writer.close()
            raise Cut(f"no answer from port {self._port}: {how}")
        if answer.keeps_open():
            self._idle.append((time.monotonic(), reader, writer))
        else:
            writer.close()
        return answer

    async def _connection(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        while self._idle:
            since, reader, writer = self._idle.pop()
            if time.monotonic() - since < IDLE and not reader.at_eof():
                return reader, writer
            writer.close()
        return await asyncio.open_connection(self._host, self._port, limit=1 << 25, ssl=self._tls)


def as_bytes(message: Message, start: str) -> bytes:
    """With a length of its own, and a connection that stays."""
    headers = {name: value for name, value in message.headers.items()
               if name not in ("transfer-encoding", "content-length", "connection", "expect",
                               "keep-alive")}
    headers["content-length"] = str(len(message.body))
    lines = [start, *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + message.body
