// Reads over HTTP: POST /v1/get compared with a bare koa route that returns the same bytes. The two servers
// take turns, so that other load on the machine affects both.
import { join } from 'node:path';
import { requestsPerSecond } from './support/load.ts';
import { scaled } from './support/scale.ts';
import { startQuire, startScript } from './support/server.ts';
import { compare, median, type Row } from './support/table.ts';

const ROUNDS = 5;
const SECONDS = scaled(3, 0.5);
const CLIENTS = 32;

export async function benchReads(folder: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (const bytes of [300, 3000]) rows.push(await readsOf(join(folder, `reads-${bytes}.db`), bytes));
  return rows;
}

async function readsOf(database: string, bytes: number): Promise<Row> {
  const quire = await startQuire(database);
  const identity = { collection: 'bench', key: 'page', lang: 'en' };
  const post = (path: string, body: object) =>
    fetch(`${quire.url}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  await post('/v1/add', {
    ...identity,
    meta: { title: ['A page'], tags: ['a', 'b', 'c'] },
    contentMd: 'some words '.repeat(bytes / 11),
  });
  const bare = await startScript(join(import.meta.dirname, 'bare-koa.ts'),
    await (await post('/v1/get', identity)).text());
  const load = (url: string) =>
    requestsPerSecond({
      url: `${url}/v1/get`,
      clients: CLIENTS,
      seconds: SECONDS,
      method: 'POST',
      body: JSON.stringify(identity),
    });
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    theirs.push(await load(bare.url));
    ours.push(await load(quire.url));
  }
  await Promise.all([quire.stop(), bare.stop()]);
  return compare(`POST /v1/get, body of ${bytes} bytes, ${CLIENTS} clients`, median(ours), 'bare koa route, same bytes',
    median(theirs), '/s');
}
