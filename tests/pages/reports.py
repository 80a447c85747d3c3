#!/usr/bin/env python3
"""Makes reports of real runs of every job, and has them looked at in a browser, opened from their files.

The runs are the scenes of the JSON tests (tests/json/scenes.py): small inputs, hostile names, failures. One run of each
job is enough; the newest one with something in it is taken. Ends with 77 if something is missing on this machine.

environment: TIDEMILL, NODE, LOOK, MODULES as of tidemill_page_test; STUB: the stub of a document server
"""
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "json"))
import scenes  # noqa: E402

JOBS = ("each", "dupes-scan", "dupes", "import", "batch", "books-check", "books-repair", "docs")
SCENES = (scenes.each, scenes.dupes, scenes.imports, scenes.batch, scenes.books, scenes.docs)
MOST = 300_000  # bytes of a report


def job_of(run):
    words = run.split("-")[2:]
    return "-".join(words[:-1] if words[-1].isdigit() else words)


def runs_of(place):
    """The runs and finished commands of a place, the newest first."""
    folders = [folder for parent in ("runs", "finished")
               for folder in (place.base / "state" / parent).glob("[0-9]*") if folder.is_dir()]
    return [folder.name for folder in sorted(folders, key=lambda folder: folder.stat().st_mtime_ns, reverse=True)]


def report(place, run, path, *more):
    subprocess.run([place.program, "report", run, "-o", path, *more], cwd=place.folder, env=place.env, check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=60)
    return path


def reports_of(place, wanted, folder):
    """A report of each job that has a run here; of the first job with two runs, one that compares them."""
    made, seen = [], {}
    for run in runs_of(place):
        seen.setdefault(job_of(run), []).append(run)
    for job in wanted & seen.keys():
        best = max(seen[job], key=lambda run: os.path.getsize(report(place, run, folder / f"{job}.html")))
        made.append(report(place, best, folder / f"{job}.html"))
    for job, runs in seen.items():
        if job == "each" and len(runs) > 1:
            made.append(report(place, runs[0], folder / "compared.html", "--compare", runs[1]))
    return made


def main():
    wanted, absent = set(JOBS), []
    with tempfile.TemporaryDirectory(prefix="reports-") as folder:
        pages = []
        for scene in SCENES:
            place = scenes.Place(os.environ["TIDEMILL"], os.environ.get("STUB"), lambda *_: None)
            try:
                scene(place)
            except scenes.Absent as missing:
                absent.append(str(missing))
            try:
                made = reports_of(place, wanted, pathlib.Path(folder))
            except subprocess.CalledProcessError as failed:
                sys.exit(f"{' '.join(map(str, failed.cmd))}: {failed.stderr.decode(errors='replace')}")
            finally:
                place.close()
            wanted -= {page.stem for page in made}
            pages += made
        if wanted and not absent:
            sys.exit(f"no run of {', '.join(sorted(wanted))} left anything to report")
        looked = subprocess.run([os.environ["NODE"], os.environ["LOOK"], "--most-bytes", str(MOST), *pages], check=False)
    if looked.returncode == 0 and absent:
        print("NOT TESTED:", ", ".join(sorted(wanted)), "need", ", ".join(absent))
        return 77
    return looked.returncode


if __name__ == "__main__":
    sys.exit(main())
