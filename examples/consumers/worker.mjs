// Processes the batches of a stream:  node worker.mjs STREAM RESULTS
// Environment: REDIS_URL, GROUP, CONSUMER (a unique name), HEARTBEAT (ms), DELIVERIES (maximum).
// Any number of workers, also worker.py, can share a stream. SIGTERM: finishes its batches and exits.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { Redis } from 'ioredis';

// Replace this function. A batch can be delivered again with the same id (if its worker died or was
// slow), so it must be safe to process a batch twice. Run long computations in a worker_thread, so
// that the heartbeat continues.
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
const inProgress = new Set();  // entries
setInterval(() => {
  if (inProgress.size > 0) redis.tidemill_beat(stream, GROUP, CONSUMER, ...inProgress).catch(() => {});
}, heartbeat).unref();

async function attempt(entry, fields) {
  const [[, , , times] = []] = await redis.xpending(stream, GROUP, entry, entry, 1, CONSUMER);
  if (!times) return;  // another worker has claimed it
  const giveUp = (reason) => redis.tidemill_dead(stream, dead, GROUP, CONSUMER, entry, reason);
  if (times > deliveries) return giveUp(`delivered ${times} times, never done`);  // it may crash its workers
  try {
    const batch = JSON.parse(fields[fields.indexOf('batch') + 1]);
    const path = `${results}/${batch.id}.json`;
    if (!existsSync(path)) {  // otherwise a worker died after it wrote the result
      writeFileSync(`${path}.${process.pid}`, JSON.stringify(await work(batch)));
      renameSync(`${path}.${process.pid}`, path);
    }
    if (await redis.tidemill_done(stream, GROUP, CONSUMER, entry)) console.log(`done ${batch.id}`);
  } catch (error) {  // stays pending without a heartbeat, so it is claimed and tried again later
    if (times >= deliveries) await giveUp(String(error));
  }
}

mkdirSync(results, { recursive: true });
await redis.xgroup('CREATE', stream, GROUP, '0', 'MKSTREAM').catch(() => {});  // it exists already
while (!leaving) {  // claims abandoned batches one at a time: one may crash this worker
  const [next, claimed] = await redis.xautoclaim(stream, GROUP, CONSUMER, 3 * heartbeat, cursor, 'COUNT', 1);
  cursor = next;
  const entries = claimed.length > 0 ? claimed : (await redis.xreadgroup('GROUP', GROUP, CONSUMER,
    'COUNT', 2, 'BLOCK', Math.min(heartbeat, 1000), 'STREAMS', stream, '>'))?.[0][1] ?? [];
  for (const [entry] of entries) inProgress.add(entry);
  for (const [entry, fields] of entries) await attempt(entry, fields).finally(() => inProgress.delete(entry));
}
await redis.quit();
