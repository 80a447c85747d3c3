// What putting a batch of about 2 KB into a queue costs: the outlets of the program beside BullMQ's
// own producer, addBulk(500), interleaved. CPU time of the client, CPU time of the server, wall
// time; microseconds a job. The first round of each warms up and is not counted.
//
//   tests/install_packages.sh queues build/release/queues
//   FEED=build/release/tests/queues/feed MODULES=build/release/queues \
//       node bench/macro/queue_rivals.mjs [ROUNDS] [JOBS]
import { cpus, loadavg } from 'node:os';
import { feed, idOf, require, startRedis } from '../../tests/queues/rig.mjs';

const rounds = Number(process.argv[2] ?? 5);
const jobs = Number(process.argv[3] ?? 20_000);
const { redis, port, url } = await startRedis();

const files = Array.from({ length: 24 }, (_, i) => ({
  path: `/srv/checkout/services/ingest/source/pipeline/stage_${i}.cc`, tokens: 2000 + i }));
const options = { attempts: 3, backoff: { type: 'exponential', delay: 1000 }, removeOnComplete: true, removeOnFail: false };

async function bulk(version) {
  const { Queue } = require(`bullmq${version}`);
  const queue = new Queue('rival', { connection: { host: '127.0.0.1', port } });
  await queue.waitUntilReady();
  const made = Array.from({ length: jobs }, (_, i) => ({
    name: 'batch', data: { id: idOf(i + 1), files, totalTokens: 48_000 }, opts: { ...options, jobId: idOf(i + 1) } }));
  const began = process.hrtime.bigint();
  const cpu = process.cpuUsage();
  for (let from = 0; from < jobs; from += 500) await queue.addBulk(made.slice(from, from + 500));
  const { user, system } = process.cpuUsage(cpu);
  const wall = Number(process.hrtime.bigint() - began) / 1000;
  await queue.close();
  return { cpu: user + system, wall };
}
const ours = (kind) => feed({ kind, url, name: 'ours', count: jobs, files: 24, at_once: 500 });

async function serverMicros() {
  const info = await redis.info('cpu');
  const seconds = (name) => Number(info.match(new RegExp(`${name}:([0-9.]+)`))[1]);
  return 1e6 * (seconds('used_cpu_user') + seconds('used_cpu_sys'));
}
async function cost(body) {
  await redis.flushall();
  const before = await serverMicros();
  const { cpu, wall } = await body();
  return { client: cpu / jobs, server: (await serverMicros() - before) / jobs, wall: wall / jobs };
}

const contestants = {
  'tidemill, stream': () => ours('stream'),
  'tidemill, BullMQ queue': () => ours('bull'),
  'BullMQ 4.18.3 addBulk(500)': () => bulk(4),
  'BullMQ 5.81.5 addBulk(500)': () => bulk(5),
  'BullMQ 6.7.0 addBulk(500)': () => bulk(6),
};
const seen = Object.fromEntries(Object.keys(contestants).map((name) => [name, []]));
for (let round = 0; round <= rounds; ++round) {
  for (const [name, body] of Object.entries(contestants)) {
    const one = await cost(body);
    if (round > 0) seen[name].push(one);
  }
}

const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
const column = (list) => `${median(list).toFixed(1)} (${Math.min(...list).toFixed(1)}–${Math.max(...list).toFixed(1)})`;
console.log(`${cpus()[0].model}, ${cpus().length} CPUs, load ${loadavg()[0].toFixed(1)}; node ${process.version}; ${jobs} jobs, ${rounds} rounds`);
console.log('µs a job, median (least–most)'.padEnd(30), 'client CPU'.padEnd(24), 'server CPU'.padEnd(24), 'wall');
for (const [name, list] of Object.entries(seen)) {
  const of = (what) => column(list.map((one) => one[what]));
  console.log(name.padEnd(30), of('client').padEnd(24), of('server').padEnd(24), of('wall'));
}
const ratio = (what, name) => median(seen[name].map((one, i) => one[what] / seen['tidemill, BullMQ queue'][i][what]));
for (const name of Object.keys(contestants).slice(2)) {
  console.log(`${name}: client ×${ratio('client', name).toFixed(1)}, server ×${ratio('server', name).toFixed(2)} of the outlet's (median of the rounds)`);
}
process.exit(0);
