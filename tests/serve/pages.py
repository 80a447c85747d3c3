#!/usr/bin/env python3
"""Has the pages of finished runs looked at in a browser, wide and narrow, light and dark, with and without JavaScript.

environment: TIDEMILL, NODE, LOOK, MODULES as of tidemill_page_test
"""
import os
import subprocess
import sys

from site_under_test import Site, demand, main

MOST = 300_000  # bytes of a page


def test(site: Site):
    site.add_runs()
    site.start()
    failed = next(run for run in site.runs() if site.ask(f"/run/{run}/failures/1").status == 200)
    other = next(run for run in site.runs() if run != failed and run.split("-")[2:3] == ["each"])
    paths = ["/", f"/run/{failed}", f"/run/{failed}/failures", f"/run/{failed}/failures/1", f"/run/{failed}/tasks",
             f"/run/{failed}/task/1", f"/compare?run={failed}&with={other}"]
    for path in paths:
        demand(site.ask(path).status == 200, f"{path}: {site.ask(path).status}")
    words = [os.environ["NODE"], os.environ["LOOK"], "--most-bytes", str(MOST), "--cookie", site.cookie]
    pictures = os.environ.get("PICTURES")  # by hand: a folder for them
    looked = subprocess.run([*words, *(["--pictures", pictures] if pictures else []),
                             *(site.url + path for path in paths)], check=False)
    if looked.returncode:
        sys.exit(looked.returncode)


if __name__ == "__main__":
    main(test)
