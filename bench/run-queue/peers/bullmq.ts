import { Queue, Worker } from 'bullmq';
import type { JobQueue } from './peer.ts';
import { startRedis } from './processes.ts';

const QUEUE = 'bench';
/** Number of jobs that its worker processes at once; it fetches the next when one ends. */
const AT_ONCE = 200;

/** BullMQ on a separate Redis. */
export async function startBullMq(folder: string, appendfsync: 'always' | 'everysec'): Promise<JobQueue | undefined> {
  const server = await startRedis(folder, appendfsync);
  if (server === undefined) return undefined;
  const connection = { host: '127.0.0.1', port: server.port, maxRetriesPerRequest: null };
  const queue = new Queue(QUEUE, { connection });
  const workers: Worker[] = [];
  const work = (begin: () => void, completed: () => void): Worker => {
    const worker = new Worker(QUEUE, async () => begin(), { connection, concurrency: AT_ONCE });
    worker.on('completed', completed).on('error', () => undefined);
    workers.push(worker);
    return worker;
  };
  return {
    name: `BullMQ on Redis, ${appendfsync === 'always' ? 'every command synced' : 'synced every second'}`,
    submit: () => queue.add('job', { ref: 'main' }),
    batches: [1],
    async drain(jobs) {
      let left = jobs;
      const all = Promise.withResolvers<void>();
      const worker = work(() => undefined, () => {
        if (--left === 0) all.resolve();
      });
      await all.promise;
      await worker.close();
    },
    async work(began) {
      await work(began, () => undefined).waitUntilReady();
    },
    async stop() {
      for (const worker of workers) await worker.close();
      await queue.close();
      await server.stop();
    },
  };
}
