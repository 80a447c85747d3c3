// Works on the batches of a stream:  node worker.mjs STREAM RESULTS
// From the environment: REDIS_URL, GROUP, CONSUMER (a name of its own), HEARTBEAT (ms), DELIVERIES.
// Any number of these, and of worker.py, may share a stream. SIGTERM: ends after what is in hand.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { Redis } from 'ioredis';

// Replace this. A batch may come again (its worker died, or was slow), with the same id: what is
// done for it must not harm when it is done twice. Long computing belongs into a worker_thread, so
// that the heartbeat goes on.
async function work(batch) {
  return { id: batch.id, files: batch.files.length, tokens: batch.totalTokens };
}

const { REDIS_URL = 'redis://127.0.0.1:6379', GROUP = 'tidemill', CONSUMER = `${hostname()}:${process.pid}` } = process.env;
const heartbeat = Number(process.env.HEARTBEAT ?? 5000), deliveries = Number(process.env.DELIVERIES ?? 3);
const [stream, results] = process.argv.slice(2);
const dead = /{[^}]+}/.test(stream) ? `${stream}:dead` : `{${stream}}:dead`;
const redis = new Redis(REDIS_URL);
for (const [name, keys] of [['done', 1], ['dead', 2], ['beat', 1]]) {
  const lua = readFileSync(new URL(`${name}.lua`, import.meta.url), 'utf8');
  redis.defineCommand(`tidemill_${name}`, { numberOfKeys: keys, lua });
}

let leaving = false, cursor = '0-0';
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => { leaving = true; });
const inHand = new Set();  // entries
setInterval(() => {
  if (inHand.size > 0) redis.tidemill_beat(stream, GROUP, CONSUMER, ...inHand).catch(() => {});
}, heartbeat).unref();

async function attempt(entry, fields) {
  const [[, , , times] = []] = await redis.xpending(stream, GROUP, entry, entry, 1, CONSUMER);
  if (!times) return;  // somebody else has taken it over
  const giveUp = (reason) => redis.tidemill_dead(stream, dead, GROUP, CONSUMER, entry, reason);
  if (times > deliveries) return giveUp(`delivered ${times} times, and never done`);  // it kills
  try {
    const batch = JSON.parse(fields[fields.indexOf('batch') + 1]);
    const path = `${results}/${batch.id}.json`;
    if (!existsSync(path)) {  // else a worker has died right behind its work
      writeFileSync(`${path}.${process.pid}`, JSON.stringify(await work(batch)));
      renameSync(`${path}.${process.pid}`, path);
    }
    if (await redis.tidemill_done(stream, GROUP, CONSUMER, entry)) console.log(`done ${batch.id}`);
  } catch (error) {  // stays in our hands without a heartbeat: taken up again some time later
    if (times >= deliveries) await giveUp(String(error));
  }
}

mkdirSync(results, { recursive: true });
await redis.xgroup('CREATE', stream, GROUP, '0', 'MKSTREAM').catch(() => {});  // it is there already
while (!leaving) {  // what was left behind one by one: it may kill, and should kill alone
  const [next, claimed] = await redis.xautoclaim(stream, GROUP, CONSUMER, 3 * heartbeat, cursor, 'COUNT', 1);
  cursor = next;
  const entries = claimed.length > 0 ? claimed : (await redis.xreadgroup('GROUP', GROUP, CONSUMER,
    'COUNT', 2, 'BLOCK', Math.min(heartbeat, 1000), 'STREAMS', stream, '>'))?.[0][1] ?? [];
  for (const [entry] of entries) inHand.add(entry);
  for (const [entry, fields] of entries) await attempt(entry, fields).finally(() => inHand.delete(entry));
}
await redis.quit();
