// What BullMQ costs for jobs that do nothing: addBulk(500) here, workers in processes of their own,
// as fleet_cost.cc has them. One line of JSON with the same names.
//
//   node bench/macro/fleet_rivals.mjs MODULES SOCKET VERSION JOBS WORKERS CONCURRENCY
//
// Jobs that are done are removed, and there is one attempt, which is the cheapest that it offers.
import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const [modules, path, version, ...numbers] = process.argv.slice(2);
const [jobs, workers, concurrency] = numbers.map(Number);
const require = createRequire(join(resolve(modules), 'package.json'));
const { Queue, Worker } = require(`bullmq${version}`);
const { Redis } = require('ioredis');
const connection = { path, maxRetriesPerRequest: null };

if (process.send) {
  const worker = new Worker('bench', async () => 'done', { connection, concurrency });
  await worker.waitUntilReady();
  process.send('ready');
  process.on('message', async () => { await worker.close(); process.exit(0); });
} else {
  const redis = new Redis(connection);
  const field = async (section, name) =>
    Number((await redis.info(section)).match(new RegExp(`${name}:([0-9.]+)`))[1]);
  const idle = await field('memory', 'used_memory');
  const queue = new Queue('bench', { connection });
  await queue.waitUntilReady();
  const children = await Promise.all(Array.from({ length: workers }, () => new Promise((done) => {
    const child = fork(fileURLToPath(import.meta.url), process.argv.slice(2));
    child.once('message', () => done(child));
  })));
  const options = { attempts: 1, removeOnComplete: true };
  const work = async (count) => {
    for (let from = 0; from < count; from += 500) {
      await queue.addBulk(Array.from({ length: Math.min(500, count - from) }, (_, i) => (
        { name: 'nothing', data: { path: `archive/0012/IMG_${from + i}.jpeg` }, opts: options })));
    }
    for (;;) {
      const { wait, active } = await queue.getJobCounts('wait', 'active');
      if (wait + active === 0) return;
      await new Promise((again) => { setTimeout(again, 5); });
    }
  };
  const secondsOf = (pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  };
  const read = async () => ({
    at: Number(process.hrtime.bigint()) / 1e9,
    own: process.cpuUsage(),
    workers: children.reduce((sum, child) => sum + secondsOf(child.pid), 0),
    redis: await field('cpu', 'used_cpu_sys') + await field('cpu', 'used_cpu_user'),
  });
  await work(Math.min(jobs, 2_000));
  const before = await read();
  await work(jobs);
  const after = await read();
  const micros = (seconds) => 1e6 * seconds / jobs;
  const own = (after.own.user + after.own.system - before.own.user - before.own.system) / 1e6;
  const [worked, served] = [after.workers - before.workers, after.redis - before.redis];
  const seconds = after.at - before.at;
  console.log(JSON.stringify({
    worker: `bullmq${version}`, tasks: jobs, workers, places: concurrency, parcel: 1, seconds,
    tasks_a_second: jobs / seconds,
    cpu_us: { coordinator: micros(own), worker: micros(worked), redis: micros(served),
      all: micros(own + worked + served) },
    redis_core: served / seconds,
    redis_peak_bytes: await field('memory', 'used_memory_peak') - idle,
  }));
  await Promise.all(children.map((child) => new Promise((done) => {
    child.once('exit', done);
    child.send('end');
  })));
  await queue.close();
  process.exit(0);
}
