// What the tests of queues share: a server of their own, waiting for conditions, the feeder.
//   FEED     the program of feed.cc
//   MODULES  a folder with the node_modules of package.json (tests/install_packages.sh)
import { spawn, execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

export const run = promisify(execFile);
export const modules = resolve(process.env.MODULES ?? '.');
export const require = createRequire(join(modules, 'package.json'));
export const folder = mkdtempSync(join(tmpdir(), 'tidemill-queues-'));

export function skip(why) {
  console.error(`NOT TESTED: ${why}`);
  process.exit(77);
}
if (!existsSync(join(modules, 'node_modules'))) skip(`no npm packages in ${modules}: see tests/install_packages.sh`);

export function check(truth, what) {
  if (!truth) throw new Error(`failed: ${what}`);
}
export function same(seen, wanted, what) {
  const [a, b] = [JSON.stringify(seen), JSON.stringify(wanted)];
  check(a === b, `${what}: ${a} instead of ${b}`);
}

// Looks again and again, for two minutes at most.
let waitsFor = 'nothing';
export async function until(what, condition) {
  const end = Date.now() + 120_000;
  waitsFor = what;
  for (;;) {
    const truth = await condition();
    if (truth) {
      waitsFor = `something behind: ${what}`;
      return truth;
    }
    if (Date.now() > end) throw new Error(`never came: ${what}`);
    await new Promise((again) => { setTimeout(again, 5); });
  }
}

// A child dies with this program, however that ends.
const children = new Set();
export function start(program, args, options = {}) {
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', program, ...args], { stdio: ['ignore', 'pipe', 'inherit'], ...options });
  children.add(child);
  child.output = '';
  child.stdout.on('data', (text) => { child.output += text; });
  child.ended = new Promise((done) => {
    child.on('error', (error) => { console.error(String(error)); done(-1); });
    child.on('exit', () => children.delete(child));
    child.on('close', (code, signal) => done(signal ?? code));  // and all output has come
  });
  return child;
}
for (const signal of ['SIGTERM', 'SIGINT']) {
  process.on(signal, () => {
    console.error(`${signal} while waiting for ${waitsFor}`);
    process.exit(1);
  });
}
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const freePort = () => new Promise((done) => {
  const listener = createServer().listen(0, '127.0.0.1', () => {
    const { port } = listener.address();
    listener.close(() => done(port));
  });
});

// A server on loopback; as a cluster of one node it refuses keys of two slots just like a large one.
export async function startRedis({ cluster = false } = {}) {
  const { Redis } = require('ioredis');
  for (let attempt = 0; ; ++attempt) {
    let port = await freePort();
    if (cluster && port > 55_000) port -= 20_000;  // the cluster's own port is 10,000 above
    const home = mkdtempSync(join(folder, 'redis-'));
    const socket = join(home, 'socket');
    const child = start('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--dir', home,
      '--save', '', '--logfile', join(home, 'log'), '--unixsocket', socket,
      ...(cluster ? ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1'] : [])]);
    let ended = null;
    child.ended.then((code) => { ended = code; });
    await until('redis-server', async () => ended !== null || existsSync(socket));
    if (ended !== null) {  // the port was taken in between
      if (ended === 127) skip('there is no redis-server here (Debian: redis-server)');
      check(attempt < 5, 'redis-server starts');
      continue;
    }
    const redis = new Redis({ path: socket, maxRetriesPerRequest: null });
    redis.on('error', (error) => console.error(String(error)));
    if (cluster) {
      await redis.cluster('ADDSLOTSRANGE', 0, 16383);
      await until('the cluster', async () => /cluster_state:ok/.test(await redis.cluster('INFO')));
    }
    const url = `${cluster ? 'redis+cluster' : 'redis'}://127.0.0.1:${port}`;
    return { redis, port, socket, child, url };
  }
}

// feed({kind: 'bull', url, name, count: 5}): what it printed.
export async function feed(words) {
  const { stdout } = await run(process.env.FEED, Object.entries(words).map(([k, v]) => `${k}=${v}`));
  return JSON.parse(stdout);
}
export const idOf = (number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
export const idsOf = (first, last) => Array.from({ length: last - first + 1 }, (_, i) => idOf(first + i));
