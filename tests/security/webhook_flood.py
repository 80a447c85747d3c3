#!/usr/bin/env python3
"""Clients that send thousands of requests at once and never read: others are answered all the same.

Against `docs run --webhook`, again and again:

  near   16 clients from the address of the honest client
  far    100 clients from another one; they may have some of the places, and not all

Each sends as many requests as the system takes, reads nothing, and stays. Right after that the honest client sends
a signed event over a new connection, ten times. Its slowest answer must come within LIMIT, without what the machine
itself took (tests/faults/slowness.py). Not all of that can be seen, so what is too slow is measured again: a thread that
waits for a client holds others up every time. The server behind the webhooks is not there: these events ask for no
work.
"""
import argparse
import contextlib
import http.client
import json
import socket
import sys
import time
from types import SimpleNamespace

from neighbour import HERE, Rig, demand, run_test

sys.path.insert(0, str(HERE.parent / "docs"))
from hooks import Hook, a_uuid, now, signature  # noqa: E402  (tests/docs)

LIMIT = 0.2  # seconds
TRIES = 3
BLOCK = b"GET / HTTP/1.1\r\n\r\n" * 3600  # what is read at once
BODY = json.dumps({"id": a_uuid("delivery"), "event": "users.signin", "payload": {"id": a_uuid("user")}}).encode()


def client_from(address: str, port: int) -> socket.socket:
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.bind((address, 0))
    client.connect(("127.0.0.1", port))
    client.setblocking(False)
    return client


def send_all_it_takes(client: socket.socket) -> None:
    with contextlib.suppress(OSError):  # full, or cut off already
        while client.send(BLOCK):
            pass


def answer_time(rig: Rig, port: int) -> float:
    began = time.monotonic()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    with contextlib.closing(connection):
        connection.request("POST", "/", BODY, {"outline-signature": signature(BODY, now())})
        status = connection.getresponse().status
    took = rig.slowness.fair(began)
    demand(status == 200, f"the honest client is answered {status}")
    return took


def slowest_beside(rig: Rig, hook: Hook, address: str, count: int, rounds: int) -> float:
    best = measure_beside(rig, hook, address, count, rounds)
    for _ in range(TRIES - 1):
        if best >= LIMIT:
            print(f"{1000 * best:.1f} ms beside {count} clients, once more", flush=True)
            best = min(best, measure_beside(rig, hook, address, count, rounds))
    return best


def measure_beside(rig: Rig, hook: Hook, address: str, count: int, rounds: int) -> float:
    times = []
    for _ in range(rounds):
        with contextlib.ExitStack() as stack:
            clients = [stack.enter_context(client_from(address, hook.port)) for _ in range(count)]
            for _ in range(10):
                for client in clients:
                    send_all_it_takes(client)
                times.append(answer_time(rig, hook.port))
    return max(times)


def test(rig: Rig, chosen: argparse.Namespace) -> None:
    _ = rig.slowness
    hook = Hook(rig, SimpleNamespace(url="http://127.0.0.1:9"))
    hook.start()
    alone = max(answer_time(rig, hook.port) for _ in range(20))
    near = slowest_beside(rig, hook, "127.0.0.1", 16, chosen.count)
    far = slowest_beside(rig, hook, "127.0.0.2", 100, chosen.count)
    print(f"slowest answer: {1000 * alone:.1f} ms alone, {1000 * near:.1f} ms beside 16 clients, "
          f"{1000 * far:.1f} ms beside 100 of another address", flush=True)
    demand(near < LIMIT, f"16 clients that do not read hold others up: {near:.2f} s")
    demand(far < LIMIT, f"100 clients that do not read hold others up: {far:.2f} s")
    hook.end()


if __name__ == "__main__":
    sys.exit(run_test(__doc__, 10, test))
