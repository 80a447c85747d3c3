// Real workers of BullMQ 4, 5 and 6 on what the outlet puts into their queue: every job is worked on
// once, whether the worker comes before or after, also on a paused queue, with any prefix, and in a
// cluster.   bull.mjs VERSION
import { check, feed, idsOf, idOf, require, same, startRedis, until } from './rig.mjs';

const version = process.argv[2];
const name = `bullmq${version}`;
const { Queue, Worker } = require(name);
const server = await startRedis();

// A queue of its own for each scene, and who worked on what.
function scene(queue, { prefix = 'bull', connection, fails = () => false } = {}) {
  const options = { connection: connection?.() ?? { host: '127.0.0.1', port: server.port }, prefix };
  const seen = new Map();
  const work = async (job) => {
    same(job.data.id, job.id, 'the id of a job is that of its batch');
    same(job.name, 'batch', 'its name');
    if (fails(job)) throw new Error('planted');
    seen.set(job.id, (seen.get(job.id) ?? 0) + 1);
  };
  const ends = [];
  return {
    queue: () => {
      const made = new Queue(queue, options);
      ends.push(() => made.close());
      return made;
    },
    worker: async () => {
      const blocking = { ...options, connection: connection?.() ?? { ...options.connection, maxRetriesPerRequest: null } };
      // By itself it would look again in ten minutes only: it must be woken.
      const made = new Worker(queue, work, { ...blocking, concurrency: 3, drainDelay: 600 });
      made.on('error', (error) => console.error(String(error)));
      ends.push(() => made.close(true));
      await made.waitUntilReady();
    },
    done: async (ids) => {
      const counts = async () => {
        const counter = new Queue(queue, options);
        const left = await counter.getJobCounts('wait', 'paused', 'active', 'delayed', 'completed', 'failed');
        await counter.close();
        return Object.values(left).reduce((a, b) => a + b);
      };
      await until(`${ids.length} jobs, ${seen.size} so far`, async () => seen.size >= ids.length);
      await until('an empty queue, nothing kept', async () => await counts() === 0);
      same([...seen.keys()].sort(), ids, 'which jobs were worked on');
      check([...seen.values()].every((times) => times === 1), 'each once');
    },
    end: async () => { for (const end of ends) await end(); },
    seen,
  };
}

let isMended = false;
const words = { kind: 'bull', url: server.url };
const scenes = {
  'a worker that comes after the jobs': async (s, queue) => {
    await feed({ ...words, name: queue, count: 120, complete: 1 });
    await s.worker();
    await s.done(idsOf(1, 120));
    const left = (await server.redis.keys(`bull:${queue}:*`)).map((key) => key.split(':')[2]).sort();
    check(left.every((key) => ['events', 'id', 'marker', 'meta', 'stalled-check', 'tidemill', 'pc'].includes(key)),
      `nothing is left of a job that is done: ${left}`);
  },
  'a worker that waits for them': async (s, queue) => {
    await s.worker();
    await until('a worker that blocks', async () => /cmd=(bzpopmin|brpoplpush|blmove)/.test(await server.redis.client('LIST')));
    await feed({ ...words, name: queue, count: 7 });
    await s.done(idsOf(1, 7));
    await feed({ ...words, name: queue, first: 8, count: 3 });
    await s.done(idsOf(1, 10));
  },
  'a queue that is paused with jobs in it': async (s, queue) => {
    const control = s.queue();
    await control.waitUntilReady();
    await s.worker();
    await control.pause();
    await feed({ ...words, name: queue, count: 5 });
    await control.resume();
    await s.done(idsOf(1, 5));
    await feed({ ...words, name: queue, first: 6, count: 5 });
    await s.done(idsOf(1, 10));
  },
  'a queue that is paused between the jobs': async (s, queue) => {
    const control = s.queue();
    await feed({ ...words, name: queue, count: 5 });
    await control.pause();
    await feed({ ...words, name: queue, first: 6, count: 5 });
    await s.worker();
    same(s.seen.size, 0, 'worked on while paused');
    await control.resume();
    await s.done(idsOf(1, 10));
  },
  'a queue that knows no version': async (s, queue) => {
    await server.redis.hset(`bull:${queue}:meta`, 'paused', '1');
    await feed({ ...words, name: queue, count: 5 });
    await s.worker();
    await s.queue().resume();
    await s.done(idsOf(1, 5));
  },
  'jobs that come again while they wait': async (s, queue) => {
    await feed({ ...words, name: queue, count: 6 });
    await feed({ ...words, name: queue, job: 'another', run: 'feed', count: 8 });
    await s.worker();
    await s.done(idsOf(1, 8));
  },
  'a job as BullMQ makes it': async (s, queue) => {
    await feed({ ...words, name: queue, count: 1 });
    const ours = await server.redis.hgetall(`bull:${queue}:${idOf(1)}`);
    await server.redis.del(`bull:${queue}:${idOf(1)}`, `bull:${queue}:wait`);
    await s.queue().add('batch', JSON.parse(ours.data),
      { jobId: idOf(1), attempts: 3, backoff: { type: 'exponential', delay: 10 }, removeOnComplete: true, removeOnFail: false });
    const theirs = await server.redis.hgetall(`bull:${queue}:${idOf(1)}`);
    const plain = ({ opts, timestamp, ...rest }) => {
      check(Math.abs(Number(timestamp) - Date.now()) < 600_000, 'a timestamp in ms');
      const { delay = 0, ...options } = JSON.parse(opts);  // version 4 writes the delay even if it is 0
      return Object.entries({ ...rest, ...options, delayed: delay }).sort().map(([k, v]) => [k, v instanceof Object ? Object.entries(v).sort() : v]);
    };
    same(plain(ours), plain(theirs), 'the fields of a job');
    await s.worker();
    await s.done([idOf(1)]);
  },
};
const withOptions = {
  'jobs that the queue keeps as completed or failed': [{ fails: (job) => job.id === idOf(2) && !isMended }, async (s, queue) => {
    const control = s.queue();
    // As a producer makes them that keeps what is completed; its ids are those of our batches.
    for (const id of idsOf(1, 3)) await control.add('batch', { id }, { jobId: id, attempts: 1, removeOnComplete: false });
    await s.worker();
    await until('2 completed, 1 failed', async () => {
      const { completed, failed } = await control.getJobCounts('completed', 'failed');
      return completed === 2 && failed === 1;
    });
    same((await feed({ ...words, name: queue, count: 4 })).fates, [1, 0, 2, 1], 'added, known, completed, failed');
    await until('the new one', async () => s.seen.get(idOf(4)) === 1);
    same([...s.seen.keys()].sort(), [1, 3, 4].map(idOf), 'nothing that the queue keeps is worked on again');
    isMended = true;
    same((await feed({ ...words, name: queue, count: 4, resend: 1 })).fates, [4, 0, 0, 0], 'all are added');
    await until('each again', async () => [2, 1, 2, 2].every((times, n) => s.seen.get(idOf(n + 1)) === times));
    await until('nothing kept', async () => Object.values(await control.getJobCounts('completed', 'failed', 'active', 'wait')).every((n) => n === 0));
  }],
  'jobs that fail at first': [{ fails: (job) => job.attemptsMade < 1 }, async (s, queue) => {
    await feed({ ...words, name: queue, count: 4 });
    await s.worker();
    await s.done(idsOf(1, 4));
  }],
  'another prefix': [{ prefix: 'some:prefix' }, async (s, queue) => {
    await s.worker();
    await feed({ ...words, name: queue, count: 5, prefix: 'some:prefix' });
    await s.done(idsOf(1, 5));
  }],
};

let number = 0;
async function play(what, options, body) {
  const queue = `q${++number}`;
  const s = scene(queue, options);
  try {
    await body(s, queue);
    console.log(`${name}: ${what}: ok`);
  } finally {
    await s.end();
  }
}
for (const [what, body] of Object.entries(scenes)) await play(what, {}, body);
for (const [what, [options, body]] of Object.entries(withOptions)) await play(what, options, body);

await play('the standing survives a search for orphans', {}, async (s, queue) => {
  const control = s.queue();
  if (!control.removeOrphanedJobs) return;
  await feed({ ...words, name: queue, count: 3 });
  await control.removeOrphanedJobs();
  same((await feed({ ...words, name: queue, first: 4, count: 1 })).stood, 3, 'the standing');
  await s.worker();
  await s.done(idsOf(1, 4));
});

const cluster = await startRedis({ cluster: true });
const { Cluster } = version === '6' ? require('ioredis') : require(`./node_modules/${name}/node_modules/ioredis`);
const clients = [];
const connection = () => {
  clients.push(new Cluster([{ host: '127.0.0.1', port: cluster.port }], { redisOptions: { maxRetriesPerRequest: null } }));
  return clients.at(-1);
};
await play('a cluster', { prefix: '{bull}', connection }, async (s, queue) => {
  await s.worker();
  await feed({ kind: 'bull', url: cluster.url, name: queue, prefix: '{bull}', count: 5 });
  await s.done(idsOf(1, 5));
});
process.exit(0);
