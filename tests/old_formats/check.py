#!/usr/bin/env python3
"""Files written by older versions still work: killed runs resume with the flag names of that version, failed tasks are
listed and retried, dupes are undone, and catalogues, databases, caches and config files are read.

  TIDEMILL=build/release/tidemill check.py [--expect-caught] [SCENE...]

Unpacks each fixture at the path where it was made. Writes the inodes and times of the unpacked files into the tables that
hold them.

--expect-caught: proves that the checks can fail. Damages each fixture first; its scene must fail then.

Exit status 1: a check failed. 77: a scene was skipped, and every other one passed.
"""
import argparse
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tarfile

from place import BASE, FIXTURES, PATIENCE, Broken, Scene, Skip, base_folder, demand
from steps import at_home, checksum

SKIPPED = 77


def expect(holds, what):
    demand(holds, f"expected: {what}")


def sql(database, query, *values):
    connection = sqlite3.connect(database)
    try:
        with connection:
            return connection.execute(query, values).fetchall()
    finally:
        connection.close()


def counts(scene):
    """The state and the counts of the only run, from `runs --json`."""
    run, = json.loads(scene.run("runs", "--json"))["runs"]
    return {name: run.get(name) for name in ("state", "found", "done", "failed", "pending", "foundAll")}


def failures_verbs(scene):
    """letters, and failures in versions that have it."""
    known = subprocess.run([scene.program, "failures", "--help"], env=scene.env, capture_output=True, check=False)
    return ("letters", "failures") if known.returncode == 0 else ("letters",)


ALL = [f"{i}.txt" for i in range(1, 10)]


def resume_killed(scene):
    """Returns the tasks that ran before the crash, those that ran after it, and how many the journal had as done."""
    run, log = scene.only_run(), scene.work / "done"
    before = log.read_text().split()
    scene.write("go", "")
    found = counts(scene)
    expect(found["state"] == "crashed", "the run crashed")
    scene.run("resume", run)
    expect(counts(scene) == {"state": "complete", "found": 9, "done": 9, "failed": 0, "pending": 0, "foundAll": True},
           f"nine are done: {counts(scene)}")
    scene.run("check", run)
    return before, log.read_text().split()[len(before):], found["done"]


def each_killed(scene):
    """On a machine that was restarted since: a task runs again unless the journal has it as done."""
    before, after, committed = resume_killed(scene)
    expect(set(before + after) == set(ALL), f"every task ran: {before}, {after}")
    expect(len(set(after)) == len(after) == 9 - committed, f"each task that was not committed ran once: {after}")


def each_killed_since_the_start_of_the_machine(scene):
    """With this machine's boot id: the program knows which tasks were finished and which were running."""
    slate = scene.state / "runs" / scene.only_run() / "slate"
    boot = pathlib.Path("/proc/sys/kernel/random/boot_id").read_bytes().strip()
    with slate.open("r+b") as file:
        file.seek(40)
        file.write(boot.ljust(64, b"\0"))
    before, after, _ = resume_killed(scene)
    expect(sorted(before + after) == ALL, f"every task ran once, not {before} and {after}")


def each_failed(scene):
    run = scene.only_run()
    for verb in failures_verbs(scene):
        shown = scene.run(verb, run)
        expect(all(f"tree/{i}.txt" in shown for i in (1, 3)), f"{verb} lists both:\n{shown}")
        expect("tree/2.txt" not in shown, f"{verb} lists failed tasks only:\n{shown}")
        expect("exit status 9" in shown, f"{verb} says why:\n{shown}")
        expect("no tree/3.txt" in scene.run(verb, run, "show", "4"), f"{verb} shows what the command wrote")
    expect(counts(scene)["failed"] == 2, "two have failed")
    scene.run("check", run)
    scene.write("mended", "")
    scene.run("letters", run, "retry", "--all")
    lines = sorted((scene.work / "done").read_text().split())
    expect(lines == [f"tree/{i}.txt" for i in range(5)], f"every task ran once, not {lines}")
    expect(counts(scene) == {"state": "complete", "found": 5, "done": 5, "failed": 0, "pending": 0, "foundAll": True},
           f"five are done: {counts(scene)}")


def dupes_deleted(scene):
    if os.geteuid() != 0:
        raise Skip("only root can restore files that belonged to root")
    tree = scene.work / "tree"
    expect(sorted(file.name for file in tree.glob("same-*")) == ["same-0"], "one of the four is left")
    scene.run("undo", scene.only_run())
    for i in range(4):
        file = tree / f"same-{i}"
        expect(file.is_file() and file.read_text() == "the same\n" * 100, f"{file.name} is restored")
        expect(file.stat().st_mtime_ns == 1_700_000_000_000_000_000 + i, f"{file.name} has its old time")
    scene.run("undo", scene.only_run())  # a second time changes nothing
    report = json.loads(scene.run("dupes", "tree", "--json"))
    expect([len(group["copies"]) for group in report["groups"]] == [4], "the scan finds the restored files")


def dupes_linked(scene):
    journal = scene.state / "runs" / scene.only_run() / "journal.db"
    for task, outcome, old in sql(journal, "select id, outcome, checksum from task"):
        packed = at_home(outcome, scene.work)
        sql(journal, "update task set outcome = ?, checksum = ? where id = ?", packed,
            (old - checksum(outcome) + checksum(packed)) % (1 << 31), task)
    names = [scene.work / f"tree/same-{i}" for i in range(4)]
    expect(len({name.stat().st_ino for name in names}) == 1, "the names are one file")
    scene.run("check", scene.only_run())
    scene.run("undo", scene.only_run())
    expect(len({name.stat().st_ino for name in names}) == 4, "they are four files again")
    for i, name in enumerate(names):
        expect(name.read_text() == "the same\n" * 100, f"{name.name} has its contents")
        expect(name.stat().st_mtime_ns == 1_700_000_000_000_000_000 + i, f"{name.name} has its old time")


def take_stamps(catalogue):
    """Writes the stamps of the unpacked files into the catalogue."""
    for folder, name, path in sql(catalogue, "select f.folder, f.name, p.path from files f join folder_paths p "
                                             "on p.folder = f.folder"):
        look = os.stat(os.path.join(os.fsencode(path), os.fsencode(name)))
        sql(catalogue, "update files set size = ?, mtime_ns = ?, ctime_ns = ?, device = ?, inode = ?, blocks = ? "
                       "where folder = ? and name = ?", look.st_size, look.st_mtime_ns, look.st_ctime_ns, look.st_dev,
            look.st_ino, look.st_blocks, folder, name)


def catalogue(scene):
    file = scene.state / "catalogue.db"
    take_stamps(file)
    root, = json.loads(scene.run("catalogue", "ls", "--json"))["roots"]
    expect((root["path"], root["files"], root["hashed"]) == (f"{scene.work}/tree", 5, 5), f"five files, hashed: {root}")
    shown = json.loads(scene.run("catalogue", "show", "tree/folder-1/same", "--json"))
    expect((shown["size"], len(shown["hash"])) == (9, 32), f"the file has a hash: {shown}")
    scene.run("catalogue", "verify")
    report = json.loads(scene.run("dupes", "tree", "--json"))
    expect([len(group["copies"]) for group in report["groups"]] == [3], f"three copies: {report['groups']}")
    expect(report["groups"][0]["hash"] == shown["hash"], "the hash of the catalogue is that of the report")
    expect(report["totals"]["bytesRead"] == 0, f"nothing is read again: {report['totals']}")
    # The hashes are those of the contents: verify finds a change.
    scene.write("tree/folder-1/same", "THE SAME\n")
    take_stamps(file)
    expect("tree/folder-1/same" in scene.run("catalogue", "verify", status=3), "verify finds other contents")


def import_db(scene):
    database = scene.work / "out.db"
    expect(sql(database, "select name, born from people order by _key") == [("Ada", None), ("Grace", 1906)], "two rows")
    report = json.loads(scene.run("import", "data", "--into", "out.db", "--nested", "flatten", "--incremental", "--json"))
    expect(sql(database, "select count(*) from people") == [(2,)], f"unchanged files keep their rows: {report}")
    expect(sql(database, "select count(*) from _tidemill_files where import = 1") == [(2,)], "neither file is imported again")
    scene.write("data/people.jsonl", '{"_key":1,"name":"Ada","born":1815}\n')
    scene.run("import", "data", "--into", "out.db", "--nested", "flatten", "--incremental", "-w", "1")
    expect(sql(database, "select name, born from people") == [("Ada", 1815)], "a changed file replaces its rows")
    expect(sql(database, "select count(*) from _rejects") == [(0,)], "a changed file replaces its rejected lines")
    scene.write("more/places.jsonl", '{"_key":"b","at":{"x":7}}\n')
    scene.run("import", "more", "--into", "out.db", "--nested", "flatten", "--append")
    expect(sql(database, 'select _key, "at_x" from places order by _key') == [("a", 1), ("b", 7)], "a row is added")
    scene.write("change/places.jsonl", '{"_key":"a","at":{"x":9}}\n')
    scene.run("import", "change", "--into", "out.db", "--nested", "flatten", "--upsert")
    expect(sql(database, 'select "at_x", "at_y" from places order by _key') == [(9, 2.5), (7, None)], "a row is changed")
    expect(sql(database, "pragma integrity_check") == [("ok",)], "the database is sound")


def import_killed(scene):
    database = scene.work / "out.db"
    expect(sql(database, "select count(*) from _tidemill_files") == [(2,)], "two files are imported")
    scene.run("resume", scene.only_run())
    rows = sql(database, "select v, count(*) from (select v from one union all select v from two "
                         "union all select v from three union all select v from four) group by v order by v")
    expect(rows == [("four", 1), ("one", 50), ("three", 1), ("two", 5000)], f"each file is imported once: {rows}")
    expect(sql(database, "select count(*) from _tidemill_imports where ended is null") == [(0,)], "both imports have ended")
    expect(not database.with_name("out.db.tidemill.part").exists(), "the .part file is removed")


def batch_killed(scene):
    def batches(redis):
        texts = [line for line in redis.ask("xrange", "files", "-", "+").splitlines() if line.startswith("{")]
        return [json.loads(text) for text in texts]

    with scene.redis() as redis:
        expect(redis.ask("exists", "files") == "1", "the server has the stream of the fixture")
        before = batches(redis)
        redis.ask("xtrim", "files", "maxlen", "0")
        after = []
        process = scene.start("resume", scene.only_run(), "-q", stderr=subprocess.PIPE, text=True)
        while process.poll() is None:  # consume what is sent
            for entry in redis.ask("xrange", "files", "-", "+").splitlines():
                if entry.startswith("{"):
                    after.append(json.loads(entry))
                elif entry.replace("-", "").isdigit():
                    redis.ask("xdel", "files", entry)
        said = process.stderr.read()
        demand(process.returncode == 0, f"resume: exit status {process.returncode}\n{said}")
        after += batches(redis)
        sent = {batch["id"]: batch for batch in before + after}
        files = sorted(file["path"] for batch in sent.values() for file in batch["files"])
        wanted = sorted([".gitignore", *(f"{i:02}.txt" for i in range(30))])
        expect(files == wanted, f"every file that is not ignored is in one batch: {files}")
        expect(max(batch["totalTokens"] for batch in sent.values()) <= 2000, "no batch exceeds --max-tokens")
        expect(0 < len(before) < len(sent), f"some were sent before, some after: {len(before)} of {len(sent)}")
        progress = redis.ask("hvals", "{files}:progress").splitlines()  # a field for each job, by its name and settings
        expect([value.split()[2] for value in progress] == ["1"], f"the job is marked as finished: {progress}")
    expect(counts(scene)["state"] == "complete", f"the run is complete: {counts(scene)}")


def books_killed(scene):
    cache = scene.work / "books.shelf"
    known = sql(cache, "select cast(path as text) from book")
    expect(sorted(known) == [("library/bad.epub",), ("library/good.epub",)], f"two books are known: {known}")
    for path, in known:
        look = os.stat(scene.work / path)
        sql(cache, "update book set device = ?, inode = ?, mtime = ?, ctime = ? where cast(path as text) = ?", look.st_dev,
            look.st_ino, look.st_mtime_ns, look.st_ctime_ns, path)
    report = json.loads(scene.run("books", "check", "library", "--shelf", "books.shelf", "--no-hidden", "--json", status=3))
    expect(report["totals"]["unchanged"] == 2, f"neither is read again: {report['totals']}")
    bad, good = sorted(report["books"], key=lambda book: book["path"])
    expect((bad["verdict"], good["verdict"]) == ("invalid", "valid"), f"the verdicts of the first check: {report['books']}")
    expect("RSC-007" in bad["counts"], f"the finding of the first check: {bad}")
    expect("library/bad.epub" in scene.run("resume", scene.only_run(), status=3), "the check is run again")


# Old name, new name, value, and a command that has the flag.
EACH, BATCH = ("each", "."), ("batch", ".", "--max-tokens", "9")
CHECK, REPAIR, DUPES = ("books", "check", "."), ("books", "repair", "."), ("dupes", ".")
NAMES = [("workers", "jobs", "3", EACH), ("workers", "jobs", "3", BATCH), ("workers", "jobs", "3", CHECK),
         ("max-letters", "max-failures", "4", EACH), ("gitignore", "ignore-files", "true", BATCH),
         ("job", "name", "nightly", BATCH), ("patience", "redis-timeout", "7s", BATCH), ("shelf", "cache", "my.shelf", CHECK),
         ("no-shelf", "no-cache", "true", REPAIR), ("threads", "jobs", "2", DUPES)]


def config(scene):
    """Old flag names in a config file, where an unknown name is an error in every command, and in the environment, where
    it is ignored."""
    def from_where(command, old, new, value):
        shown = scene.run(*command, "--print-config", *(["--", "true"] if command == EACH else []))
        found = [line.split() for line in shown.splitlines() if line.split()[:1] in ([old], [new])]
        expect(len(found) == 1 and found[0][1] == value, f"{command[0]}: {old} has the value {value}:\n{shown}")
        return found[0][2]

    file = scene.folder / ".config/tidemill/tidemill.toml"
    for old, new, value, command in NAMES:
        expect(from_where(command, old, new, value).startswith(str(file)), f"{old} comes from the config file")
    file.unlink()
    for old, new, value, command in NAMES:
        variable = "TIDEMILL_" + old.upper().replace("-", "_")
        scene.env[variable] = value
        from_where(command, old, new, value)
        del scene.env[variable]


def flags(scene):
    """Every verb accepts the flags of the older version, except -n, which now means --dry-run in every verb."""
    def refusal(verb, flag):
        ran = subprocess.run([scene.program, *verb.split(), "--print-config", flag], cwd=scene.work, env=scene.env,
                             stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, check=False)
        return ran.stderr.partition("\n")[0]

    missing = []
    for line in (scene.folder / "flags.txt").read_text().splitlines():
        verb, *names = line.split("\t")
        scene.run(*verb.split(), "--help")
        unknown = refusal(verb, "--no-such-flag"), refusal(verb, "-Z")
        for name in names:
            if name != "-n":
                like = unknown[0].replace("--no-such-flag", name), unknown[1].replace("-Z", name)
                missing += [f"{verb} {name}"] if refusal(verb, name) in like else []
    demand(not missing, "unknown flags: " + ", ".join(missing))


# Ways to damage each fixture; its scene must notice every one.
def flip(path, old, new):
    """Replaces bytes in a file by others of the same length."""
    def damage(scene):
        file, = scene.folder.glob(path)
        bytes_ = file.read_bytes()
        expect(old in bytes_, f"{path} has {old!r}")
        file.write_bytes(bytes_.replace(old, new))
    return damage


SCENES = {
    each_killed: [flip("state/runs/*/journal.db-wal", b"--max-letters", b"--mxa-letters"),
                  flip("work/done", b"1.txt", b"0.txt")],
    each_killed_since_the_start_of_the_machine: [flip("state/runs/*/journal.db-wal", b"7.txt", b"0.txt"),
                                                 flip("state/runs/*/slate", b"tidemill slate 1", b"tidemill slate 0")],
    each_failed: [flip("state/runs/*/journal.db", b"1.txt", b"2.txt"),
                  flip("state/runs/*/journal.db", b"--max-letters", b"--mxa-letters")],
    dupes_deleted: [flip("state/runs/*/journal.db", b"tree/same-0", b"tree/same-9"),
                    flip("work/tree/same-0", b"same", b"sane")],
    dupes_linked: [flip("state/runs/*/journal.db", b"tree/same-2", b"tree/same-9"),
                   flip("work/tree/same-0", b"same", b"sane")],
    catalogue: [flip("state/catalogue.db", b"folder-2", b"folder-9"), flip("work/tree/folder-2/same", b"same", b"sane")],
    import_db: [flip("work/out.db", b"_tidemill_files", b"_tidemill_flies"), flip("work/data/places.jsonl", b"2.5", b"2.4")],
    import_killed: [flip("state/runs/*/command", b"--workers=2", b"--wrokers=2"),
                    lambda scene: (scene.work / "out.db-wal").unlink()],
    batch_killed: [flip("state/runs/*/journal.db*wal", b"--gitignore", b"--gitingore"),
                   flip("state/runs/*/journal.db*wal", b"--max-tokens", b"--xam-tokens")],
    books_killed: [flip("state/runs/*/command", b"--shelf=", b"--shefl="), flip("work/books.shelf", b"RSC-007", b"RSC-006")],
    config: [flip(".config/tidemill/tidemill.toml", b"gitignore", b"gitingore"),
             flip(".config/tidemill/tidemill.toml", b"threads = 2", b"threads = 3")],
    flags: [lambda scene: (scene.folder / "flags.txt").write_text("batch\t-w\t--gitingore\n"),
            lambda scene: (scene.folder / "flags.txt").write_text("each\t-W\n"),
            lambda scene: (scene.folder / "flags.txt").write_text("lettres\t--all\n")],
}


def unpack(scene):
    if scene.name == "flags":
        scene.work.mkdir(parents=True)
        shutil.copy(FIXTURES / "flags.txt", scene.folder)
        return
    if scene.name == "config":
        scene.work.mkdir(parents=True)
        folder = scene.folder / ".config/tidemill"
        folder.mkdir(parents=True)
        shutil.copy(FIXTURES / "tidemill.toml", folder)
        return
    with tarfile.open(FIXTURES / f"{scene.name}.tar.gz") as tar:
        tar.extractall(BASE, **({"filter": "tar"} if hasattr(tarfile, "tar_filter") else {}))


def check(scene_check, program, damage=None):
    name = scene_check.__name__
    scene = Scene(program, "each_killed" if name.startswith("each_killed") else name)
    unpack(scene)
    try:
        if damage:
            damage(scene)
        scene_check(scene)
    finally:
        shutil.rmtree(scene.folder)


def outcome_of(scene_check, program, damages):
    """Runs a scene; with damages once for each, and then it must fail."""
    if not damages:
        check(scene_check, program)
        return
    for number, damage in enumerate(damages, 1):
        try:
            check(scene_check, program, damage)
        except (Broken, OSError, sqlite3.Error, KeyError, ValueError) as error:
            print(f"  damage {number} noticed: {str(error).splitlines()[0]}")
        else:
            raise Broken(f"damage {number} went unnoticed")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--expect-caught", action="store_true")
    parser.add_argument("scenes", nargs="*", metavar="SCENE")
    options = parser.parse_args()
    program = os.path.abspath(os.environ.get("TIDEMILL") or shutil.which("tidemill") or "tidemill")
    if not shutil.which(program):
        sys.exit(f"{program} is not a program; set TIDEMILL")
    broken = skipped = 0
    with base_folder():
        for scene_check, damages in SCENES.items():
            name = scene_check.__name__
            if options.scenes and name not in options.scenes or options.expect_caught and not damages:
                continue
            try:
                outcome_of(scene_check, program, damages if options.expect_caught else [])
                print(f"{name}: ok")
            except Skip as why:
                skipped += 1
                print(f"{name}: SKIPPED: {why}")
            except (Broken, OSError, sqlite3.Error, KeyError, ValueError) as error:
                broken += 1
                print(f"{name}: FAILED: {error!r}" if not isinstance(error, Broken) else f"{name}: FAILED: {error}")
    return 1 if broken else SKIPPED if skipped else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Skip as why:
        print(f"SKIPPED: {why}")
        sys.exit(SKIPPED)
