#!/usr/bin/env python3
"""Takes Redis away from a producer of `batch` while it sends, and gives it back.

`crashes`: kill -9 of a server with an append-only file, as if it were synced once a second, and a
start on the same port. A kill comes at a random moment, or when a group of batches has partly
arrived, or has arrived and the answer is on its way, or has been answered. After half of the kills
the file is cut to what it was up to a second earlier, as a loss of power would leave it: a kill
alone loses nothing, the kernel has it all.

`failovers`: a master, a replica and three sentinels; the master is killed, or stopped until the
replica has taken its place and then let go.

`after`: power is lost right after the producer has ended with 0. Its --settle is longer than what
the server may lose, so nothing is lost; --expect-caught settle is the proof that this can be seen:
with --settle 0 batches must be missing.

Meanwhile a slow consumer reads, keeps and deletes. What must hold: the producer ends with 0 without
help, every batch of an undisturbed run has come to the consumer, or is there, with the same id and
the same bytes, and no other. A batch may come twice, with the same bytes.
"""
import argparse
import sys

from batch_fleet import LOST, Account, Crashes, Failovers
from batch_redis import Gone
from batch_rig import BULL, STREAM, Consumer, Mill, Place, Tree, Truth
from rig import Process, Rig, Wrong, demand, eventually, pause, run_test

FILES = 700
PROOFS = 20  # tries: on a busy machine the end may be a second old when the power is lost
WAIT = 120  # seconds for a run that waits for servers


def one_run(rig: Rig, fleet: Crashes | Failovers, mill: Mill, truth: Truth, number: int,
            most: int) -> None:
    """A producer that loses its server up to `most` times."""
    account = fleet.account
    place = Place(rig.dice.choice((STREAM, STREAM, BULL)), f"r{number}")
    is_slow = isinstance(fleet, Failovers)
    consumer = Consumer(place, fleet.connect, most=3, every=0.03 if is_slow else 0.012)
    consumer.start()
    process = mill.start(rig.folder / f"state{number}", place, fleet.url(), "--max-queued", "20",
                         *fleet.words)
    wait_for_lease(fleet, place, mill, process)
    faults = 0
    while faults < most and fleet.fault(process.has_ended):
        faults += 1
    code = process.wait(WAIT)
    said = process.errors()
    try:
        demand(code == 0, f"exit {code}")
        demand(eventually(lambda: is_there(fleet), 60), "the servers do not come back")
        batches = consumer.finish(fleet.connect())
        account.doubles += truth.demand_all(batches, may_double=True)
        mill.demand_sums(process)
    except Wrong as wrong:
        raise Wrong(f"{place.sink}, {faults} faults: {wrong}\n{said}") from None
    finally:
        consumer.stop()
    account.runs[place.kind] += 1
    account.batches += len(truth.order)
    pause(1.5 * LOST)  # else a loss of power brings back the lock of this run, in the next one


def wait_for_lease(fleet: Crashes | Failovers, place: Place, mill: Mill, process: Process) -> None:
    """A server that never answered counts as a wrong address, and nobody waits long for that."""
    client = fleet.connect()
    demand(eventually(lambda: process.has_ended() or place.holder(client, mill.tree), WAIT),
           f"no lease was taken: {process.errors()}")
    client.close()


def after_the_end(rig: Rig, fleet: Crashes, mill: Mill, truth: Truth, number: int,
                  words: tuple[str, ...]) -> None:
    """Nobody consumes: all must be in the server when it is back."""
    place = Place(rig.dice.choice((STREAM, BULL)), f"a{number}")
    process = mill.start(rig.folder / f"state{number}", place, fleet.url(), *fleet.words, *words)
    code = process.wait(WAIT)
    fleet.redis.kill()
    fleet.account.lost += fleet.sizes.cut(LOST)
    fleet.redis.start()
    fleet.redis.wait_ready()
    demand(code == 0, f"exit {code}: {process.errors()}")
    consumer = Consumer(place, fleet.connect)
    truth.demand_all(consumer.take_all(fleet.connect()))
    fleet.account.faults["after the end"] += 1
    fleet.account.runs[place.kind] += 1


def all_after(rig: Rig, chosen: argparse.Namespace, fleet: Crashes, mill: Mill,
              truth: Truth) -> None:
    words = ("--settle", "0") if chosen.expect_caught else ()
    try:
        for number in range(PROOFS if chosen.expect_caught else chosen.count):
            after_the_end(rig, fleet, mill, truth, number, words)
    except Wrong as caught:
        if not chosen.expect_caught or "batches are lost" not in str(caught):
            raise
        print(f"caught, as it should be: {caught}")
        return
    demand(not chosen.expect_caught, f"without {chosen.expect_caught} nothing was lost")


def is_there(fleet: Crashes | Failovers) -> bool:
    try:
        client = fleet.connect()
        client.call("SET", "probe", "1")
        client.close()
    except Gone:
        return False
    return True


def test(rig: Rig, chosen: argparse.Namespace) -> None:
    account = Account()
    fleet = (Failovers if chosen.part == "failovers" else Crashes)(rig, account)
    mill = Mill(rig, Tree.make(rig, "tree", FILES), "-m", "40", "--max-files", "2", "--progress",
                "none", "--no-catalogue")
    truth = mill.truth(fleet.truth_server())
    print(f"{mill.tree.count()} files, {len(truth.order)} batches", flush=True)
    try:
        if chosen.part == "after":
            all_after(rig, chosen, fleet, mill, truth)
            return
        number = 0
        while account.faults.total() < chosen.count:
            number += 1
            left = chosen.count - account.faults.total()
            one_run(rig, fleet, mill, truth, number, min(left, rig.dice.randint(1, 6)))
    finally:
        print(account)
        fleet.close()


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("part", choices=("crashes", "after", "failovers"))
    parser.add_argument("--expect-caught", choices=("settle",))


if __name__ == "__main__":
    sys.exit(run_test(__doc__, 2, test, options))
