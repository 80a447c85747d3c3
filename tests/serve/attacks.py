#!/usr/bin/env python3
"""Attacks on `serve` over real sockets: without the token, from pages of other sites, through names that point here, with
paths and headers that lead elsewhere. What must stay secret is a word in the name of a file.

environment: TIDEMILL
"""
import contextlib
import os
import signal
import socket
import stat

from site_under_test import LIMIT, Site, demand, demand_headers, main

SECRET = b"plain.txt"


def raw(site, text, path=None):
    """The whole answer to these bytes."""
    client = socket.socket(socket.AF_UNIX if path else socket.AF_INET)
    with contextlib.closing(client):
        client.settimeout(LIMIT)
        client.connect(str(path) if path else ("127.0.0.1", site.port))
        client.sendall(text if isinstance(text, bytes) else text.encode())
        client.shutdown(socket.SHUT_WR)
        answer = b""
        while block := client.recv(1 << 16):
            answer += block
    return answer


def status_of(answer):
    return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/1.1 ") else 0


def paths_of(site):
    run = next(run for run in site.runs() if site.ask(f"/run/{run}/task/1").status == 200)
    paths = ["/", f"/run/{run}", f"/run/{run}/tasks", f"/run/{run}/task/1", f"/run/{run}/failures", "/compare", "/x",
             f"/run/{run}/failures/1", "/run/nothing"]
    demand(any(SECRET in site.ask(path).body for path in paths), "the secret is nowhere")
    return paths


def without_token(site, paths):
    wrong = "0" * 64
    near = site.token[:-1] + ("0" if site.token[-1] != "0" else "1")
    ways = [{}, {"Cookie": ""}, {"Cookie": f"tidemill-{site.port}="}, {"Cookie": f"tidemill-{site.port}={wrong}"},
            {"Cookie": f"tidemill-{site.port}={near}"}, {"Cookie": f"tidemill-{site.port}={site.token[:-1]}"},
            {"Cookie": f"tidemill-{site.port}={site.token}0"}, {"Cookie": f"tidemill-{site.port + 1}={site.token}"},
            {"Cookie": site.token}, {"Authorization": f"Bearer {site.token}"}, {"X-Forwarded-For": "127.0.0.1"}]
    answers = set()
    for path in paths:
        for way in ways:
            reply = site.ask(path, headers=way, is_signed_in=False)
            answers.add((reply.status, reply.body, reply.header("Set-Cookie"), reply.header("ETag")))
            demand_headers(reply, path)
        for text in ("token=", f"token={wrong}", f"token={near}", f"token={site.token.upper()}X", f"Token={site.token}",
                     f"token=x&token={site.token}"):
            reply = site.ask(f"{path}?{text}", is_signed_in=False)
            answers.add((reply.status, reply.body, reply.header("Set-Cookie"), reply.header("ETag")))
    demand(len(answers) == 1, f"who has no token can tell {len(answers)} answers apart")
    status, body, cookie, tag = answers.pop()
    demand((status, cookie, tag) == (401, None, None), f"without the token: {status}, {cookie}")
    demand(b"token" in body and SECRET not in body and str(site.base).encode() not in body, "the page says too much")
    demand(site.ask("/", method="HEAD", is_signed_in=False).status == 401, "HEAD needs no token")


def first_visit(site):
    reply = site.ask(f"/compare?a=1&token={site.token}&b=%0d%0aX-Evil:%20x", is_signed_in=False)
    demand(reply.status == 303, f"the token: {reply.status}")
    demand(site.token not in reply.header("Location") and reply.header("X-Evil") is None, "the redirect says too much")
    cookie = reply.header("Set-Cookie")
    demand(cookie == f"{site.cookie}; HttpOnly; SameSite=Strict; Path=/", f"the cookie is {cookie}")
    demand_headers(reply, "the first visit")
    demand(site.ask("/", headers={"Cookie": cookie.split(";")[0]}, is_signed_in=False).status == 200, "not let in")
    for path in ("//evil.example/", "/\\evil.example", "/%2f/evil.example", "https://evil.example/"):
        answer = raw(site, f"GET {path}?token={site.token} HTTP/1.1\r\nHost: 127.0.0.1:{site.port}\r\n\r\n")
        demand(b"evil" not in answer or b"Location: /%" in answer, f"{path} leads to {answer[:300]!r}")
        demand(b"Location: //" not in answer and b"Location: http" not in answer, f"{path}: {answer[:300]!r}")


def foreign_names(site, paths):
    """Whoever makes evil.example point to 127.0.0.1 has the cookies of evil.example only; with the token, too."""
    for host in ("evil.example", f"evil.example:{site.port}", f"127.0.0.1.evil.example:{site.port}", "127.0.0.1:1",
                 "localhost", f"localhost.:{site.port}", f"0.0.0.0:{site.port}", f"[::]:{site.port}", "",
                 f"127.0.0.1:{site.port}@evil.example", f"evil.example#127.0.0.1:{site.port}", f"2130706433:{site.port}"):
        for path in (*paths, f"/?token={site.token}", "/style.css", "/healthz"):
            reply = site.ask(path, headers={"Host": host})
            demand(reply.status in (400, 421), f"{host!r}: {path}: {reply.status}")
            demand(SECRET not in reply.body and reply.header("Set-Cookie") is None, f"{host!r}: {path} says too much")
    for host in (f"localhost:{site.port}", f"LOCALHOST:{site.port}", f"[::1]:{site.port}"):
        demand(site.ask("/", headers={"Host": host}).status == 200, f"{host} is refused")
    for head in ("GET / HTTP/1.1", "GET / HTTP/1.0", f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{site.port}\r\nHost: evil.example",
                 f"GET http://evil.example/ HTTP/1.1\r\nHost: 127.0.0.1:{site.port}"):
        answer = raw(site, f"{head}\r\nCookie: {site.cookie}\r\n\r\n")
        demand(status_of(answer) in (400, 421) and SECRET not in answer, f"{head!r}: {answer[:200]!r}")


def foreign_sites(site):
    for headers in ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"},
                    {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors", "Origin": "http://127.0.0.1:9"},
                    {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "websocket"}):
        reply = site.ask("/", headers=headers)
        demand(reply.status == 403 and SECRET not in reply.body, f"{headers}: {reply.status}")
    for name in ("Access-Control-Allow-Origin", "Access-Control-Allow-Credentials"):
        demand(site.ask("/", headers={"Origin": "http://evil.example"}).header(name) is None, f"{name} is sent")


def methods(site, paths):
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "get", "PROPFIND"):
        for path in paths:
            reply = site.ask(path, method=method, body=b"a=b" if method == "POST" else None)
            demand(reply.status == 405 and reply.header("Allow") == "GET, HEAD", f"{method} {path}: {reply.status}")
            demand_headers(reply, path)


def places(site, paths):
    """A path in a URL is never a path of a file."""
    (site.base / "journal.db").write_bytes(SECRET)
    run = paths[1].removeprefix("/run/")
    for path in ("/run/..", "/run/../..", "/run/%2e%2e", "/run/..%2f..%2fetc%2fpasswd", "/run//etc/passwd", "/run/.",
                 f"/run/../runs/{run}", f"/run/..%2fruns%2f{run}", f"/run/{run}/../..", f"/run/{run}%00", "/run/%00",
                 f"/run/{run}%2f", "/serve.token", "/state/serve.token", "/run/serve.token", f"/run/{run}%2fjournal.db",
                 "/run/.forgotten-x", "/style.css/../serve.token", "/run/" + "a" * 10_000, "/" + "a/" * 40,
                 f"/compare?run=../../..&with={run}", f"/compare?run={run}&with=%2fetc%2fpasswd", "/run/%zz", "/?a=%zz"):
        answer = raw(site, f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{site.port}\r\nCookie: {site.cookie}\r\n\r\n")
        demand(status_of(answer) in (400, 404), f"{path[:80]}: {answer[:100]!r}")
        demand(site.token.encode() not in answer and b"root:" not in answer, f"{path[:80]} shows a file")


def private_files(site):
    mode = stat.S_IMODE((site.state / "serve.token").stat().st_mode)
    demand(mode == 0o600, f"serve.token has mode {mode:o}")


def unix_socket(site):
    path = site.base / "socket"
    site.start("--listen", f"unix:{path}")
    demand(stat.S_IMODE(path.stat().st_mode) == 0o600, "others can open the socket")
    cookie = f"Cookie: tidemill-0={site.token}\r\n"
    for host, cookies, wanted in (("localhost", "", 401), ("localhost", cookie, 200), ("127.0.0.1:8585", cookie, 200),
                                  ("evil.example", cookie, 421)):
        answer = raw(site, f"GET / HTTP/1.1\r\nHost: {host}\r\n{cookies}\r\n", path)
        demand(status_of(answer) == wanted, f"{host} at the socket: {answer[:100]!r}")
    demand(site.end(signal.SIGINT) == 0 and not path.exists(), "the socket stays")


def test(site: Site):
    site.add_runs()
    os.umask(0)
    site.start()
    paths = paths_of(site)
    without_token(site, paths)
    first_visit(site)
    foreign_names(site, paths)
    foreign_sites(site)
    methods(site, paths)
    places(site, paths)
    private_files(site)
    demand(site.ask("/").status == 200, "it does not answer any more")
    demand(site.end(signal.SIGINT) == 0, "SIGINT is not exit status 0")
    unix_socket(site)


if __name__ == "__main__":
    main(test)
