"""Processes the batches of a stream:  python3 worker.py STREAM RESULTS      (python3-redis, >= 4.3)
Environment: REDIS_URL, GROUP, CONSUMER (a unique name), HEARTBEAT (ms), DELIVERIES (maximum).
Any number of workers, also worker.mjs, can share a stream. SIGTERM: finishes its batches and exits."""
import contextlib, json, os, pathlib, re, signal, socket, sys, threading
import redis

# Replace this function. A batch can be delivered again with the same id (if its worker died or was
# slow), so it must be safe to process a batch twice.
def work(batch):
    return {"id": batch["id"], "files": len(batch["files"]), "tokens": batch["totalTokens"]}

stream, results = sys.argv[1], pathlib.Path(sys.argv[2])
dead = f"{stream}:dead" if re.search(r"\{[^}]+\}", stream) else f"{{{stream}}}:dead"
group = os.environ.get("GROUP", "tidemill")
me = os.environ.get("CONSUMER", f"{socket.gethostname()}:{os.getpid()}")
heartbeat, deliveries = int(os.environ.get("HEARTBEAT", 5000)), int(os.environ.get("DELIVERIES", 3))
server = redis.Redis.from_url(os.environ.get("REDIS_URL", "redis://127.0.0.1:6379"), decode_responses=True)
script = {name: server.register_script(pathlib.Path(__file__).with_name(f"{name}.lua").read_text()) for name in ("done", "dead", "beat")}
leaving, in_progress, cursor = threading.Event(), [], "0-0"
for number in (signal.SIGTERM, signal.SIGINT):
    signal.signal(number, lambda *_: leaving.set())

def beat():  # in its own thread, so that it continues during long work
    while not threading.Event().wait(heartbeat / 1000):
        with contextlib.suppress(redis.RedisError):  # the next beat tries again
            if entries := list(in_progress):
                script["beat"]([stream], [group, me, *entries])

def attempt(entry, fields):
    hand = server.xpending_range(stream, group, entry, entry, 1, me)
    if not hand: return  # another worker has claimed it
    times = hand[0]["times_delivered"]
    give_up = lambda reason: script["dead"]([stream, dead], [group, me, entry, reason])
    if times > deliveries:  # it may crash its workers
        return give_up(f"delivered {times} times, never done")
    try:
        batch = json.loads(fields["batch"])
        path = results / f"{batch['id']}.json"
        if not path.exists():  # otherwise a worker died after it wrote the result
            part = path.with_suffix(f".{os.getpid()}")
            part.write_text(json.dumps(work(batch)))
            part.rename(path)
        if script["done"]([stream], [group, me, entry]):
            print("done", batch["id"], flush=True)
    except Exception as error:  # stays pending without a heartbeat, so it is claimed and tried again later
        if times >= deliveries:
            give_up(repr(error))

results.mkdir(parents=True, exist_ok=True)
with contextlib.suppress(redis.ResponseError):  # it exists already
    server.xgroup_create(stream, group, "0", mkstream=True)
threading.Thread(target=beat, daemon=True).start()
while not leaving.is_set():  # claims abandoned batches one at a time: one may crash this worker
    cursor, entries = server.xautoclaim(stream, group, me, 3 * heartbeat, cursor, 1)[:2]
    if not entries:
        entries = dict(server.xreadgroup(group, me, {stream: ">"}, 2, min(heartbeat, 1000))).get(stream, [])
    in_progress.extend(entry for entry, _ in entries)
    for entry, fields in entries:
        attempt(entry, fields)
        in_progress.remove(entry)
