#!/usr/bin/env python3
"""Follows every link of every page, from the list of runs on, as somebody without JavaScript would: none is broken, all
pages have their headers, and no name of a file becomes markup.

environment: TIDEMILL
"""
import re
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

from site_under_test import Site, demand, demand_headers, main, wait_until

ELEMENTS = {"script": {"src", "defer"}, "form": {"class", "method", "action", "role"}}
MOST_PAGES = 2_000


class Page(HTMLParser):
    """The links and forms of a page; complains about what only a name could have brought in."""

    def __init__(self, url, text):
        super().__init__(convert_charrefs=True)
        self.url, self.links, self.open, self.text = url, set(), [], []
        self.feed(text)
        demand(not self.open, f"{url}: not closed: {self.open}")

    def handle_starttag(self, tag, attrs):
        names = {name for name, _ in attrs}
        demand(tag not in ("style", "iframe", "object", "embed", "b1", "i"), f"{self.url}: <{tag}>")
        demand(not any(name.startswith("on") or name == "style" for name in names), f"{self.url}: <{tag} {names}>")
        if tag in ELEMENTS:
            demand(names <= ELEMENTS[tag], f"{self.url}: <{tag} {names}>")
        for name, value in attrs:
            if name in ("href", "src", "action") and not value.startswith("#"):
                demand(value.startswith("/") and not value.startswith("//"), f"{self.url}: a link to {value}")
                self.links.add(urljoin(self.url, value))
        if tag not in ("meta", "link", "input", "br", "hr", "img", "wbr"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        demand(self.open and self.open.pop() == tag, f"{self.url}: </{tag}> closes something else")

    def handle_data(self, data):
        self.text.append(data)


def check_page(url, reply):
    text = reply.text
    demand(text.startswith("<!DOCTYPE html>"), f"{url}: not a page")
    marks = re.findall("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]", text)
    demand(not marks, f"{url}: has {marks}")
    demand(len(re.findall(r"<script\b", text)) == 1, f"{url}: more than one script")
    return Page(url, text)


def crawl(site):
    seen, todo, pages = set(), ["/"], {}
    while todo:
        path = todo.pop()
        if path in seen:
            continue
        seen.add(path)
        demand(len(seen) < MOST_PAGES, "the pages do not end")
        reply = site.ask(path)
        demand(reply.status in (200, 303), f"{path}: {reply.status}")
        demand_headers(reply, path)
        if reply.status == 303:
            todo.append(reply.header("Location"))
        elif reply.header("Content-Type") == "text/html; charset=utf-8":
            demand(reply.header("Cache-Control") == "no-cache, private", f"{path}: {reply.header('Cache-Control')}")
            pages[path] = check_page(path, reply)
            todo += pages[path].links
    return seen, pages


def check_that_all_are_there(site, seen, pages):
    for run in site.runs():
        demand(f"/run/{run}" in seen, f"{run} is not linked")
    for kind in (r"/run/[^/]+/failures/\d+", r"/run/[^/]+/tasks\?state=pending", r"/run/[^/]+/task/1",
                 r"/compare\?run=.+&with=.+", r"/style\.css\?\w{16}", r"/app\.js\?\w{16}"):
        demand(any(re.fullmatch(kind, path) for path in seen), f"no link to {kind}")
    words = "".join("".join(page.text) for page in pages.values())
    for name in ("<script>alert(1)<", r"new\nline", r"\u{202e}gnp.exe", r"bad\xff\xfename", "café 大", "'quoted'"):
        demand(name in words, f"{name} is not shown")
    demand(any("tidemill failures" in "".join(page.text) for page in pages.values()), "no command to copy")


def check_lists(site):
    run = next(run for run in site.runs() if site.ask(f"/run/{run}/failures/1").status == 200)
    for path in (f"/run/{run}/tasks?q=SCRIPT", f"/run/{run}/tasks?state=failed", f"/run/{run}/tasks?state=done",
                 f"/run/{run}/tasks?after=3", f"/run/{run}/tasks?after=x&state=%00&q=%ff%00%0a", "/?job=each",
                 "/?state=crashed", "/?after=20200101-0000-each", "/?after=%3Cb%3E&job=%22&state=%27", "/?job=nothing"):
        reply = site.ask(path)
        demand(reply.status == 200, f"{path}: {reply.status}")
        check_page(path, reply)
    demand("alert" in site.ask(f"/run/{run}/tasks?q=SCRIPT").text, "a search finds nothing")
    demand("alert" not in site.ask(f"/run/{run}/tasks?q=plain").text, "a search finds everything")
    demand("crashed" in site.ask("/?state=crashed").text.split("<tbody>")[1], "no crashed run is found")
    demand(site.ask(f"/run/{run}/tasks?id=2").header("Location") == f"/run/{run}/task/2", "no way to task 2")


def check_polling(site):
    reply = site.ask("/")
    tag = reply.header("ETag")
    again = site.ask("/", headers={"If-None-Match": tag})
    demand((again.status, again.body, again.header("ETag")) == (304, b"", tag), f"unchanged, and {again.status}")
    demand("data-poll" not in reply.text, "a page without a live run is asked for again")
    run = site.start_run()
    wait_until(lambda: "running" in site.ask(f"/run/{run}").text, "run in progress")
    for path in ("/", f"/run/{run}"):
        text = site.ask(path).text
        demand('data-poll="2000"' in text and '<noscript><meta http-equiv="refresh"' in text, f"{path} does not follow")
    demand(site.ask("/", headers={"If-None-Match": tag}).status == 200, "a new run is not seen")
    crawl(site)
    site.end_runs()
    demand("data-poll" not in site.ask(f"/run/{run}").text, "a page follows a run that has ended")


def check_changes(site):
    """What a run was like is kept while nobody writes to it."""
    row = re.compile(r'<tr>(?:(?!<tr>).)*crashed.*?</tr>')
    found = row.search(site.ask("/").text)
    demand(found, "no crashed run is listed")
    run = re.search(r"/run/([^\"]+)", found[0])[1]
    (site.folder / "go").touch()
    site.run("resume", run, "-q")
    demand(not row.search(site.ask("/").text), "a run that was resumed is still listed as crashed")


def check_errors(site):
    run = site.runs()[0]
    for path in ("/x", "/run", "/run/", "/run/x", f"/run/{run}x", f"/run/{run}/x", f"/run/{run}/task/0",
                 f"/run/{run}/task/99999999999999999999", f"/run/{run}/task/-1", f"/run/{run}/task/1/x",
                 f"/run/{run}/failures/99999", f"/run/{run}/failures/x", "/compare?run=x&with=y", "/run/last",
                 f"/run/{run[:-1]}"):
        reply = site.ask(path)
        demand(reply.status in (400, 404), f"{path}: {reply.status}")
        demand_headers(reply, path)
        check_page(path, reply)


def check_assets(site):
    for path in ("/style.css", "/app.js", "/favicon.ico", "/healthz", "/readyz"):
        reply = site.ask(path, is_signed_in=False)
        demand(reply.status == 200, f"{path}: {reply.status}")
        demand_headers(reply, path)
        demand(site.ask(path, method="HEAD").body == b"", f"{path}: HEAD has a body")
    zipped = site.ask("/app.js", headers={"Accept-Encoding": "gzip"})
    demand(zipped.header("Content-Encoding") == "gzip" and zipped.body[:2] == b"\x1f\x8b", "not compressed")
    exact = re.search(r"/app\.js\?\w{16}", site.ask("/").text)[0]
    demand("immutable" in site.ask(exact).header("Cache-Control"), "a script with its hash is asked for again")
    demand("immutable" not in site.ask("/app.js?0000000000000000").header("Cache-Control"), "a wrong hash is kept")


def test(site: Site):
    site.add_runs()
    site.start()
    seen, pages = crawl(site)
    check_that_all_are_there(site, seen, pages)
    check_lists(site)
    check_errors(site)
    check_assets(site)
    check_polling(site)
    check_changes(site)
    demand(site.end() == 0, "SIGTERM is not exit status 0")
    print(f"{len(pages)} pages, {len(seen)} links", flush=True)


if __name__ == "__main__":
    main(test)
