#!/usr/bin/env python3
"""What checking e-books costs, beside EPUBCheck and beside the least that can be done.

  books.py --program build/release/tidemill --floor build/release/bench/books_floor --books FOLDER
           --epubcheck epubcheck.jar --share build/release/share/tidemill [--rounds N] [--cli N]

CPU seconds (user and system, all processes) of: tidemill (2 workers, no shelf), the floor (every XML document inflated and
parsed, nothing looked at), EPUBCheck in one virtual machine for all books, tidemill with --checker epubcheck (warm
machines), and EPUBCheck's own command line for a few books, one process each. All in turns, in one run; medians and ratios.
"""
import argparse
import os
import pathlib
import resource
import statistics
import subprocess
import tempfile


def cost(command, text=None):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, input=text, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)


def peak(command):
    """The largest resident size of the program, its fork server and its sandboxes together, in MB; looked at often."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    most = 0
    while process.poll() is None:
        parents, sizes = {}, {}
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
                parents[int(entry.name)] = int(fields[1])
                sizes[int(entry.name)] = int(fields[21]) * 4096
            except (OSError, IndexError):
                continue
        family, grew = {process.pid}, True
        while grew:
            more = {pid for pid, parent in parents.items() if parent in family} - family
            grew = bool(more)
            family |= more
        most = max(most, sum(sizes.get(pid, 0) for pid in family))
    return most / 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    for name in ("program", "floor", "books", "epubcheck", "share"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cli", type=int, default=3)
    options = parser.parse_args()
    books = sorted(str(path) for path in pathlib.Path(options.books).rglob("*.epub"))
    vendor = os.path.dirname(options.epubcheck)
    java = ["java", "-XX:+UseSerialGC", "-Xmx1g", "-cp", f"{options.epubcheck}:{vendor}/lib/*:{options.share}/warm.jar", "Warm"]
    lines = "".join(f"default\t{book}\n" for book in books).encode()
    tidemill = [options.program, "books", "check", "--no-cache", "-q", "--json", "-w", "2", options.books]
    contest = {
        "tidemill": lambda: cost(tidemill),
        "floor": lambda: cost([options.floor, *books]),
        "EPUBCheck, one machine": lambda: cost(java, lines),
        "tidemill --checker epubcheck": lambda: cost([*tidemill, "--checker", "epubcheck", "--epubcheck", options.epubcheck]),
    }
    times = {name: [] for name in contest}
    for _ in range(options.rounds):
        for name, run in contest.items():
            times[name].append(run())
    middle = {name: statistics.median(values) for name, values in times.items()}
    sample = books[:: max(1, len(books) // options.cli)][: options.cli]
    with tempfile.TemporaryDirectory() as scratch:
        alone = [cost(["java", "-jar", options.epubcheck, book, "-q", "-j", os.path.join(scratch, "x")]) for book in sample]
    print(f"{len(books)} books, {options.rounds} rounds, CPU seconds, median (all)")
    for name, values in times.items():
        print(f"  {name:30} {middle[name]:8.2f}  ({' '.join(f'{v:.2f}' for v in values)})")
    print(f"  EPUBCheck's command line        {statistics.mean(alone):8.2f}  a book ({len(sample)} books)")
    ours = middle["tidemill"]
    print(f"EPUBCheck in one machine : tidemill = {middle['EPUBCheck, one machine'] / ours:.1f}")
    print(f"tidemill : floor = {ours / middle['floor']:.2f}")
    print(f"EPUBCheck's command line : warm, a book = {statistics.mean(alone) / (middle['tidemill --checker epubcheck'] / len(books)):.1f}")
    print(f"memory with 2 workers, all processes: {peak(tidemill):.0f} MB")


main()
