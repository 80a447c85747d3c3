#!/usr/bin/env python3
"""Counting tokens: ours beside the npm packages that people use. One thread, CPU time.

tokens.py --bench TOKENS_BENCH --tables DIR --modules NODE_MODULES [--list FILE] [--rounds 5]

Every round starts each contestant anew, in an order drawn for the round; it gets the texts into
memory, counts all of them, and counts all of them again. Ours is fed bytes and finds out itself
whether they are UTF-8; the others get texts that were decoded before. NODE_MODULES: what
`npm install` made of tests/tokens/package.json and the packages named below. Without --list, texts
are looked for as in tests/tokens/compare.py. A line is added for each contestant that counts
differently from `tiktoken`.
"""
import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "tests", "tokens"))
from compare import PLACES, look_for_files  # noqa: E402

RIVALS = {"cl100k_base": ["tiktoken-node", "tiktoken", "gpt-tokenizer", "ai-tokenizer"],
          "o200k_base": ["tiktoken", "gpt-tokenizer", "ai-tokenizer"]}
# encoding, rival, pass of the rival, least ratio of its CPU time to that of our first pass
GOALS = [("cl100k_base", "tiktoken-node", "second", 15), ("cl100k_base", "ai-tokenizer", "second", 6),
         ("o200k_base", "ai-tokenizer", "second", 6)]


def version_of(modules, package):
    with open(os.path.join(modules, package, "package.json"), encoding="utf-8") as file:
        return json.load(file)["version"]


def play(options, contestant, encoding):
    if contestant == "tidemill":
        command = [options.bench, "--passes", options.tables, options.list, encoding]
    else:
        command = ["node", os.path.join(HERE, "tokens_rivals.mjs"), contestant, encoding,
                   options.modules, options.list]
    run = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    return json.loads(run.stdout)


def busy_and_total():
    """Ticks of all processors since the start: at work, and in all."""
    with open("/proc/stat", encoding="ascii") as file:
        ticks = list(map(int, file.readline().split()[1:9]))
    return sum(ticks) - ticks[3] - ticks[4], sum(ticks)


def own_ticks():
    times = os.times()
    return (times.user + times.system + times.children_user + times.children_system) * \
        os.sysconf("SC_CLK_TCK")


def contest(options, encoding, dice):
    contestants = ["tidemill", *RIVALS[encoding]]
    played = {name: [] for name in contestants}
    for _ in range(options.rounds):
        for name in dice.sample(contestants, len(contestants)):
            played[name].append(play(options, name, encoding))
    return played


def rate(turn, which):
    return turn["bytes"] / turn[which] / 1e6


def print_table(options, encoding, played):
    ours = played["tidemill"]
    print(f"\n{encoding}: {ours[0]['bytes'] / 1e6:.1f} MB, {ours[0]['tokens']:,} tokens, "
          f"{options.rounds} rounds, medians")
    print("  contestant                MB/s by CPU           ours is faster by")
    print("                          first    second    first pass   second pass")
    for name, turns in played.items():
        shown = name if name == "tidemill" else f"{name} {version_of(options.modules, name)}"
        rates = [statistics.median(rate(turn, which) for turn in turns)
                 for which in ("first", "second")]
        ratios = [statistics.median(their[which] / our["first"] for our, their in zip(ours, turns))
                  for which in ("first", "second")]
        print(f"  {shown:22} {rates[0]:8.1f}  {rates[1]:8.1f}"
              + ("" if name == "tidemill" else f"  {ratios[0]:10.1f} x  {ratios[1]:10.1f} x"))
    right = played["tiktoken"][0]["tokens"]
    for name, turns in played.items():
        if turns[0]["tokens"] != right:
            print(f"  {name} is wrong: {turns[0]['tokens']:,} tokens, tiktoken has {right:,}")
    for wanted, rival, which, least in GOALS:
        if wanted == encoding:
            ratio = statistics.median(their[which] / our["first"]
                                      for our, their in zip(ours, played[rival]))
            print(f"  goal: {rival}, its {which} pass, {least} x: {ratio:.1f} x  "
                  f"{'ok' if ratio >= least else 'MISS'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", required=True)
    parser.add_argument("--tables", required=True)
    parser.add_argument("--modules", required=True)
    parser.add_argument("--list")
    parser.add_argument("--files", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    dice = random.Random(options.seed)
    with tempfile.TemporaryDirectory(prefix="tidemill-tokens-") as folder:
        if not options.list:
            names = look_for_files(PLACES, options.files, folder)
            options.list = os.path.join(folder, "list")
            with open(options.list, "wb") as file:
                file.write(b"\0".join(map(os.fsencode, names)))
        before, mine = busy_and_total(), own_ticks()
        print(time.strftime("tokens.py, %Y-%m-%d %H:%M UTC", time.gmtime()),
              f"node {subprocess.run(['node', '--version'], capture_output=True, text=True).stdout.strip()},",
              f"load {os.getloadavg()[0]:.2f}, order by seed {options.seed}")
        for encoding in RIVALS:
            print_table(options, encoding, contest(options, encoding, dice))
        busy, total = (b - a for a, b in zip(before, busy_and_total()))
        foreign = max(0.0, busy - (own_ticks() - mine)) / total
        print(f"\nthe machine did other things with {100 * foreign:.0f} % of its processors meanwhile")


if __name__ == "__main__":
    main()
