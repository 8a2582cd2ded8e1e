// Durable writes over HTTP to one node over PostgreSQL (`SVC_STORAGE_DRIVER=postgres`), 64 clients, compared with plain inserts of the same
// rows by 64 connections into tables of the same shape on the same server. The two take turns. The server syncs its log at each commit.
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { PostgresServer, WITHOUT_POSTGRES } from '../src/testkit/postgres-server.ts';
import { requestsPerSecond } from './support/load.ts';
import { scaled } from './support/scale.ts';
import { startQuire } from './support/server.ts';
import { compare, comparisons, median, missing, type Section } from './support/table.ts';

const CLIENTS = 64;
const ROUNDS = Math.round(scaled(3, 1));
const SECONDS = scaled(4, 1);
const BODY = 'x '.repeat(500);
const TABLES = ['documents', 'spellings', 'revisions', 'changes'];

/** The rows of a new document, in one statement and one commit, as a program would insert them that has nothing else to do. */
const SAME_ROWS = `
  WITH document AS (
    INSERT INTO plain.documents(cid, id, key, lang, backend, crc, bytes, added_at, updated_at, rev_ts, meta, body)
    VALUES (1, $1, $1, 'en', 'boltdb', 1, 1000, 1, 1, 1, $2, $3) RETURNING ord),
  spelling AS (INSERT INTO plain.spellings(cid, key, lang, ord) SELECT 1, $1, 'en', ord FROM document),
  revision AS (INSERT INTO plain.revisions(ord, ts, updated_at) SELECT ord, 1, 1 FROM document)
  INSERT INTO plain.changes(lsn, kind, collection, ord, doc_id, key, lang, at, flags) SELECT ord, 'doc.put', 'bench', ord, $1, $1, 'en', 1, 1 FROM document`;

export async function benchPostgres(folder: string): Promise<Section[]> {
  const title = `Nodes over PostgreSQL: durable writes, ${CLIENTS} clients`;
  if (WITHOUT_POSTGRES !== undefined) return [missing(title, WITHOUT_POSTGRES)];
  const postgres = await PostgresServer.start({ durable: true });
  const url = await postgres.createSchema();
  const node = await startQuire(join(folder, 'postgres', 'quire.db'), { SVC_STORAGE_DRIVER: 'postgres', SVC_POSTGRES_URL: url });
  const plain = await PlainInserts.open(url);
  try {
    let n = 0;
    const body = () => JSON.stringify({ collection: 'bench', key: `k${n++}`, lang: 'en', meta: { tags: ['a', 'b'] }, contentMd: BODY });
    const write = () => requestsPerSecond({ url: `${node.url}/v1/add`, clients: CLIENTS, seconds: SECONDS, method: 'POST', body });
    await write();
    const [ours, theirs]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      theirs.push(await plain.perSecond());
      await setTimeout(500);
      ours.push(await write());
    }
    return [comparisons(title, [compare('documents (POST /v1/add)', median(ours), 'plain inserts of the same rows', median(theirs), '/s')], [
      'The load, the node and the server of PostgreSQL share the cores. A plain insert is one prepared statement that inserts the rows of one document and commits.',
    ])];
  } finally {
    await plain.close();
    await node.stop();
    await postgres.stop();
  }
}

class PlainInserts {
  readonly #clients: pg.Client[];
  #n = 0;

  private constructor(clients: pg.Client[]) {
    this.#clients = clients;
  }

  /** Copies the tables of the node, with their indexes, and connects. */
  static async open(url: string): Promise<PlainInserts> {
    const clients = Array.from({ length: CLIENTS }, () => new pg.Client(url));
    for (const client of clients) await client.connect();
    const [first] = clients as [pg.Client];
    await first.query('CREATE SCHEMA plain');
    for (const table of TABLES) await first.query(`CREATE TABLE plain.${table} (LIKE ${table} INCLUDING ALL)`);
    return new PlainInserts(clients);
  }

  async perSecond(): Promise<number> {
    const begun = performance.now();
    let done = 0;
    const body = Buffer.from(BODY).subarray(0, 40); // about as long as the stored body, which is compressed
    await Promise.all(this.#clients.map(async (client) => {
      for (; performance.now() - begun < SECONDS * 1000; done++) await client.query({ name: 'insert', text: SAME_ROWS, values: [`bench|k${this.#n++}|en`, '{"tags":["a","b"]}', body] });
    }));
    return (done * 1000) / (performance.now() - begun);
  }

  async close(): Promise<void> {
    for (const client of this.#clients) await client.end();
  }
}
