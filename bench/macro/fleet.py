#!/usr/bin/env python3
"""What a fleet costs and gains: runs of `tidemill each` on several workers, on one machine.

  fleet.py [--build build/release] [--rounds 5] [--seed 1] [--state DIR] [--quick]
           [--only PART ...] [--memory-tasks 1000000] [--json FILE]

  cost     fleet_cost.cc: tasks that do nothing; 8, 64 and 256 a parcel, with and without an
           append-only file; BullMQ 6 with the same number of jobs, workers and places
  single   one task at a time, to idle workers: how long until it starts
  cpu      commands that use 5 ms and 0.5 ms of CPU time: one process with two places, and two
           workers with one place each
  sleep    commands that sleep for 10 ms: 8 workers with 8 places, one process with 64, and
           the same tasks in threads, without a command (fleet_cost)
  memory   the peak of Redis over many tasks; --memory-tasks 10000000 takes some minutes
  hosts    two network namespaces: workers of a fleet in them, and GNU parallel over ssh

In every round all contestants of a part run once, in random order. Ratios are the median over the
rounds of the ratio within a round. A part whose programs are not there says so and is left out:
BullMQ (tests/install_packages.sh queues build/release/queues), parallel, openssh-server. --quick
shows that everything works; its figures are not to be quoted.

Rates of commands are from the start of the first to the end of the last, as they say themselves.
The column `whole` has the rest, too: a worker looks for new runs once a second. CPU times are of
the coordinator, of the workers with their commands, and of Redis.
"""
import argparse
import collections
import contextlib
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import contest
from fleet_hosts import CannotRun, Hosts, call, cpu_seconds

HERE = pathlib.Path(__file__).resolve().parent

# `task spin MICROS NAME` uses CPU time, `task sleep MICROS NAME` waits. It prints when it began and
# when it ended, on the clock of the machine.
TASK = r"""
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static long long nanos(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}
int main(int count, char** words) {
  (void)count;
  const long long began = nanos(CLOCK_MONOTONIC);
  const long long length = 1000 * atoll(words[2]);
  if (words[1][1] == 'l') {
    const struct timespec time = {length / 1000000000, length % 1000000000};
    nanosleep(&time, 0);
  } else {
    while (nanos(CLOCK_PROCESS_CPUTIME_ID) < length) continue;
  }
  char line[64];
  const int size = snprintf(line, sizeof line, "%lld %lld\n", began, nanos(CLOCK_MONOTONIC));
  return write(1, line, size) != size;
}
"""

# What a part gives: contestants, in the order of the table, and rounds of {name: figures}.
Played = collections.namedtuple("Played", "rounds text goals")
Goal = collections.namedtuple("Goal", "text values limit is_at_least", defaults=(False,))


def left_out(what, why):
    print(f"{what}: left out, {why}", flush=True)


class Bench:
    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.dice = random.Random(options.seed)
        self.build = pathlib.Path(options.build).resolve()
        self.tidemill = self.build / "tidemill"
        self.fleet_cost = self.build / "bench" / "fleet_cost"
        self.task = folder / "task"
        self.turns = 0
        source = folder / "task.c"
        source.write_text(TASK, encoding="ascii")
        subprocess.run(["cc", "-O2", "-static", "-o", self.task, source], check=True)
        self.env = {name: value for name, value in os.environ.items()
                    if not name.startswith(("TIDEMILL_", "XDG_", "REDIS_"))}
        self.env |= {"HOME": str(folder), "TIDEMILL_FLEET_KEY": str(folder / "key")}
        subprocess.run([self.tidemill, "-q", "fleet", "key", folder / "key"], env=self.env,
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def size(self, full, quick):
        return quick if self.options.quick else full

    def new_folder(self):
        self.turns += 1
        folder = self.folder / f"turn{self.turns}"
        folder.mkdir()
        return folder

    def play(self, contestants):
        """Contestants that cannot run are left out; a failure of one is a failure of the bench."""
        rounds = []
        for number in range(self.options.rounds):
            took = {}
            for name in self.dice.sample(list(contestants), len(contestants)):
                folder = self.new_folder()
                took[name] = contestants[name](folder)
                shutil.rmtree(folder)
            rounds.append({name: took[name] for name in contestants})
            print(f"  round {number + 1} of {self.options.rounds}, load {os.getloadavg()[0]:.2f}",
                  file=sys.stderr, flush=True)
        return rounds

    @contextlib.contextmanager
    def redis(self, folder, *words, wrapper=(), url=""):
        """A fresh server. Yields its address and its process id."""
        socket = folder / "redis.sock"
        server = subprocess.Popen(
            [*wrapper, "redis-server", "--port", "0", "--unixsocket", socket, "--dir", folder,
             "--save", "", "--logfile", folder / "redis.log", *words])
        try:
            end = time.monotonic() + 10
            log = folder / "redis.log"
            while not log.exists() or "ready to accept" not in log.read_text().lower():
                if server.poll() is not None or time.monotonic() > end:
                    contest.worthless("redis-server does not start")
                time.sleep(0.02)
            yield url or f"unix://{socket}", server.pid
        finally:
            server.terminate()
            server.wait()

    def run_fleet_cost(self, folder, aof=True, **settings):
        with self.redis(folder, "--appendonly", "yes" if aof else "no") as (url, _):
            state = folder / "state"
            state.mkdir()
            words = [f"{name}={value}" for name, value in settings.items()]
            said = subprocess.run([self.fleet_cost, url, state, *words], env=self.env, check=False,
                                  stdout=subprocess.PIPE)
            if said.returncode != 0:
                contest.worthless(f"fleet_cost {' '.join(words)} has failed")
            return json.loads(said.stdout)

    def run_bullmq(self, folder, tasks, workers, places):
        with self.redis(folder, "--appendonly", "yes") as (url, _):
            said = subprocess.run(
                ["node", HERE / "fleet_rivals.mjs", self.build / "queues",
                 url.removeprefix("unix://"), "6", *map(str, (tasks, workers, places))],
                stdout=subprocess.PIPE, check=True)
            return json.loads(said.stdout)

    def timed(self, command, folder, count, wrapper=()):
        """Runs a program that runs the task and prints its lines."""
        began = time.monotonic()
        child = subprocess.Popen([*wrapper, *map(str, command)], cwd=folder,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 env=self.env | {"TIDEMILL_STATE": str(folder / "state")})
        times = [tuple(map(int, line.split())) for line in child.stdout]
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = status
        whole = time.monotonic() - began
        if status != 0 or len(times) != count:
            contest.worthless(f"{command[0]}: status {status}, {len(times)} of {count} tasks")
        span = max(end for _, end in times) - min(start for start, _ in times)
        return {"whole": whole, "rate": 1e9 * count / span, "tasks": count,
                "cpu": usage.ru_utime + usage.ru_stime}

    def names(self, folder, count):
        path = folder / "names"
        path.write_text("".join(f"{i}\n" for i in range(count)), encoding="ascii")
        return path

    def one_process(self, folder, count, places, *command):
        return self.timed([self.tidemill, "each", "-q", f"-j{places}", "--files-from",
                           self.names(folder, count), "--", *command, "{}"], folder, count)

    def on_fleet(self, folder, count, workers, places, *command, hosts=None):
        """`workers` processes on this machine, or one on each of the hosts."""
        words, wrapper, url = ["--appendonly", "yes"], (), ""
        if hosts:
            wrapper, url = hosts.switch.wrapper, f"redis://{hosts.address}:6379"
            words += ["--port", "6379", "--bind", hosts.address, "--protected-mode", "no"]
        with self.redis(folder, *words, wrapper=wrapper, url=url) as (url, server):
            begun = []
            try:
                wrappers = [host.wrapper for host in hosts.hosts] if hosts else [()] * workers
                for number, around in enumerate(wrappers):
                    begun.append(self.start_worker(folder / f"w{number}", places, url, around))
                for worker in begun:
                    while "Working for" not in worker.log.read_text():
                        time.sleep(0.02)
                before = sum(cpu_seconds(pid) for pid in [server, *(w.pid for w in begun)])
                took = self.timed([self.tidemill, "each", "-q", "--fleet", "redis:bench",
                                   "--redis", url, "--files-from", self.names(folder, count),
                                   "--", *command, "{}"], folder, count, wrapper)
                took["coordinator"] = took["cpu"]
                took["redis"] = cpu_seconds(server)
                took["cpu"] += sum(cpu_seconds(pid) for pid in [server, *(w.pid for w in begun)])
                took["cpu"] -= before
                return took
            finally:
                for worker in begun:
                    worker.terminate()
                for worker in begun:
                    worker.wait()

    def start_worker(self, state, places, url, wrapper):
        state.mkdir()
        log = state / "log"
        with open(log, "wb") as file:
            worker = subprocess.Popen(
                [*wrapper, self.tidemill, "worker", "--fleet", "redis:bench", "--redis", url,
                 f"-j{places}"], env=self.env | {"TIDEMILL_STATE": str(state)},
                stdout=file, stderr=file)
        worker.log = log
        return worker


def field(figures, path):
    for name in path.split("."):
        figures = figures[name]
    return figures


def all_of(rounds, name, path):
    return [field(played[name], path) for played in rounds if name in played]


def median(rounds, name, path):
    return statistics.median(all_of(rounds, name, path))


def ratios(rounds, ours, theirs, path):
    return [field(played[ours], path) / max(field(played[theirs], path), 1e-9)
            for played in rounds if ours in played and theirs in played]


def cost_table(rounds):
    lines = [f"{'':24} {'tasks/s':>9} {'least':>9}   CPU µs a task: {'coord.':>6} {'worker':>7} "
             f"{'Redis':>6} {'all':>7}  {'Redis MB':>8} {'of a core':>9}"]
    for name in rounds[0]:
        of = lambda path, name=name: median(rounds, name, path)
        least = min(all_of(rounds, name, "tasks_a_second"))
        lines.append(f"{name:24} {of('tasks_a_second'):9,.0f} {least:9,.0f}{'':18} "
                     f"{of('cpu_us.coordinator'):6.2f} {of('cpu_us.worker'):7.2f} "
                     f"{of('cpu_us.redis'):6.2f} {of('cpu_us.all'):7.2f}  "
                     f"{of('redis_peak_bytes') / 1e6:8.1f} {of('redis_core'):9.1%}")
    return lines


def calls_line(rounds, name):
    calls = rounds[-1][name]["calls_a_parcel"]
    shown = ", ".join(f"{command} {count:.2f}" for command, count in
                      sorted(calls.items(), key=lambda call: -call[1]) if count >= 0.05)
    return f"calls a parcel, {name}: {shown}"


def has_bullmq(bench):
    if not shutil.which("node"):
        left_out("BullMQ", "there is no node here")
    elif not (bench.build / "queues" / "node_modules" / "bullmq6").exists():
        left_out("BullMQ", f"run tests/install_packages.sh queues {bench.options.build}/queues")
    else:
        return True
    return False


def cost(bench):
    tasks = bench.size(200_000, 20_000)
    contestants = {
        "8 a parcel": lambda at: bench.run_fleet_cost(at, tasks=tasks // 4, parcel=8),
        "64 a parcel": lambda at: bench.run_fleet_cost(at, tasks=tasks, parcel=64),
        "64, no AOF": lambda at: bench.run_fleet_cost(at, aof=False, tasks=tasks, parcel=64),
        "64, no key": lambda at: bench.run_fleet_cost(at, tasks=tasks, parcel=64, signed=0),
        "64, no fsync": lambda at: bench.run_fleet_cost(at, tasks=tasks, parcel=64, sync="off"),
        "256 a parcel": lambda at: bench.run_fleet_cost(at, tasks=tasks, parcel=256),
        "worker process": lambda at: bench.run_fleet_cost(at, tasks=tasks, worker="process"),
        "worker process, 2 x 16": lambda at: bench.run_fleet_cost(at, tasks=tasks, worker="process",
                                                                 places=16),
    }
    if has_bullmq(bench):
        jobs = tasks // 10
        contestants["BullMQ 6, 2 x 1"] = lambda at: bench.run_bullmq(at, jobs, 2, 1)
        contestants["BullMQ 6, 2 x 16"] = lambda at: bench.run_bullmq(at, jobs, 2, 16)
    rounds = bench.play(contestants)
    text = cost_table(rounds)
    text.append("to record a task in the journal before: "
                f"{median(rounds, '64 a parcel', 'add_us.cpu'):.2f} µs of CPU time")
    text += [calls_line(rounds, name) for name in ("64 a parcel", "worker process")]
    at_64 = lambda path: all_of(rounds, "64 a parcel", path)
    at_256 = lambda path: all_of(rounds, "256 a parcel", path)
    goals = [Goal("Redis, µs a task at 64, append-only file", at_64("cpu_us.redis"), 1),
             Goal("Redis, µs a parcel of 64", [64 * cost for cost in at_64("cpu_us.redis")], 80),
             Goal("all CPU, µs a task at 64", at_64("cpu_us.all"), 12),
             Goal("worker, µs a task at 64", at_64("cpu_us.worker"), 3),
             Goal("tasks/s at 256", at_256("tasks_a_second"), 50_000, True),
             Goal("Redis, share of a core for 50,000 tasks/s at 256",
                  [50_000 * cost / 1e6 for cost in at_256("cpu_us.redis")], 0.05)]
    for rival, ours in (("BullMQ 6, 2 x 1", "worker process"),
                        ("BullMQ 6, 2 x 16", "worker process, 2 x 16")):
        if rival not in rounds[0]:
            continue
        rates, times = [], []
        for played in rounds:  # BullMQ's figures have the adding in them
            mine, theirs = played[ours], played[rival]
            wall = 1 / mine["tasks_a_second"] + mine["add_us"]["wall"] / 1e6
            rates.append(1 / (wall * theirs["tasks_a_second"]))
            times.append(theirs["cpu_us"]["all"] / (mine["cpu_us"]["all"] + mine["add_us"]["cpu"]))
        text.append(f"{rival}: ours does {statistics.median(rates):.1f} x as many a second, with 1/"
                    f"{statistics.median(times):.1f} of the CPU time a task, adding included")
    return Played(rounds, text, goals)


def single(bench):
    tasks = bench.size(300, 60)
    rounds = bench.play({
        kind: lambda at, kind=kind: bench.run_fleet_cost(at, tasks=tasks, single=1, worker=kind)
        for kind in ("loop", "process")})
    text = [f"{'':12} {'put to start: p50':>18} {'p99':>8}   {'put to commit: p50':>19} {'p99':>8}"
            "   in ms"]
    for name in rounds[0]:
        of = lambda path, name=name: median(rounds, name, path) / 1e3
        text.append(f"{name:12} {of('put_to_start_us.p50'):18.2f} "
                    f"{of('put_to_start_us.p99'):8.2f}   {of('put_to_commit_us.p50'):19.2f} "
                    f"{of('put_to_commit_us.p99'):8.2f}")
    p50 = [micros / 1e3 for micros in all_of(rounds, "process", "put_to_start_us.p50")]
    return Played(rounds, text, [Goal("an idle worker gets a task, p50, ms", p50, 5)])


def command_table(rounds):
    lines = [f"{'':28} {'tasks/s':>9} {'least':>9} {'whole s':>8} {'CPU µs a task':>14}"]
    for name, first in rounds[0].items():
        if "rate" in first:
            micros = statistics.median(1e6 * played[name]["cpu"] / played[name]["tasks"]
                                       for played in rounds)
            rate, whole = "rate", "whole"
        else:
            micros = median(rounds, name, "cpu_us.all")
            rate, whole = "tasks_a_second", "seconds"
        lines.append(f"{name:28} {median(rounds, name, rate):9,.0f} "
                     f"{min(all_of(rounds, name, rate)):9,.0f} {median(rounds, name, whole):8.2f} "
                     f"{micros:14,.0f}")
    return lines


def cpu(bench):
    contestants = {}
    for micros, count in ((5_000, bench.size(4_000, 300)), (500, bench.size(10_000, 1_000))):
        command = (bench.task, "spin", str(micros))
        contestants[f"{micros / 1e3:g} ms, one process"] = \
            lambda at, c=command, n=count: bench.one_process(at, n, 2, *c)
        contestants[f"{micros / 1e3:g} ms, fleet"] = \
            lambda at, c=command, n=count: bench.on_fleet(at, n, 2, 1, *c)
    rounds = bench.play(contestants)
    goals = []
    for shown, limit in (("5", 1.05), ("0.5", 1.15)):
        one, many = f"{shown} ms, one process", f"{shown} ms, fleet"
        goals.append(Goal(f"{shown} ms: time on the fleet beside one process",
                          ratios(rounds, one, many, "rate"), limit))
        goals.append(Goal(f"{shown} ms: CPU time beside one process",
                          ratios(rounds, many, one, "cpu"), limit))
    return Played(rounds, command_table(rounds), goals)


def sleep(bench):
    count = bench.size(20_000, 2_000)
    command = (bench.task, "sleep", "10000")
    rounds = bench.play({
        "one process, 64 places": lambda at: bench.one_process(at, count, 64, *command),
        "fleet, 8 x 8 places": lambda at: bench.on_fleet(at, count, 8, 8, *command),
        "threads, fleet, 8 x 8": lambda at: bench.run_fleet_cost(
            at, tasks=2 * count, workers=8, places=8, wait=10, worker="process"),
        "threads, fleet, 1 x 64": lambda at: bench.run_fleet_cost(
            at, tasks=2 * count, workers=1, places=64, wait=10, worker="process"),
    })
    shares = [rate / 6_400 for rate in all_of(rounds, "threads, fleet, 8 x 8", "tasks_a_second")]
    beside = ratios(rounds, "fleet, 8 x 8 places", "one process, 64 places", "rate")
    goals = [Goal("threads: share of 6,400 tasks/s", shares, 0.95, True),
             Goal("commands: rate beside one process", beside, 0.95, True)]
    return Played(rounds, command_table(rounds), goals)


def memory(bench):
    tasks = bench.options.memory_tasks if not bench.options.quick else 100_000
    rounds_before, bench.options.rounds = bench.options.rounds, 1
    try:
        rounds = bench.play({f"{tasks:,} tasks": lambda at: bench.run_fleet_cost(
            at, tasks=tasks, parcel=256, workers=4)})
    finally:
        bench.options.rounds = rounds_before
    peaks = [peak / 1e6 for peak in all_of(rounds, f"{tasks:,} tasks", "redis_peak_bytes")]
    return Played(rounds, cost_table(rounds), [Goal("Redis, MB above idle", peaks, 64)])


class Parallel:
    """GNU parallel over ssh, with a job log, as `each` has a journal."""

    def __init__(self, bench, hosts):
        if not shutil.which("parallel"):
            raise CannotRun("there is no GNU parallel here")
        if "GNU" not in subprocess.run(["parallel", "--version"], capture_output=True, text=True,
                                       check=False).stdout:
            raise CannotRun("parallel is not that of GNU")
        self.bench, self.hosts, self.ssh = bench, hosts, hosts.start_ssh()

    def run(self, folder, count, *command, is_shared):
        """`is_shared`: one connection a host for all commands, by ssh's own means."""
        logins = ",".join(f"1/{address}" for address in self.hosts.addresses)
        control = ["-o", f"ControlPath={folder}/%h"]
        ssh = [*self.ssh, *control, "-o", "ControlMaster=auto", "-o", "ControlPersist=60"]
        words = ["parallel", "--will-cite", "--joblog", folder / "joblog", "--ssh",
                 " ".join(map(str, ssh if is_shared else self.ssh)), "-S", logins, "-a",
                 self.bench.names(folder, count), " ".join(map(str, command)) + " {}"]
        before = self.hosts.cpu_seconds()
        took = self.bench.timed(words, folder, count, self.hosts.switch.wrapper)
        for address in self.hosts.addresses if is_shared else []:
            call(*self.hosts.switch.wrapper, *self.ssh, *control, "-O", "exit", address)
        took["cpu"] += self.hosts.cpu_seconds() - before
        return took


def hosts(bench):
    with contextlib.ExitStack() as stack:
        both = Hosts(bench.folder)
        stack.callback(both.close)
        count, contestants = bench.size(4_000, 400), {}
        for shown, micros in (("empty", "0"), ("5 ms", "5000")):
            command = (bench.task, "spin", micros)
            contestants[f"{shown}, fleet"] = \
                lambda at, c=command: bench.on_fleet(at, count, 2, 1, *c, hosts=both)
        try:
            rival = Parallel(bench, both)
            for shown, micros in (("empty", "0"), ("5 ms", "5000")):
                command = (bench.task, "spin", micros)
                contestants[f"{shown}, parallel"] = \
                    lambda at, c=command: rival.run(at, count // 40, *c, is_shared=False)
                contestants[f"{shown}, parallel, shared ssh"] = \
                    lambda at, c=command: rival.run(at, count // 20, *c, is_shared=True)
        except CannotRun as why:
            left_out("GNU parallel over ssh", why)
        rounds = bench.play(contestants)
        text = command_table(rounds)
        for shown in ("empty", "5 ms"):
            for name in (f"{shown}, parallel", f"{shown}, parallel, shared ssh"):
                if name in rounds[0]:
                    times = statistics.median(ratios(rounds, f"{shown}, fleet", name, "rate"))
                    text.append(f"{name}: the fleet does {times:.1f} x as many a second")
        return Played(rounds, text, [])


def judge(goals):
    for goal in goals:
        value = statistics.median(goal.values)
        is_met = value >= goal.limit if goal.is_at_least else value <= goal.limit
        print(f"  {goal.text:46} {value:10.3f} ({min(goal.values):.3f} to {max(goal.values):.3f})  "
              f"{'>=' if goal.is_at_least else '<='} {goal.limit:<7g} "
              f"{'met' if is_met else 'MISSED'}")


PARTS = {part.__name__: part for part in (cost, single, cpu, sleep, memory, hosts)}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--state",
                        help="where journals and append-only files are: a disk, not a tmpfs")
    parser.add_argument("--quick", action="store_true", help="small, and one round")
    parser.add_argument("--only", nargs="+", choices=list(PARTS), default=list(PARTS))
    parser.add_argument("--memory-tasks", type=int, default=1_000_000)
    parser.add_argument("--json", help="the figures of all rounds, for programs")
    options = parser.parse_args()
    if options.quick:
        options.rounds = 1
    if not shutil.which("redis-server"):
        sys.exit("there is no redis-server here")
    contest.tell_machine(f"{options.rounds} rounds, seed {options.seed}"
                         f"{', QUICK: not to be quoted' if options.quick else ''}")
    print(f"{contest.version_of('redis-server')}, append-only file with fsync every second",
          flush=True)
    disturbance = contest.Disturbance()
    record = {}
    with tempfile.TemporaryDirectory(dir=options.state, prefix="fleet-") as folder:
        bench = Bench(options, pathlib.Path(folder))
        for part, play in PARTS.items():
            if part not in options.only:
                continue
            print(f"\n{part}", flush=True)
            try:
                played = play(bench)
            except CannotRun as why:
                left_out(part, why)
                continue
            print("\n".join(played.text))
            judge(played.goals)
            sys.stdout.flush()
            record[part] = played.rounds
            if options.json:
                with open(options.json, "w", encoding="utf-8") as file:
                    json.dump(record, file, indent=1)
    disturbance.tell()


if __name__ == "__main__":
    main()
