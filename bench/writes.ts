// Durable writes compared with the rate at which the same disk completes a write and an fdatasync: one
// document per request over HTTP, and one row per transaction in process, each with 1 and with 64 clients. The client
// over HTTP writes prepared bytes: autocannon takes 200 us for a request itself, which would be a third of a write.
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '../src/storage/index.ts';
import { scaled } from './support/scale.ts';
import { startQuire } from './support/server.ts';
import { compare, type Row } from './support/table.ts';
import { prepare, sendsPerSecond } from './support/wire.ts';

const SECONDS = scaled(5, 1);
const BODY = 'x '.repeat(500);

/** Number of pages of the file that is written cyclically; a log is reused in the same way. */
const PAGES = 1024;

/**
 * Writes one page at a time, each synced before the next. It overwrites the file in place: a growing file would also
 * have its new size synced each time, which does not happen for a log that is reused.
 */
function rawSyncsPerSecond(folder: string): number {
  const file = openSync(join(folder, 'raw'), 'w');
  const page = Buffer.alloc(4096, 1);
  for (let i = 0; i < PAGES; i++) writeSync(file, page);
  fdatasyncSync(file);
  const end = performance.now() + SECONDS * 1000;
  let syncs = 0;
  for (; performance.now() < end; syncs++) {
    writeSync(file, page, 0, page.length, (syncs % PAGES) * page.length);
    fdatasyncSync(file);
  }
  closeSync(file);
  return syncs / SECONDS;
}

/** Transactions of one small row completed by the given number of callers, each waiting for its own. */
async function transactionsPerSecond(folder: string, clients: number): Promise<number> {
  const sql = await openDatabase({ path: join(folder, `transactions-${clients}.db`) });
  await sql.transaction((tx) => tx.run('CREATE TABLE rows(id INTEGER PRIMARY KEY, text TEXT)'));
  const end = performance.now() + SECONDS * 1000;
  let done = 0;
  const client = async (): Promise<void> => {
    for (; performance.now() < end; done++)
      await sql.transaction((tx) => tx.run('INSERT INTO rows(text) VALUES (?)', ['some text']));
  };
  await Promise.all(Array.from({ length: clients }, client));
  await sql.close();
  return done / SECONDS;
}

export async function benchWrites(folder: string): Promise<Row[]> {
  const raw = rawSyncsPerSecond(folder);
  const alone = await transactionsPerSecond(folder, 1);
  const together = await transactionsPerSecond(folder, 64);
  const server = await startQuire(join(folder, 'writes.db'));
  let n = 0;
  const add = () =>
    prepare('/v1/add', {
      collection: 'bench',
      key: `k${process.pid}-${n++}`,
      lang: 'en',
      meta: { tags: ['a', 'b'] },
      contentMd: BODY,
    });
  const run = (clients: number) => sendsPerSecond(server.url, add, clients, SECONDS);
  await run(1);
  const one = await run(1);
  const many = await run(64);
  await server.stop();
  return [compare('transactions in process, 1 client', alone, 'raw write + fdatasync', raw, '/s'),
    compare('transactions in process, 64 clients', together, 'raw write + fdatasync', raw, '/s'),
    compare('POST /v1/add, 1 client', one, 'raw write + fdatasync', raw, '/s'),
    compare('POST /v1/add, 64 clients', many, 'raw write + fdatasync', raw, '/s'),
    compare('POST /v1/add, 64 clients', many, 'the same, 1 client', one, '/s')];
}
