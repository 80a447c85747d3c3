"""Weather: a proxy between the program and its server, which lets some requests fail and can kill
the program at a request that was chosen before.

  program ─► weather ─► [prism ─►] stub          /api/*: by way of prism, where there is one
           ╰──────────────────────► stub         /v1/*: straight

What falls is drawn for every request, in the order in which they come, from the seed:
  5xx    answered with an error: half of the time instead of the request, half of the time instead
         of the answer, when the server has acted
  429    instead of the request; Retry-After in seconds or as a date
  cut    the connection ends: half before the request went on, half after its answer has come
  slow   the answer is late
  held   the answer never comes: the program has to give up waiting

An Aim kills at the nth request to an endpoint (or to any), right before it goes on, or when its
answer has come and nobody has seen it. Everything runs in a thread of its own; what others read
(calls, fallen, violations, open) is only ever changed by that thread.
"""
import asyncio
import contextlib
import email.utils
import os
import random
import signal
import socket
import threading
import time
from collections import Counter
from dataclasses import dataclass, field

from messages import LIMIT, Cut, Message, Upstream, as_bytes, read_message
from rig import eventually

BEFORE, AFTER = "before", "after"
VIOLATION = b"stoplight.io/prism/errors#"
TROUBLE, LIMITED, CUT, SLOW, HELD, KILLED = "5xx", "429", "cut", "slow", "held", "killed"


@dataclass(frozen=True)
class Climate:
    """Chances, of 1."""
    trouble: float = 0
    limited: float = 0
    cut: float = 0
    slow: float = 0
    held: float = 0
    retry_after: tuple[float, ...] = (1, 0.05)  # seconds; drawn from. Whole ones may be a date

    def draw(self, dice: random.Random) -> tuple[str, str]:
        """What falls on a request, and when; nothing: ""."""
        chance, when = dice.random(), dice.choice((BEFORE, AFTER))
        for kind, its in ((TROUBLE, self.trouble), (LIMITED, self.limited), (CUT, self.cut),
                          (SLOW, self.slow), (HELD, self.held)):
            if chance < its:
                return kind, {LIMITED: BEFORE, SLOW: AFTER, HELD: AFTER}.get(kind, when)
            chance -= its
        return "", ""


STORM = Climate(trouble=0.10, limited=0.05, cut=0.02, slow=0.01)


@dataclass
class Aim:
    """Kills `pid`, which may be told later, at the nth request that fits, or at any when so many
    have come that it seems that none will."""
    nth: int
    when: str
    endpoint: str = ""  # empty: any
    patience: int = 1 << 30
    pid: int = 0
    seen: int = 0  # that fit
    passed: int = 0
    has_pid: threading.Event = field(default_factory=threading.Event)
    hit: threading.Event = field(default_factory=threading.Event)

    def hits(self, endpoint: str) -> bool:
        self.passed += 1
        self.seen += self.endpoint in ("", endpoint)
        return self.seen == self.nth or self.passed == self.patience

    def shoot_at(self, pid: int) -> None:
        self.pid = pid
        self.has_pid.set()

    def kill(self) -> None:
        self.has_pid.wait(LIMIT)
        self.hit.set()  # before: who sees the process dead must see this too
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def __str__(self) -> str:
        return f"{self.when} {self.endpoint or 'request'} {self.nth}"


@dataclass
class Call:
    number: int  # from 1
    endpoint: str
    fell: str = ""  # "5xx before", …
    status: int = 0  # 0: no answer went back


class Weather:
    """`with` starts and ends it."""

    def __init__(self, seed: int, stub: int, prism: int = 0, climate: Climate = Climate()):
        self.calls: list[Call] = []
        self.fallen: Counter[str] = Counter()
        self.violations: list[str] = []
        self.broken: list[str] = []  # a server did not answer: never the weather's doing
        self.open = 0  # connections of the program, with what is on its way for them
        self.port = 0
        self.climate = climate
        self._dice = random.Random(seed)
        self._aim: Aim | None = None
        self._stub = Upstream(stub)
        self._prism = Upstream(prism) if prism else None
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> "Weather":
        self._thread.start()
        server = self._do(asyncio.start_server(self._serve, "127.0.0.1", 0, limit=1 << 25))
        self.port = server.sockets[0].getsockname()[1]
        return self

    def __exit__(self, *_) -> None:
        self._do(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    def _do(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(30)

    async def _end(self) -> None:
        others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def aim(self, aim: Aim | None) -> None:
        """At one process at a time; None: at none."""
        async def set_it() -> None:
            self._aim = aim
        self._do(set_it())

    def settle(self) -> bool:
        """When the program has ended: until nothing that it sent is on its way any more. Who comes
        to the door last is let in last, so that nobody is left there when we were."""
        with socket.create_connection(("127.0.0.1", self.port), LIMIT) as last:
            last.shutdown(socket.SHUT_WR)
            last.recv(1)  # the end of it
        return eventually(lambda: self.open == 0, LIMIT)

    def table(self) -> Counter[str]:
        return Counter(call.endpoint for call in list(self.calls))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.open += 1
        # What goes wrong with the program's end is the program's, or its killer's.
        with contextlib.suppress(Cut, OSError, asyncio.CancelledError):
            while request := await read_message(reader, writer):
                if not await self._answer(request, reader, writer):
                    break
        writer.close()
        self.open -= 1

    async def _answer(self, request: Message, reader: asyncio.StreamReader,
                      writer: asyncio.StreamWriter) -> bool:
        """False: the connection is to end."""
        path = request.start.split(" ")[1]
        call = Call(len(self.calls) + 1, path.removeprefix("/api/").removeprefix("/v1/"))
        self.calls.append(call)
        fell, when = self.climate.draw(self._dice)
        if (shot := self._hits(call)) is not None:
            fell, when = KILLED, shot.when
        if fell:
            call.fell = f"{fell} {when}"
            self.fallen[call.fell] += 1
        answer = None if when == BEFORE else await self._forward(request, path)
        if fell == KILLED:
            await asyncio.to_thread(shot.kill)
        elif fell == HELD:
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(reader.read(1), LIMIT)
        elif fell in (TROUBLE, LIMITED):
            answer = self._refusal(fell)
        elif fell == SLOW:
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(asyncio.Event().wait(), self._dice.uniform(0.1, 1))
        if answer is None or fell in (KILLED, HELD, CUT):
            return False
        call.status = int(answer.start.split(" ")[1])
        writer.write(as_bytes(answer, f"HTTP/1.1 {answer.start.split(' ', 1)[1]}"))
        return request.keeps_open()

    def _hits(self, call: Call) -> Aim | None:
        aim = self._aim
        if aim is None or not aim.hits(call.endpoint):
            return None
        self._aim = None
        return aim

    def _refusal(self, fell: str) -> Message:
        headers = {"content-type": "application/json"}
        status = 429
        if fell == TROUBLE:
            status = self._dice.choice((500, 502, 503, 504))
        else:
            seconds = self._dice.choice(self.climate.retry_after)
            is_date = seconds == 1 and self._dice.random() < 0.3
            headers["retry-after"] = email.utils.formatdate(
                time.time() + seconds, usegmt=True) if is_date else str(seconds)
        body = b'{"ok":false,"error":"weather","status":%d}' % status
        return Message(f"HTTP/1.1 {status} Weather", headers, body)

    async def _forward(self, request: Message, path: str) -> Message | None:
        server = self._stub
        if self._prism is not None and path.startswith("/api/"):
            server, path = self._prism, path.removeprefix("/api")
        method, _, version = request.start.split(" ")
        try:
            answer = await server.exchange(as_bytes(request, f"{method} {path} {version}"))
        except (Cut, OSError) as reason:
            self.broken.append(f"{path}: {reason}")
            return None
        if VIOLATION in answer.body or "sl-violations" in answer.headers:
            self.violations.append(f"{path} {request.body[:2000]!r}: {answer.body[:2000]!r} "
                                   f"{answer.headers.get('sl-violations', '')}")
        return answer
