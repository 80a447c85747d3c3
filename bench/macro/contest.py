"""A contest of programs: fair turns, what each cost, the ratios between them and the goals.

CPU time is user + system, RSS the largest resident size (cost_of.cc). Ratios are the median over
the rounds of the ratio within a round, so that a slow minute of the machine hurts all alike; beside
it the least and the most.
"""
import collections
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys
import time

Cost = collections.namedtuple("Cost", "wall cpu rss")
# `state`: TIDEMILL_STATE; `fresh`: this folder is deleted before each run.
Contestant = collections.namedtuple("Contestant", "command state fresh", defaults=(None, False))
# Of `ours` at most `limit` times the best of `theirs`, measured in one of the fields of Cost.
Goal = collections.namedtuple("Goal", "text ours field theirs limit")


def version_of(program):
    said = subprocess.run([program, "--version"], capture_output=True, check=False)
    lines = (said.stdout or said.stderr).decode(errors="replace").splitlines()
    return lines[0].strip() if lines else "unknown version"


def worthless(why):
    sys.exit(f"{why}: the figures would be worthless")


def measure(contestant, folder, cost_of):
    environment = dict(os.environ)
    if contestant.state:
        environment["TIDEMILL_STATE"] = str(contestant.state)
    if contestant.fresh:
        shutil.rmtree(contestant.state, ignore_errors=True)
    said = subprocess.run([cost_of, *map(str, contestant.command)], cwd=folder, env=environment,
                          stdout=subprocess.PIPE, check=True)
    status, wall, cpu, rss = said.stdout.split()
    if status != b"0":
        worthless(f"{' '.join(map(str, contestant.command))} ended with status {status.decode()}")
    return Cost(float(wall), float(cpu), int(rss))


def empty_caches(contestant):
    """The programs themselves are read again first: files are to be cold, not libraries."""
    os.sync()
    pathlib.Path("/proc/sys/vm/drop_caches").write_text("3\n", encoding="ascii")
    subprocess.run([contestant.command[0], "--version"], capture_output=True, check=False)


def play(contestants, folder, options, dice, is_cold=False):
    rounds, order = [], list(contestants)
    for _ in range(options.rounds):
        dice.shuffle(order)
        took = {}
        for name in order:
            if is_cold:
                empty_caches(contestants[name])
            took[name] = measure(contestants[name], folder, options.build / "bench" / "cost_of")
        rounds.append(took)
    return rounds


def add_sum(rounds, name, parts):
    """A program that would do one after the other."""
    for played in rounds:
        costs = [played[part] for part in parts if part in played]
        if len(costs) == len(parts):
            played[name] = Cost(sum(cost.wall for cost in costs), sum(cost.cpu for cost in costs),
                                max(cost.rss for cost in costs))


def ratios_of(rounds, goal):
    theirs = [name for name in goal.theirs if name in rounds[0]]
    if goal.ours not in rounds[0] or not theirs:
        return []
    # A run of no time at all (below a tick) would divide by zero.
    return [getattr(played[goal.ours], goal.field) /
            max(min(getattr(played[name], goal.field) for name in theirs), 1e-6)
            for played in rounds]


def table(rounds, order):
    print(f"\n{'':14} {'wall s min':>10} {'median':>8} {'CPU s min':>10} {'median':>8} "
          f"{'RSS MB':>8}   tidemill/it: wall    CPU")
    for name in [*order, *(name for name in rounds[0] if name not in order)]:
        costs = [played[name] for played in rounds]
        walls, cpus = [cost.wall for cost in costs], [cost.cpu for cost in costs]
        ratios = [ratios_of(rounds, Goal("", "tidemill", field, [name], 0))
                  for field in ("wall", "cpu")]
        print(f"{name:14} {min(walls):10.3f} {statistics.median(walls):8.3f} {min(cpus):10.3f} "
              f"{statistics.median(cpus):8.3f} {max(cost.rss for cost in costs) / 1e6:8.1f}"
              f"{'':15} {statistics.median(ratios[0]):6.3f} {statistics.median(ratios[1]):6.3f}")


def verdict(text, values, limit):
    if not values:
        print(f"  {text:43} not measured")
        return
    value = statistics.median(values)
    print(f"  {text:43} {value:8.3f} ({min(values):.3f} to {max(values):.3f})  <= {limit:<5g} "
          f"{'met' if value <= limit else 'MISSED'}")


def judge(rounds, goals):
    print("\ngoals, median of the ratios of each round:")
    for goal in goals:
        verdict(goal.text, ratios_of(rounds, goal), goal.limit)


def judge_memory(rounds, name, allowed, text):
    verdict(text, [played[name].rss / allowed for played in rounds], 1)


class Disturbance:
    """How much of the machine others used meanwhile. Their share is in the figures."""

    def __init__(self):
        self.began, self.busy, self.own = time.monotonic(), self.busy_seconds(), sum(os.times()[:4])

    @staticmethod
    def busy_seconds():
        with open("/proc/stat", encoding="ascii") as file:
            user, nice, system, _, _, *rest = map(int, file.readline().split()[1:9])
        return (user + nice + system + sum(rest)) / os.sysconf("SC_CLK_TCK")

    def tell(self):
        foreign = self.busy_seconds() - self.busy - (sum(os.times()[:4]) - self.own)
        share = foreign / ((time.monotonic() - self.began) * os.cpu_count())
        print(f"\nothers used {max(share, 0):.0%} of the machine; load {os.getloadavg()[0]:.2f}")


def tell_machine(more):
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = next((line.split(":")[1].strip() for line in file if "model name" in line), "?")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    print(f"{time.strftime('%Y-%m-%d %H:%M')} {platform.platform()}\n{os.cpu_count()} x {model}, "
          f"{memory:.0f} GB, load {os.getloadavg()[0]:.2f}, {more}")
