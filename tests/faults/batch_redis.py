"""Redis as the tests see it: a server of their own, a connection without any library, and a wire
that can be held.
"""
import contextlib
import ctypes
import shutil
import signal
import socket
import subprocess
import sys
import threading

from rig import Rig, Skip, Wrong, demand, eventually, pause


class Gone(Exception):
    """The server does not answer, or not yet."""


class Resp:
    """A connection to Redis. One thread."""

    def __init__(self, port: int, host: str = "127.0.0.1", seconds: float = 10, path: str = ""):
        """With a path: through a socket in the file system."""
        try:
            if path:
                self.socket = socket.socket(socket.AF_UNIX)
                self.socket.settimeout(seconds)
                self.socket.connect(path)
            else:
                self.socket = socket.create_connection((host, port), timeout=seconds)
        except OSError as error:
            raise Gone(str(error)) from None
        self.file = self.socket.makefile("rb")

    def call(self, *words: str | bytes | int):
        """The reply; an error of the server is Gone when it is about its state, else Wrong."""
        parts = [word if isinstance(word, bytes) else str(word).encode() for word in words]
        message = b"*%d\r\n" % len(parts) + b"".join(
            b"$%d\r\n%s\r\n" % (len(part), part) for part in parts)
        try:
            self.socket.sendall(message)
            return self.reply()
        except OSError as error:
            raise Gone(str(error)) from None

    def reply(self):
        line = self.file.readline()
        if not line.endswith(b"\r\n"):
            raise Gone("the connection was closed")
        kind, rest = line[:1], line[1:-2]
        if kind == b"-":
            text = rest.decode()
            state = ("LOADING", "READONLY", "MASTERDOWN", "NOREPLICAS", "UNBLOCKED")
            raise Gone(text) if text.startswith(state) else Wrong(f"redis: {text}")
        if kind == b":":
            return int(rest)
        if kind == b"$":
            size = int(rest)
            return None if size < 0 else self.file.read(size + 2)[:-2]
        if kind == b"*":
            return None if int(rest) < 0 else [self.reply() for _ in range(int(rest))]
        return rest

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self.file.close()
            self.socket.close()


def kept_port() -> socket.socket:
    """A port for a server, and nobody else's while this is open, also between a kill and the next
    start: the system gives it to nobody, and who asks for it by its number may share it with one
    that does not listen."""
    keeper = socket.socket()
    keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    keeper.bind(("127.0.0.1", 0))
    return keeper


def die_with_parent() -> None:
    """A test that is killed leaves no server behind."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


class Redis:
    """A server on loopback, with a folder of its own. It can be killed and started again."""

    def __init__(self, rig: Rig, *words: str, name: str = "redis", program: str = "redis-server",
                 host: str = "127.0.0.1", wrapper: tuple[str, ...] = (), path: str = ""):
        """With a path: clients of the test come through a socket there, into any network."""
        if not shutil.which(program):
            raise Skip(f"there is no {program} here")
        self.rig = rig
        self.host = host
        self.path = path
        self._keeper = kept_port()
        self.port = self._keeper.getsockname()[1]
        self.folder = rig.folder / name
        self.folder.mkdir()
        self.words = (*wrapper, program, *words, "--port", str(self.port), "--bind", host,
                      "--dir", str(self.folder), "--daemonize", "no",
                      *(("--unixsocket", path) if path else ()))
        self.process: subprocess.Popen | None = None
        rig.processes.append(self)  # a server writes over its environment: no mark tells of it
        self.start()

    def start(self) -> None:
        log = open(self.folder / "log", "ab")
        with log:
            self.process = subprocess.Popen(self.words, env=self.rig.env, cwd=self.folder,
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            preexec_fn=die_with_parent)

    def wait_ready(self, seconds: float = 20) -> None:
        demand(eventually(self.is_ready, seconds),
               f"no answer from redis: {(self.folder / 'log').read_text()[-500:]}")

    def is_ready(self) -> bool:
        try:
            client = self.client()
            client.call("PING")
            client.close()
        except (Gone, Wrong):
            return False
        return True

    def client(self) -> Resp:
        return Resp(self.port, self.host, path=self.path)

    def url(self, port: int = 0) -> str:
        return f"redis://{self.host}:{port or self.port}"

    def signal(self, number: int) -> None:
        self.process.send_signal(number)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def close(self) -> None:
        self.kill()
        self._keeper.close()


GROUP = b'"totalTokens"'  # in whatever carries batches


class Wire:
    """Between a producer and a server: each group of batches takes `delay` longer, and the nth one
    is held, whole or from a share of it on, or its answer is. All connections share the count."""

    def __init__(self, port: int, delay: float = 0):
        self.port_of_server = port
        self.delay = delay
        self.hold_at = 0  # 0: never
        self.part = 0.0  # of the group that goes through before
        self.holds_answer = False
        self.held = threading.Event()
        self.free = threading.Event()
        self.groups = 0
        self.heard: list[bytes] = []  # what the server said
        self._lock = threading.Lock()
        self._is_closed = False
        sys.setswitchinterval(0.0005)  # else our own threads make the wire slow
        self._sockets: list[socket.socket] = []
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port = self._door.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while not self._is_closed:
            try:
                near, _ = self._door.accept()
                far = socket.create_connection(("127.0.0.1", self.port_of_server))
            except OSError:
                continue
            self._sockets += [near, far]
            waits = threading.Event()  # a group is on its way, and not answered
            for pump in (self._ask, self._answer):
                threading.Thread(target=self._guard, args=(pump, near, far, waits),
                                 daemon=True).start()

    @staticmethod
    def _guard(pump, near: socket.socket, far: socket.socket, waits: threading.Event) -> None:
        with contextlib.suppress(OSError):
            pump(near, far, waits)
        for side in (near, far):
            with contextlib.suppress(OSError):
                side.shutdown(socket.SHUT_RDWR)

    def _ask(self, near: socket.socket, far: socket.socket, waits: threading.Event) -> None:
        while data := near.recv(1 << 20):
            if GROUP in data and not waits.is_set():
                waits.set()
                data = self._group(data, far)
            far.sendall(data)

    def _group(self, data: bytes, far: socket.socket) -> bytes:
        """What is left to be sent."""
        with self._lock:
            self.groups += 1
            is_it = self.groups == self.hold_at
        pause(self.delay)
        if is_it and not self.holds_answer:
            cut = int(self.part * len(data))
            far.sendall(data[:cut])
            self.held.set()
            self.free.wait()
            return data[cut:]
        return data

    def _answer(self, near: socket.socket, far: socket.socket, waits: threading.Event) -> None:
        while data := far.recv(1 << 20):
            self.heard.append(data)
            is_group = waits.is_set()
            if self.holds_answer and is_group and self.groups >= self.hold_at > 0:
                self.held.set()
                self.free.wait()
            waits.clear()
            near.sendall(data)

    def hold(self, number: int, part: float = 0.0, holds_answer: bool = False) -> None:
        """From now on, and until let_go()."""
        self.held.clear()
        self.free.clear()
        self.part = part
        self.holds_answer = holds_answer
        self.hold_at = number

    def let_go(self) -> None:
        self.hold_at = 0
        self.free.set()

    def refusals(self) -> int:
        """Groups that the server would not have."""
        said = b"".join(self.heard)
        return said.count(b"-ERR The ID specified in XADD") + said.count(b"$5\r\nstale")

    def close(self) -> None:
        self._is_closed = True
        self.free.set()
        for each in (self._door, *self._sockets):
            with contextlib.suppress(OSError):
                each.close()
