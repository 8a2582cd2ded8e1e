import { PgBoss } from 'pg-boss';
import { sideBySide } from '../side-by-side.ts';
import type { JobQueue } from './peer.ts';
import { startPostgres } from './processes.ts';

const QUEUE = 'bench';
/** Workers that fetch jobs; each completes what it fetched before it fetches more. */
const TAKERS = 16;

/** pg-boss on a separate PostgreSQL. */
export async function startPgBoss(folder: string): Promise<JobQueue | undefined> {
  const server = await startPostgres(folder);
  if (server === undefined) return undefined;
  // Its server accepts connections a moment before it is ready for them.
  const boss = new PgBoss({
    connectionString: `postgres://app@127.0.0.1:${server.port}/postgres`,
    max: TAKERS,
    useListenNotify: true,
  });
  boss.on('error', () => undefined);
  await started(boss);
  await boss.createQueue(QUEUE, { notify: true });
  return {
    name: 'pg-boss on PostgreSQL, commits synced',
    submit: () => boss.send(QUEUE, { ref: 'main' }),
    batches: [20, 1],
    async drain(jobs, batch) {
      let done = 0;
      await sideBySide(TAKERS, TAKERS, async () => {
        while (done < jobs) {
          const taken = await boss.fetch(QUEUE, { batchSize: batch });
          if (taken.length === 0) return;
          await boss.complete(QUEUE, taken.map(({ id }) => id));
          done += taken.length;
        }
      });
      if (done < jobs) throw new Error(`${done} of ${jobs} jobs were found`);
    },
    async work(began) {
      await boss.work(QUEUE, { pollingIntervalSeconds: 0.5 }, async () => began());
    },
    async stop() {
      await boss.stop({ graceful: false });
      await server.stop();
    },
  };
}

async function started(boss: PgBoss): Promise<void> {
  for (let attempt = 0;; attempt++) {
    try {
      await boss.start();
      return;
    } catch (error) {
      if (attempt === 50) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
