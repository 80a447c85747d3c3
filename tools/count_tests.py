#!/usr/bin/env python3
"""Counts the tests that ctest ran, and lists the slowest. A shard of a test program counts as the tests in it.

usage: count_tests.py BUILD_FOLDER [SLOWEST]     prints "TOTAL FAILED SKIPPED", then the slowest tests, a line each

Reads junit.xml (ctest --output-junit) and gtest/*.xml (the reports of shards). A shard that failed without a report,
or whose report has no failure (a crash, a time limit), counts as one failure: silence is never success.
"""
import pathlib
import re
import sys
import xml.etree.ElementTree as xml

SHARD = re.compile(r"(.*)/shard_(\d+)$")


def of_junit(case):
    status = case.get("status")
    outcome = "passed" if status == "run" else "failed" if status == "fail" else "skipped"
    return case.get("name"), float(case.get("time") or 0), outcome


def of_shard(folder, report):
    for suite in xml.parse(report).getroot():
        for case in suite:
            failed = case.find("failure") is not None
            ran = case.get("status") == "run" and case.get("result") != "skipped"
            outcome = "failed" if failed else "passed" if ran else "skipped"
            yield f"{folder}/{suite.get('name')}.{case.get('name')}", float(case.get("time") or 0), outcome


def tests_of(build):
    for case in xml.parse(build / "junit.xml").getroot().iter("testcase"):
        name, seconds, outcome = of_junit(case)
        shard = SHARD.match(name)
        if not shard or outcome == "skipped":
            yield name, seconds, outcome
            continue
        report = build / "gtest" / f"{shard[1].replace('/', '_')}_test_{shard[2]}.xml"
        inside = list(of_shard(shard[1], report)) if report.is_file() else []
        yield from inside
        explained = any(test[2] == "failed" for test in inside)
        if not report.is_file() or (outcome == "failed" and not explained):
            yield name, seconds, "failed"


def main():
    build, slowest = pathlib.Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    tests = list(tests_of(build))
    print(len(tests), *(sum(test[2] == outcome for test in tests) for outcome in ("failed", "skipped")))
    for name, seconds, _ in sorted(tests, key=lambda test: -test[1])[:slowest]:
        print(f"{seconds:8.1f} s  {name}")


main()
