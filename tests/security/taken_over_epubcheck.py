#!/usr/bin/env python3
"""EPUBCheck's virtual machine, taken over by a book, has nowhere to go.

In the place of EPUBCheck stands a class that tries what an attacker would, and writes down what worked: to read a key
in another folder, to write elsewhere, to find a key in the environment or in that of its parent, to reach the network,
to end its parent.
"""
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys

from neighbour import Rig, demand, eventually, run_test
from rig import Skip

ATTACKER = """
package com.adobe.epubcheck.api;
import java.nio.file.*;
import java.util.*;
public class Report {
  static final List<String> done = new ArrayList<>();
  interface Try { boolean works() throws Throwable; }
  static void attempt(String name, Try it) {
    try { if (it.works()) done.add('"' + name + '"'); } catch (Throwable no) { }
  }
  static {
    String home = "HOME";
    attempt("read a key", () -> Files.readString(Path.of(home + "/secret/key")).length() > 0);
    attempt("write elsewhere", () -> { Files.writeString(Path.of(home + "/escaped"), "x"); return true; });
    attempt("change the book", () -> { Files.writeString(Path.of(home + "/library/a.epub"), "x"); return true; });
    attempt("see the environment", () -> System.getenv("SECRET") != null);
    attempt("see its parent's", () -> Files.readString(Path.of(
        "/proc/" + ProcessHandle.current().parent().get().pid() + "/environ")).contains("sesame"));
    attempt("connect", () -> { new java.net.Socket("127.0.0.1", PORT).close(); return true; });
    attempt("start a program that writes", () -> new ProcessBuilder(
        "/bin/sh", "-c", "echo x >" + home + "/escaped").start().waitFor() == 0);
    attempt("end its parent", () -> new ProcessBuilder("/bin/sh", "-c",
        "kill -9 " + ProcessHandle.current().parent().get().pid()).start().waitFor() == 0);
    attempt("read the book", () -> Files.readAllBytes(Path.of(home + "/library/a.epub")).length > 0);
    attempt("write where it may", () -> {
      Path folder = Path.of(System.getProperty("java.io.tmpdir"));
      done.add("\\"write where it may\\"");
      Files.writeString(folder.resolve("part"), done.toString());
      Files.move(folder.resolve("part"), folder.resolve("done"));
      Thread.currentThread().join();  // until it is ended
      return true;
    });
  }
}
"""


def attack(rig: Rig, _chosen) -> None:
    warm = pathlib.Path(rig.program).parent / "share" / "tidemill" / "warm.jar"
    if not warm.exists() or not shutil.which("javac") or not shutil.which("java"):
        raise Skip("NOT TESTED: a virtual machine that was taken over needs a JDK and warm.jar")
    for name in ("secret", "library", "attacker", "temporary"):
        (rig.folder / name).mkdir()
    (rig.folder / "secret" / "key").write_text("sesame")
    books = pathlib.Path(__file__).resolve().parent.parent / "books"
    subprocess.run([sys.executable, books / "make_book.py", rig.folder / "library" / "a.epub"], check=True)
    book = (rig.folder / "library" / "a.epub").read_bytes()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        source = rig.folder / "attacker" / "Report.java"
        source.write_text(ATTACKER.replace("HOME", str(rig.folder)).replace("PORT", str(listener.getsockname()[1])))
        subprocess.run(["javac", "-d", rig.folder / "attacker", source], check=True, capture_output=True)
        subprocess.run(["jar", "--create", "--file", rig.folder / "attacker" / "epubcheck.jar",
                        "-C", rig.folder / "attacker", "com"], check=True)
        rig.env |= {"TMPDIR": str(rig.folder / "temporary"), "SECRET": "sesame"}
        process = rig.start("books", "check", "library", "--checker", "epubcheck", "--no-cache",
                            "--epubcheck", str(rig.folder / "attacker" / "epubcheck.jar"))

        def report() -> pathlib.Path | None:
            return next((rig.folder / "temporary").glob("*/done"), None)
        demand(eventually(lambda: report() or process.has_ended(), 60), "the attacker did not come to its end")
        demand(not (rig.folder / "escaped").exists(), "the attacker has written elsewhere")
        demand(report() is not None, f"it is not confined to a folder of its own: {process.errors()}{process.lines}")
        worked = json.loads(report().read_text())
    demand(worked == ["read the book", "write where it may"], f"the attacker could {worked}")
    demand((rig.folder / "library" / "a.epub").read_bytes() == book, "the book was changed")
    demand(report().parent.stat().st_mode & 0o077 == 0, "its folder is open to others")
    process.signal(2)
    process.wait(60)
    demand(not os.listdir(rig.folder / "temporary"), "its folder was left behind")


if __name__ == "__main__":
    sys.exit(run_test(__doc__, 1, attack))
