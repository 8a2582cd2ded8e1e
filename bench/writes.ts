// Durable writes: one document a request, 1 and 64 clients, beside the rate at which the same disk
// completes an append and an fdatasync.
import { fdatasyncSync, openSync, writeSync, closeSync } from 'node:fs';
import { join } from 'node:path';
import { requestsPerSecond } from './support/load.ts';
import { startQuire } from './support/server.ts';
import { compare, type Row } from './support/table.ts';

const SECONDS = 5;
const BODY = 'x '.repeat(500);

/** Appends of one page, each synced before the next. */
function rawSyncsPerSecond(folder: string): number {
  const file = openSync(join(folder, 'raw'), 'w');
  const page = Buffer.alloc(4096, 1);
  const end = performance.now() + SECONDS * 1000;
  let syncs = 0;
  for (; performance.now() < end; syncs++) {
    writeSync(file, page);
    fdatasyncSync(file);
  }
  closeSync(file);
  return syncs / SECONDS;
}

export async function benchWrites(folder: string): Promise<Row[]> {
  const raw = rawSyncsPerSecond(folder);
  const server = await startQuire(join(folder, 'writes.db'));
  const body = (n: number) => JSON.stringify({ collection: 'bench', key: `k${process.pid}-${n}`, lang: 'en', meta: { tags: ['a', 'b'] }, contentMd: BODY });
  const run = (clients: number) => requestsPerSecond({ url: `${server.url}/v1/add`, clients, seconds: SECONDS, method: 'POST', body });
  await run(1);
  const one = await run(1);
  const many = await run(64);
  await server.stop();
  return [
    compare('POST /v1/add, 1 client', one, 'raw append + fdatasync', raw, '/s'),
    compare('POST /v1/add, 64 clients', many, 'raw append + fdatasync', raw, '/s'),
    compare('POST /v1/add, 64 clients', many, 'the same, 1 client', one, '/s'),
  ];
}
