// The consumers of examples/consumers, in competition over one stream: every batch is done once by
// the account of the done script, whoever is killed or stopped; what cannot be done is among the
// dead, and comes back when it is put back.
import { copyFileSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { check, feed, folder, idOf, idsOf, modules, run, same, skip, start, startRedis, until } from './rig.mjs';

const examples = join(import.meta.dirname, '../../examples/consumers');
const consumers = join(folder, 'consumers');
const results = join(folder, 'results');
const heartbeat = 100;
const steady = { HEARTBEAT: 1000 };  // of who must not seem dead because the machine stands still

let python = null;
for (const candidate of ['python3', '/usr/bin/python3']) {
  python ??= await run(candidate, ['-c', 'import redis']).then(() => candidate, () => null);
}
if (!python) skip('there is no python with redis here (Debian: python3-redis)');

// The examples as they are, but for the function that everybody replaces, and a done script that
// keeps an account.
function swap(text, from, to) {
  check(text.includes(from), `"${from}" is in the example`);
  return text.replace(from, to);
}
mkdirSync(consumers);
symlinkSync(join(modules, 'node_modules'), join(consumers, 'node_modules'));
for (const script of ['dead.lua', 'beat.lua']) copyFileSync(join(examples, script), join(consumers, script));
writeFileSync(join(consumers, 'done.lua'), swap(readFileSync(join(examples, 'done.lua'), 'utf8'), 'return 1\n',
  "redis.call('HINCRBY', KEYS[1] .. ':account', ARGV[3], 1)\nreturn 1\n"));
// DOOR: a file without which work does not go on. POISON: the id of a batch that throws, or kills.
writeFileSync(join(consumers, 'worker.mjs'), swap(readFileSync(join(examples, 'worker.mjs'), 'utf8'),
  'async function work(batch) {', `async function work(batch) {
  console.log('work', batch.id);
  if (process.env.POISON === batch.id && process.env.KILLS) process.kill(process.pid, 'SIGKILL');
  if (process.env.POISON === batch.id) throw new Error('planted');
  while (process.env.DOOR && !existsSync(process.env.DOOR)) await new Promise((again) => setTimeout(again, 2));`));
writeFileSync(join(consumers, 'worker.py'), swap(readFileSync(join(examples, 'worker.py'), 'utf8'),
  'def work(batch):\n', `def work(batch):
    print("work", batch["id"], flush=True)
    if os.environ.get("POISON") == batch["id"] and "KILLS" in os.environ: os.kill(os.getpid(), 9)
    if os.environ.get("POISON") == batch["id"]: raise RuntimeError("planted")
    door = os.environ.get("DOOR")
    while door and not os.path.exists(door): leaving.wait(0.002) or threading.Event().wait(0.002)
`));

const { redis, url } = await startRedis();
let scenes = 0;
function scene() {
  const stream = `s${++scenes}`;
  const place = join(results, stream);
  return {
    stream,
    place,
    dead: `{${stream}}:dead`,
    feed: (words) => feed({ kind: 'stream', url, name: stream, ...words }),
    consumer: (kind, name, env = {}) => start(kind === 'node' ? process.execPath : python,
      [join(consumers, kind === 'node' ? 'worker.mjs' : 'worker.py'), stream, place],
      { env: { ...process.env, REDIS_URL: url, CONSUMER: name, HEARTBEAT: heartbeat, ...env } }),
    // What is in the hands of somebody: [entry, name, ms idle, deliveries].
    hands: (name) => redis.xpending(stream, 'tidemill', '-', '+', 100, ...(name ? [name] : [])),
    empty: () => until(`${stream} empty`, async () => await redis.xlen(stream) === 0),
    account: async () => {
      const times = Object.values(await redis.hgetall(`${stream}:account`)).map(Number);
      check(times.every((n) => n === 1), 'every entry is done once');
      return times.length;
    },
  };
}
const count = (output, line) => output.split('\n').filter((seen) => seen === line).length;
async function leave(child) {
  child.kill('SIGTERM');
  same(await child.ended, 0, 'the end of a worker by SIGTERM');
}

// One of them holds its batches, alive, longer than others wait; is killed; the others take over.
for (const kind of ['node', 'python']) {
  const s = scene();
  await s.feed({ count: 200 });
  const victim = s.consumer(kind, 'victim', { DOOR: join(folder, 'never'), ...steady });
  await until('the victim has work', async () => victim.output.includes('work'));
  const others = [s.consumer('node', 'a', steady), s.consumer('python', 'b', steady)];
  await until('the others are done', async () => await redis.xlen(s.stream) === (await s.hands('victim')).length);
  let beats = 0;
  let last = 0;
  await until('six heartbeats', async () => {  // more than three, after which it would be taken
    const idle = Math.max(...(await s.hands('victim')).map((hand) => hand[2]));
    if (idle < last) ++beats;
    last = idle;
    return beats >= 6;
  });
  const held = await s.hands('victim');
  check(held.length >= 1 && held.every((hand) => hand[3] === 1), 'nobody takes from one who is alive');
  victim.kill('SIGKILL');
  await s.empty();
  same(await s.account(), 200, 'batches done');
  same(readdirSync(s.place).sort(), idsOf(1, 200).map((id) => `${id}.json`), 'results');
  same(JSON.parse(readFileSync(join(s.place, `${idOf(7)}.json`))), { id: idOf(7), files: 1, tokens: 2000 }, 'a result');
  for (const other of others) await leave(other);
  same((await s.hands()).length, 0, 'what is left in hands');
  console.log(`${kind} killed with ${held.length} batches in hand: ok`);
}

// Stopped for longer than others wait; what it finishes afterwards does not count.
for (const kind of ['node', 'python']) {
  const s = scene();
  await s.feed({ count: 2 });
  const door = join(folder, `door-${kind}`);
  const slow = s.consumer(kind, 'slow', { DOOR: door });
  await until('the slow one has both', async () => (await s.hands('slow')).length === 2 && slow.output.includes('work'));
  slow.kill('SIGSTOP');
  const other = s.consumer(kind === 'node' ? 'python' : 'node', 'other', { DOOR: door });
  await until('they are taken over', async () => (await s.hands('other')).length >= 1);
  slow.kill('SIGCONT');
  const before = await s.hands('other');
  writeFileSync(door, '');
  await s.empty();
  same(await s.account(), 2, 'batches done');
  await leave(slow);
  await leave(other);
  const [entry] = before[0];
  check(count(slow.output + other.output, `done ${idOf(Number(entry.split('-')[1]) / 1e6)}`) === 1, 'one says that it did it');
  console.log(`${kind} stopped and overtaken: ok`);
}

// A batch that fails every time, and one that kills every worker.
for (const kind of ['node', 'python']) {
  for (const kills of [false, true]) {
    const s = scene();
    await s.feed({ count: 9 });
    const env = { POISON: idOf(3), DELIVERIES: 2, ...(kills ? { KILLS: 1 } : {}) };
    let worker = s.consumer(kind, 'w', env);
    let deaths = 0;
    let ended = false;
    const again = () => worker.ended.then(() => {
      ++deaths;
      if (ended) return;
      worker = s.consumer(kind, 'w', env);
      again();
    });
    if (kills) again();
    await s.empty();
    ended = true;
    await leave(worker);
    if (!kills) same(count(worker.output, `work ${idOf(3)}`), 2, 'attempts');
    if (kills) same(deaths, 3, 'ends of the worker, the last by SIGTERM');
    same(await s.account(), 8, 'batches done');
    const [[, fields]] = await redis.xrange(s.dead, '-', '+');
    const letter = Object.fromEntries(Array.from({ length: fields.length / 2 }, (_, i) => fields.slice(2 * i, 2 * i + 2)));
    same([letter.id, letter.consumer, letter.deliveries], [idOf(3), 'w', kills ? '3' : '2'], 'the dead batch');
    check((kills ? /delivered 3 times/ : /planted/).test(letter.reason), `its reason: ${letter.reason}`);
    same((await feed({ kind: 'retry', url, name: s.stream })).retried, 1, 'put back');
    same(await redis.xlen(s.dead), 0, 'the dead');
    const healthy = s.consumer(kind, 'healthy');
    await s.empty();
    same(await s.account(), 9, 'batches done');
    await s.feed({ first: 10, count: 1 });  // the producer is not disturbed by what was put back
    await s.empty();
    await leave(healthy);
    console.log(`${kind}, a batch that ${kills ? 'kills' : 'fails'}: ok`);
  }
}

// A batch that is in the stream twice (the server had lost its last second): worked on once.
for (const kind of ['node', 'python']) {
  const s = scene();
  await s.feed({ count: 3 });
  await s.feed({ count: 3, run: 'another', job: 'another' });
  const worker = s.consumer(kind, 'w');
  await s.empty();
  same(await s.account(), 6, 'entries done');
  await leave(worker);
  same(idsOf(1, 3).map((id) => count(worker.output, `work ${id}`)), [1, 1, 1], 'times worked on');
  console.log(`${kind}, the same batch twice: ok`);
}
process.exit(0);
