// Reads over HTTP: POST /v1/get of documents drawn from 20,000, every tenth request a write, beside a bare koa route
// that returns as many bytes. The two servers take turns, so that other load on the machine affects both.
import { join } from 'node:path';
import { prose, seeded } from './support/corpus.ts';
import { scaled } from './support/scale.ts';
import { startQuire, startScript } from './support/server.ts';
import { compare, median, type Row } from './support/table.ts';
import { prepare, sendsPerSecond } from './support/wire.ts';

const ROUNDS = 5;
const SECONDS = scaled(3, 0.5);
const CLIENTS = 32;
const DOCUMENTS = 20_000;
const BATCH = 500;
/** One request in so many is a write. */
const WRITE_EVERY = 10;

export async function benchReads(folder: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (const bytes of [300, 3000]) rows.push(await readsOf(join(folder, `reads-${bytes}.db`), bytes));
  return rows;
}

async function readsOf(database: string, bytes: number): Promise<Row> {
  const quire = await startQuire(database);
  const random = seeded(bytes);
  const pick = (below: number) => Math.floor(random() * below);
  const document = (n: number) => ({
    key: `page-${n}`,
    lang: 'en',
    meta: { title: [`Page ${n}`], tags: ['a', 'b', 'c'] },
    contentMd: prose(random, bytes),
  });
  const post = async (path: string, body: object): Promise<string> => {
    const response = await fetch(`${quire.url}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${text}`);
    return text;
  };
  for (let first = 0; first < DOCUMENTS; first += BATCH) {
    const documents = Array.from({ length: BATCH }, (_, i) => document(first + i));
    await post('/v1/add-batch', { collection: 'bench', documents });
  }
  const one = { collection: 'bench', key: 'page-0', lang: 'en' };
  const bare = await startScript(join(import.meta.dirname, 'bare-koa.ts'), await post('/v1/get', one));
  let sent = 0;
  const readOrWrite = () =>
    ++sent % WRITE_EVERY === 0
      ? prepare('/v1/add', { collection: 'bench', ...document(pick(DOCUMENTS)) })
      : prepare('/v1/get', { ...one, key: `page-${pick(DOCUMENTS)}` });
  const same = prepare('/v1/get', one);
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    theirs.push(await sendsPerSecond(bare.url, [same], CLIENTS, SECONDS));
    ours.push(await sendsPerSecond(quire.url, readOrWrite, CLIENTS, SECONDS));
  }
  await Promise.all([quire.stop(), bare.stop()]);
  return compare(`POST /v1/get of distinct documents, bodies of ${bytes} bytes, one write in ten, ${CLIENTS} clients`,
    median(ours), 'bare koa route, same bytes', median(theirs), '/s');
}
