// Writers of several nodes over one PostgreSQL server, each of documents of a collection of its own, as far as the
// database: without HTTP and indexes, which take processor time of each node's own machine. Every commit is synced and
// takes 2 ms longer, as on a disk of a data centre (`commit_delay`), and messages take 1 ms each way, as between two of
// its buildings. The rounds of one, two and three nodes take turns.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { transact } from '../src/docs/documents/deps.ts';
import { identify } from '../src/docs/documents/identity.ts';
import { encodeBody, type NewVersion, putVersions } from '../src/docs/documents/index.ts';
import { SharedWrites } from '../src/docs/documents/shared-writes.ts';
import { BodyCodec, ChangeFeed, DOCUMENT_MIGRATIONS, migrate, openPostgres } from '../src/storage/index.ts';
import { PostgresServer } from '../src/testkit/postgres-server.ts';
import { scaled } from './support/scale.ts';
import { figure, median, type Section } from './support/table.ts';

const ROUNDS = Math.round(scaled(5, 1));
const MILLIS = scaled(1500, 100);
const BODY = 'x '.repeat(500);
const BATCH = 100;
const SYNC_MICROS = 2000;
const DELAY_MS = 1;

/** Clients of each node, and the documents that each of them writes in one request. */
const LOADS = { 'one client': [1, 1], '16 clients': [16, 1], [`batches of ${BATCH}, 2 clients`]: [2, BATCH] } as const;

const codec = new BodyCodec();
let made = 0;

export async function benchSideBySide(): Promise<Section> {
  const server = await PostgresServer.start({ durable: true });
  const proxy = await delayed(server.port);
  try {
    const own = await server.createSchema();
    const url = own.replace(`:${server.port}`, `:${(proxy.address() as AddressInfo).port}`);
    const sql = await openPostgres({ url: own, pool: 2, turns: true });
    await migrate(sql, DOCUMENT_MIGRATIONS);
    await sql.close();
    await server.query(`ALTER SYSTEM SET commit_delay = ${SYNC_MICROS}`, 'ALTER SYSTEM SET commit_siblings = 0',
      'SELECT pg_reload_conf()');
    const rows: string[][] = [];
    for (const [what, [clients, size]] of Object.entries(LOADS)) {
      const rates: number[][] = [[], [], []];
      for (let round = 0; round < ROUNDS; round++)
        for (const nodes of [1, 2, 3]) rates[nodes - 1]!.push(await perSecond(url, nodes, { clients, size }));
      const [one, two, three] = rates.map(median) as [number, number, number];
      rows.push([what, figure(one), figure(two), figure(three), (two / one).toFixed(2), (three / one).toFixed(2)]);
    }
    return {
      title: 'Nodes over PostgreSQL: documents a second of several nodes, each in a collection of its own',
      header: ['load of each node', 'one', 'two', 'three', 'two : one', 'three : one'],
      rows,
      notes: [
        `In process, without HTTP and indexes; a commit takes ${SYNC_MICROS / 1000} ms longer, and messages ` +
        `take ${DELAY_MS} ms each way.`,
      ],
    };
  } finally {
    await server.stop();
    proxy.close();
  }
}

/** Documents that all nodes together write in a second. */
async function perSecond(url: string, count: number,
  { clients, size }: { readonly clients: number; readonly size: number }): Promise<number>
{
  const nodes = await Promise.all(Array.from({ length: count }, () => open(url)));
  const run = async (millis: number): Promise<number> => {
    const begun = performance.now();
    let done = 0;
    await Promise.all(nodes.flatMap((node, i) =>
      Array.from({ length: clients }, async () => {
        for (; performance.now() - begun < millis; done += size) await node.write(`side-${i}`, size);
      })
    ));
    return (done * 1000) / (performance.now() - begun);
  };
  await run(MILLIS / 5);
  const rate = await run(MILLIS);
  for (const { close } of nodes) await close();
  return rate;
}

async function open(url: string) {
  const sql = await openPostgres({ url, pool: 4, turns: true });
  const clock = { now: () => Date.now() };
  const feed = new ChangeFeed(sql, clock, { shared: true });
  const deps = { sql, clock, feed, collections: { configOf: () => undefined } };
  const writes = new SharedWrites(deps);
  return {
    close: () => sql.close(),
    async write(collection: string, size: number): Promise<void> {
      if (size === 1) return void (await writes.put(await newVersion(collection)));
      const versions = await Promise.all(Array.from({ length: size }, () => newVersion(collection)));
      await transact(deps, (work) => putVersions(work, versions, 0, true), undefined, () => [collection]);
    },
  };
}

async function newVersion(collection: string): Promise<NewVersion> {
  return {
    identity: identify(collection, `k${made++}`, 'en'),
    meta: { tags: ['a', 'b'] },
    body: await encodeBody(codec, collection, BODY),
    ttl: undefined,
    saveRevision: true,
    skipDuplicate: undefined,
    flags: 0,
  };
}

/** A listener that passes bytes on to a port of this machine and back, each a little later. */
async function delayed(port: number): Promise<Server> {
  const pass = (from: Socket, to: Socket): void => {
    from.setNoDelay(true);
    from.on('data', (bytes) => setTimeout(() => to.write(bytes), DELAY_MS));
    from.on('close', () => setTimeout(() => to.destroy(), DELAY_MS));
    from.on('error', () => undefined); // it closes
  };
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    pass(near, far);
    pass(far, near);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}
