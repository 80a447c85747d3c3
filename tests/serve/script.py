#!/usr/bin/env python3
"""The script of the pages, in a browser, on the page of a run in progress (script.mjs).

environment: TIDEMILL, NODE, MODULES as of tidemill_page_test
"""
import os
import pathlib
import subprocess
import sys

from site_under_test import Site, main, wait_until


def test(site: Site):
    site.add_files()
    site.start()
    run = site.start_run()
    # With samples there are plots, and below them details.
    wait_until(lambda: "<details>" in site.ask(f"/run/{run}").text, "plot")
    script = pathlib.Path(__file__).with_suffix(".mjs")
    done = subprocess.run([os.environ["NODE"], script, f"{site.url}/run/{run}", site.cookie, site.folder / "stop"],
                          check=False, timeout=200)
    site.end_runs()
    if done.returncode:
        sys.exit(done.returncode)


if __name__ == "__main__":
    main(test)
