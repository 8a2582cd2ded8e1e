import { join } from 'node:path';
import type { Asked } from '../peers/queries-file.ts';
import { clientOf } from '../support/client.ts';
import { progress } from '../support/progress.ts';
import { type BenchServer, startQuire } from '../support/server.ts';
import { figure, type Section } from '../support/table.ts';
import { COLLECTION, fill, searchOf } from './over-http.ts';
import type { Texts } from './texts.ts';

/** Number of documents that are written after the last checkpoint, before the crash. */
const LATER = 100;

export interface Restart {
  readonly stopped: number;
  readonly killed: number;
  readonly section: Section;
}

/** A server with the texts is stopped, and later killed, and restarted; measured until the first search is answered. */
export async function benchRestart(folder: string, texts: Texts, queries: readonly Asked[]): Promise<Restart> {
  progress(`restart: filling a server with ${texts.documents} documents`);
  const database = join(folder, 'fulltext-restart.db');
  const search = searchOf('term', queries.find(({ kind }) => kind === 'term')!.words);
  const first = await startQuire(database);
  await withClient(first, (client) => fill(client, texts.file));
  progress('restart: stopping and starting');
  await first.stop();
  const second = await untilSearch(database, search);
  await withClient(second.server, async (client) => {
    for (let i = 0; i < LATER; i++)
      await client.post('/v1/add', {
        collection: COLLECTION,
        key: `later-${i}`,
        lang: 'en',
        contentMd: 'written later',
      });
  });
  progress('restart: killing and starting');
  await second.server.kill();
  const third = await untilSearch(database, search);
  await third.server.stop();
  return {
    stopped: second.ms,
    killed: third.ms,
    section: {
      title: `Restart: a server with ${texts.documents.toLocaleString('en-US')} documents (${
        figure(texts.bytes / 1e6)
      } MB), from its start to the first search`,
      header: ['ended by', 'ms', 'of which until it listens'],
      rows: [['SIGTERM', figure(second.ms), figure(second.server.readyMs)], [
        `SIGKILL, ${LATER} documents after it wrote its index`,
        figure(third.ms),
        figure(third.server.readyMs),
      ]],
    },
  };
}

/** Starts a server and resolves when it has answered a search; `ms` counts from the start of its process. */
export async function untilSearch(database: string, search: object,
  env: Readonly<Record<string, string>> = {}): Promise<{ server: BenchServer; ms: number }>
{
  const begun = performance.now();
  const server = await startQuire(database, env);
  await withClient(server, async (client) => {
    for (let status = 0; status !== 200;) {
      status = await client.status('/v1/fts', search);
      // It responds with 503 while indexes load.
      if (status !== 200 && status !== 503) throw new Error(`/v1/fts answered ${status} after a restart`);
      if (status !== 200) await new Promise((resolve) => setTimeout(resolve, 5));
    }
  });
  return { server, ms: performance.now() - begun };
}

export async function withClient(server: Pick<BenchServer, 'url'>,
  work: (client: ReturnType<typeof clientOf>) => Promise<void>): Promise<void>
{
  const client = clientOf(server.url);
  await work(client);
  client.close();
}
