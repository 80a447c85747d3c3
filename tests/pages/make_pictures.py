#!/usr/bin/env python3
"""Makes the pictures of reports in docs/pictures: of real runs over made-up files. Run it when the look has changed:

  tests/install_packages.sh pages build/release/pages
  MODULES=$PWD/build/release/pages tests/pages/make_pictures.py build/release/tidemill docs/pictures
"""
import contextlib
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
COMMAND = r"""
n=$(cksum <"$1" | cut -d' ' -f1)
sleep "0.0$((n % 60 + 10))"
case $((n % 61)) in
  0) echo "no such profile: Display P3" >&2; exit 1;;
  1) [ $((n % 5)) = 0 ] && kill -9 $$;;
  2) [ $((n % 7)) = 0 ] && sleep 1.4;;
esac
exit 0
"""


def photos(folder):
    """Files like those of somebody who takes pictures, some of them twice."""
    dice = random.Random(5)
    for i in range(2_400):
        place = folder / f"photos/{2019 + i // 400}/{i // 40 % 12 + 1:02}"
        place.mkdir(parents=True, exist_ok=True)
        (place / f"IMG_{i:04}.jpg").write_bytes(dice.randbytes(dice.choice((900, 4_000, 30_000, 120_000))))
    for i in range(0, 2_400, 9):
        original = folder / f"photos/{2019 + i // 400}/{i // 40 % 12 + 1:02}/IMG_{i:04}.jpg"
        copy = folder / f"old-laptop/{dice.choice(('desktop', 'camera', 'to-sort'))}/{original.name}"
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(original.read_bytes())


def main():
    program, into = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    with tempfile.TemporaryDirectory(prefix="pictures-") as name:
        base = pathlib.Path(name)
        home = base / "home"
        home.mkdir()
        photos(home)
        script = base / "optimise"
        script.write_text("#!/bin/sh\n" + COMMAND)
        script.chmod(0o755)
        env = os.environ | {"HOME": str(home), "TIDEMILL_STATE": str(base / "state"),
                            "PATH": f"{base}:{os.environ['PATH']}"}

        def run(*words, **more):
            return subprocess.run([program, *words], cwd=home, env=env, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, check=False, **more)
        each = subprocess.Popen([program, "each", "-q", "-j", "6", "photos", "--", "optimise", "{}"], cwd=home, env=env,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            each.wait(8)
        each.kill()  # as a power cut would
        each.wait()
        signal.sigtimedwait([], 5)  # nobody works on the run
        run("resume", "last", "-q")
        run("dupes", "photos", "old-laptop")
        for run_name, file in (("last-each", "report"), ("last-dupes-scan", "dupes")):
            subprocess.run([program, "report", run_name, "-o", base / f"{file}.html"], cwd=home, env=env, check=True)
        pictures = [{"name": "report", "page": str(base / "report.html"), "height": 900},
                    {"name": "report-dupes", "page": str(base / "dupes.html"), "height": 1100}]
        subprocess.run(["node", HERE / "pictures.mjs", into], input=json.dumps(pictures), text=True, check=True)


if __name__ == "__main__":
    main()
