// Nodes over PostgreSQL (`SVC_STORAGE_DRIVER=postgres`). Durable writes over HTTP to one node, 64 clients, compared
// with plain inserts of the same rows by 64 connections into tables of the same shape on the same server; the two take
// turns, and the server syncs its log at each commit. Nodes that write side by side (side-by-side.ts). Then the restart
// of a node with many documents, with the checkpoints of its indexes and without.
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { PostgresServer, WITHOUT_POSTGRES } from '../src/testkit/postgres-server.ts';
import { untilSearch, withClient } from './fulltext/restart.ts';
import { benchSideBySide } from './side-by-side.ts';
import { prose, seeded } from './support/corpus.ts';
import { scaled } from './support/scale.ts';
import { startQuire } from './support/server.ts';
import { compare, comparisons, figure, median, missing, type Section } from './support/table.ts';
import { prepare, sendsPerSecond } from './support/wire.ts';

const CLIENTS = 64;
const ROUNDS = Math.round(scaled(3, 1));
const SECONDS = scaled(4, 1);
const BODY = 'x '.repeat(500);
const DOCUMENTS = scaled(200_000, 2000);
const BATCH = 500;
/** Documents that are written after the last checkpoint, before the crash. */
const LATER = 100;
const SEARCH = { collection: 'restart', query: 'w12 w80', limit: 10, fields: ['key'] };
const TABLES = ['documents', 'spellings', 'revisions', 'changes'];

/**
 * The rows of a new document, in one statement and one commit, as a program would insert them that has nothing else to
 * do.
 */
const SAME_ROWS = `
  WITH document AS (
    INSERT INTO plain.documents(cid, id, key, lang, backend, crc, bytes, added_at, updated_at, rev_ts, meta, body)
    VALUES (1, $1, $2, 'en', 'boltdb', 1, 1000, 1, 1, 1, $3, $4) RETURNING ord),
  spelling AS (INSERT INTO plain.spellings(cid, key, lang, ord) SELECT 1, $2, 'en', ord FROM document),
  revision AS (INSERT INTO plain.revisions(ord, ts, updated_at) SELECT ord, 1, 1 FROM document)
  INSERT INTO plain.changes(lsn, kind, collection, ord, doc_id, key, lang, at, flags) SELECT ord, 'doc.put', 'bench', ord, $1, $2, 'en', 1, 1 FROM document`;

export async function benchPostgres(folder: string): Promise<Section[]> {
  if (WITHOUT_POSTGRES !== undefined) return [missing('Nodes over PostgreSQL', WITHOUT_POSTGRES)];
  return [await benchWrites(folder), await benchSideBySide(), await benchRestart(folder)];
}

async function benchWrites(folder: string): Promise<Section> {
  const title = `Nodes over PostgreSQL: durable writes, ${CLIENTS} clients`;
  const postgres = await PostgresServer.start({ durable: true });
  const url = await postgres.createSchema();
  const node = await startQuire(join(folder, 'postgres', 'quire.db'), {
    SVC_STORAGE_DRIVER: 'postgres',
    SVC_POSTGRES_URL: url,
  });
  let plain: PlainInserts | undefined;
  try {
    let n = 0;
    const add = () =>
      prepare('/v1/add', {
        collection: 'bench',
        key: `k${n++}`,
        lang: 'en',
        meta: { tags: ['a', 'b'] },
        contentMd: BODY,
      });
    const write = () => sendsPerSecond(node.url, add, CLIENTS, SECONDS);
    await write();
    plain = await PlainInserts.open(url);
    const [ours, theirs]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      theirs.push(await plain.perSecond());
      await setTimeout(500);
      ours.push(await write());
    }
    return comparisons(title, [
      compare('documents (POST /v1/add)', median(ours), 'plain inserts of the same rows', median(theirs), '/s'),
    ], [
      'The load, the node and the server of PostgreSQL share the cores. A plain insert is one prepared statement ' +
      'that inserts the rows of one document, with a body as the node has stored it, and commits.',
    ]);
  } finally {
    await plain?.close();
    await node.stop();
    await postgres.stop();
  }
}

/** A node that stops, one that is killed, and one that begins with an empty folder, as on a new machine. */
async function benchRestart(folder: string): Promise<Section> {
  const postgres = await PostgresServer.start({ durable: true });
  const env = { SVC_STORAGE_DRIVER: 'postgres', SVC_POSTGRES_URL: await postgres.createSchema() };
  const [own, fresh] = [join(folder, 'restart', 'quire.db'), join(folder, 'fresh', 'quire.db')];
  try {
    const first = await startQuire(own, env);
    const fillSeconds = await fill(first.url);
    await first.stop();
    const stopped = await untilSearch(own, SEARCH, env);
    await withClient(stopped.server, async (client) => {
      for (let i = 0; i < LATER; i++)
        await client.post('/v1/add', {
          collection: 'restart',
          key: `later-${i}`,
          lang: 'en',
          contentMd: 'written later',
        });
    });
    await stopped.server.kill();
    const killed = await untilSearch(own, SEARCH, env);
    await killed.server.stop();
    const without = await untilSearch(fresh, SEARCH, env);
    await without.server.stop();
    return {
      title: `Nodes over PostgreSQL: restart with ${
        figure(DOCUMENTS)
      } documents of 1.1 KB, from the start to the first search`,
      header: ['start', 'ms', 'of which until it listens'],
      rows: Object.entries({
        'after SIGTERM': stopped,
        [`after SIGKILL, ${LATER} documents after it wrote its index`]: killed,
        'with an empty folder: indexes are built from all documents': without,
      }).map(([what, { ms, server }]) => [what, figure(ms), figure(server.readyMs)]),
      notes: [
        `The documents were written by POST /v1/add-batch, ${
          figure(DOCUMENTS / fillSeconds)
        } a second, and are indexed when they are acknowledged.`,
      ],
    };
  } finally {
    await postgres.stop();
  }
}

/** Returns the seconds that it took. */
async function fill(url: string): Promise<number> {
  const random = seeded(7);
  const begun = performance.now();
  await withClient({ url }, async (client) => {
    for (let from = 0; from < DOCUMENTS; from += BATCH) {
      const documents = Array.from({ length: Math.min(BATCH, DOCUMENTS - from) }, (_, i) => ({
        key: `k${from + i}`,
        lang: 'en',
        contentMd: prose(random, 1100),
        meta: { half: [String(i % 2)] },
      }));
      await client.post('/v1/add-batch', { collection: 'restart', documents });
    }
  });
  return (performance.now() - begun) / 1000;
}

class PlainInserts {
  readonly #clients: pg.Client[];
  readonly #body: Buffer;
  #n = 0;

  private constructor(clients: pg.Client[], body: Buffer) {
    this.#clients = clients;
    this.#body = body;
  }

  /** Copies the tables of the node, with their indexes, and connects. The node must have stored a document. */
  static async open(url: string): Promise<PlainInserts> {
    const clients = Array.from({ length: CLIENTS }, () => new pg.Client(url));
    for (const client of clients) await client.connect();
    const [first] = clients as [pg.Client];
    await first.query('CREATE SCHEMA plain');
    for (const table of TABLES) await first.query(`CREATE TABLE plain.${table} (LIKE ${table} INCLUDING ALL)`);
    const { rows: [document] } = await first.query<{ body: Buffer }>('SELECT body FROM documents LIMIT 1');
    return new PlainInserts(clients, document!.body);
  }

  async perSecond(): Promise<number> {
    const begun = performance.now();
    let done = 0;
    const insert = (n: number) => ({
      name: 'insert',
      text: SAME_ROWS,
      values: [`bench|k${n}|en`, `k${n}`, '{"tags":["a","b"]}', this.#body],
    });
    await Promise.all(this.#clients.map(async (client) => {
      for (; performance.now() - begun < SECONDS * 1000; done++) await client.query(insert(this.#n++));
    }));
    return (done * 1000) / (performance.now() - begun);
  }

  async close(): Promise<void> {
    for (const client of this.#clients) await client.end();
  }
}
