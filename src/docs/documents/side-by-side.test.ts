import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BodyCodec, type Change, ChangeFeed, DOCUMENT_MIGRATIONS, migrate, openPostgres, type Sql,
  type Transaction } from '../../storage/index.ts';
import { PostgresServer, WITHOUT_POSTGRES } from '../../testkit/postgres-server.ts';
import { removeUnder } from './deleted-documents.ts';
import { transact, type TransactDeps } from './deps.ts';
import { identify } from './identity.ts';
import { encodeBody, type NewVersion, putVersions } from './put-versions.ts';
import { SharedWrites } from './shared-writes.ts';

const SEED = Number(process.env['QUIRE_TEST_SEED']) || 249; // oxlint-disable-line node/no-process-env -- of a test
const NODES = 3;
const COLLECTIONS = ['a', 'b', 'c', 'd'];
const KEYS = 12;
const STEPS = 40;
const CLIENTS = 3;

const codec = new BodyCodec();

async function version(collection: string, key: string, text: string, ttl?: number): Promise<NewVersion> {
  return {
    identity: identify(collection, key, 'en'),
    meta: {},
    body: await encodeBody(codec, collection, text),
    ttl,
    saveRevision: true,
    skipDuplicate: undefined,
    flags: 0,
  };
}

interface Node {
  readonly sql: Sql;
  readonly deps: TransactDeps & { readonly collections: { configOf(): undefined } };
  readonly writes: SharedWrites;
}

describe.skipIf(WITHOUT_POSTGRES !== undefined)('nodes that write documents side by side', () => {
  let server: PostgresServer;
  const nodes: Node[] = [];
  /** Milliseconds; it rises with each step, so that documents expire. */
  let time = 1_766_400_000_000;

  beforeAll(async () => {
    server = await PostgresServer.start();
    const url = await server.createSchema();
    for (let i = 0; i < NODES; i++) {
      const sql = await openPostgres({ url, pool: 4, turns: true });
      if (i === 0) await migrate(sql, DOCUMENT_MIGRATIONS);
      const clock = { now: () => time };
      const deps = {
        sql,
        clock,
        feed: new ChangeFeed(sql, clock, { shared: true }),
        collections: { configOf: () => undefined },
      };
      nodes.push({ sql, deps, writes: new SharedWrites(deps) });
    }
  });
  afterAll(async () => {
    for (const { sql } of nodes) await sql.close();
    await server.stop();
  });

  const put = async ({ writes }: Node, ...given: Parameters<typeof version>) => writes.put(await version(...given));

  it('wait for each other only in one collection, until one of them appends to the feed', async () => {
    const [a, b] = nodes as [Node, Node];
    const [hasBegun, mayAppend] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const versions = [await version('one', 'k', 'first')];
    const first = transact(a.deps, async (work) => {
      hasBegun.resolve();
      await mayAppend.promise;
      return putVersions(work, versions, 0);
    }, undefined, () => ['one']);
    await hasBegun.promise;
    const order: string[] = [];
    const same = put(b, 'one', 'k', 'second').then(() => order.push('one'));
    // Over another process, because transactions of one process follow each other.
    await put(nodes[2]!, 'two', 'k', 'third').then(() => order.push('two'));
    mayAppend.resolve();
    await Promise.all([first, same]);
    expect(order).toEqual(['two', 'one']);
    const changes = await a.deps.feed.read(0, 10);
    expect(changes.map(({ lsn, docId }) => [lsn, docId])).toEqual([[1, 'two|k|en'], [2, 'one|k|en'], [3, 'one|k|en']]);
  });

  it('send all statements of a batch before the first of them has ended', async () => {
    const { deps } = nodes[0]!;
    const versions = await Promise.all(Array.from({ length: 200 }, (_, i) => version('many', `k${i}`, `text ${i}`)));
    const calls: string[] = [];
    await transact(deps, async (work) => {
      const tx = new Proxy(work.tx, {
        get(target, name) {
          const member = target[name as keyof Transaction] as unknown;
          if (typeof member !== 'function') return member;
          const call = (...given: unknown[]): unknown =>
            (member as (...all: unknown[]) => unknown).apply(target, given);
          if (name !== 'runMany' && name !== 'complete') return call;
          return (...given: unknown[]) => {
            calls.push(name);
            const result = call(...given);
            if (result instanceof Promise) void result.then(() => calls.push('ended'));
            return result;
          };
        },
      });
      return putVersions({ ...work, tx }, versions, 0, true);
    }, undefined, () => ['many']);
    expect(calls).toEqual(['runMany', 'complete', 'ended']);
    expect(await deps.sql.get("SELECT docs FROM collections WHERE name = 'many'")).toEqual({ docs: 200 });
  });

  it('exclude all others from a transaction that may write anything', async () => {
    const [a, b] = nodes as [Node, Node];
    const [hasBegun, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const order: string[] = [];
    const whole = a.sql.transaction(async (tx) => {
      expect(tx.isShared).toBeUndefined();
      hasBegun.resolve();
      await mayEnd.promise;
      order.push('whole');
    });
    await hasBegun.promise;
    const shared = put(b, 'one', 'k', 'text').then(() => order.push('shared'));
    while ((await a.sql.get("SELECT count(*) AS n FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"))!['n'] ===
      0);
    mayEnd.resolve();
    await Promise.all([whole, shared]);
    expect(order).toEqual(['whole', 'shared']);
  });

  it(`keep the feed without a gap, in the order of the commits, and every document (seed ${SEED})`, async () => {
    const begin = await nodes[0]!.deps.feed.head();
    const acknowledged: { readonly id: string; readonly text: string; readonly lsn: number }[] = [];
    const random = mulberry(SEED);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
    let written = 0;

    async function step(node: Node): Promise<void> {
      time += 100;
      const [collection, key, text] = [pick(COLLECTIONS), `k${Math.floor(random() * KEYS)}`, `text ${written++}`];
      const chance = random();
      if (chance < 0.6) {
        const { lsn } = await put(node, collection, key, text, pick([undefined, 0, 1]));
        acknowledged.push({ id: `${collection}|${key}|en`, text, lsn });
      } else if (chance < 0.75) {
        const texts = Array.from({ length: 1 + Math.floor(random() * 100) }, (_, i) => `batch ${text} ${i}`);
        const versions = await Promise.all(texts.map((each, i) => version(collection, `${key}-${i}`, each)));
        const lsn = await transact(node.deps, async (work) => {
          await putVersions(work, versions, 0, true);
          return work.feed.append(work.tx, []);
        }, undefined, () => [collection]);
        for (const [i, each] of texts.entries())
          acknowledged.push({ id: `${collection}|${key}-${i}|en`, text: each, lsn });
      } else if (chance < 0.85) await removeSome(node, collection, key);
      else if (chance < 0.95) await failing(node, collection, await version(collection, key, 'undone'));
      else await node.sql.transaction((tx) => node.deps.feed.append(tx, [{ kind: 'config.put', collection }]));
    }

    let isOver = false;
    const watching = nodes.map((node) => watch(node, begin, () => isOver));
    await Promise.all(nodes.flatMap((node) =>
      Array.from({ length: CLIENTS }, async () => {
        for (let i = 0; i < STEPS; i++) await step(node);
      })
    )).finally(() => (isOver = true));
    const feeds = await Promise.all(watching);

    const head = await nodes[0]!.deps.feed.head();
    for (const changes of feeds)
      expect(changes.map(({ lsn }) => lsn)).toEqual(Array.from({ length: head - begin }, (_, i) => begin + 1 + i));
    await expectSame(nodes[0]!.sql, feeds[0]!, acknowledged);
  }, 120_000);

  /** Under the whole turn, as handlers that may write other tables. */
  const removeSome = (node: Node, collection: string, key: string): Promise<unknown> =>
    transact(node.deps, (work) => removeUnder(work, collection, `${key}-`, 40));

  async function failing(node: Node, collection: string, undone: NewVersion): Promise<void> {
    await expect(transact(node.deps, async (work) => {
      await putVersions(work, [undone], 0);
      throw new Error('undone');
    }, undefined, () => [collection])).rejects.toThrow('undone');
  }
});

/** Reads the feed as followers do, and checks that no read shows a change before the one before it. */
async function watch({ sql, deps }: Node, begin: number, isOver: () => boolean): Promise<Change[]> {
  const seen: Change[] = [];
  for (;;) {
    const last = isOver();
    const { n, newest } =
      (await sql.get<{ n: number; newest: number | null }>(
        'SELECT count(*) AS n, max(lsn) AS newest FROM changes WHERE lsn > ?',
        [begin],
      ))!;
    if (n !== (newest ?? begin) - begin) throw new Error(`${n} changes are visible after ${begin}, up to ${newest}`);
    await deps.feed.head();
    for (let more = await deps.feed.read(begin + seen.length, 100); more.length > 0;
      more = await deps.feed.read(begin + seen.length, 100)) seen.push(...more);
    if (last) return seen;
  }
}

/** Compares the tables with what the feed says, and with what was acknowledged. */
async function expectSame(sql: Sql, changes: readonly Change[],
  acknowledged: readonly { readonly id: string; readonly text: string; readonly lsn: number }[]): Promise<void>
{
  const revisions = new Map<string, number>();
  const ordinals = new Map<string, number>();
  for (const { kind, docId, ord, collection } of changes) {
    if (docId === undefined || !COLLECTIONS.includes(collection)) continue;
    revisions.set(docId, kind === 'doc.put' ? (revisions.get(docId) ?? 0) + 1 : 0);
    if (kind === 'doc.delete') expect(ord).toBe(ordinals.get(docId));
    ordinals.set(docId, ord!);
  }
  const rows = await sql.all<{ id: string; ord: number; body: Uint8Array; n: number; spellings: number }>(
    `SELECT id, ord, body, (SELECT count(*) FROM revisions r WHERE r.ord = d.ord) AS n,
       (SELECT count(*) FROM spellings s WHERE s.ord = d.ord) AS spellings
     FROM documents d WHERE substr(id, 2, 1) = '|' ORDER BY id`,
  );
  const live = [...revisions].filter(([, n]) => n > 0).sort(([a], [b]) => (a < b ? -1 : 1));
  expect(rows.map(({ id, n, ord, spellings }) => [id, n, ord, spellings])).toEqual(
    live.map(([id, n]) => [id, n, ordinals.get(id), 1]),
  );
  const newest = Map.groupBy(acknowledged, ({ id }) => id);
  for (const { id, body } of rows) {
    const puts = newest.get(id)!;
    const last = Math.max(...puts.map(({ lsn }) => lsn));
    expect(puts.filter(({ lsn }) => lsn === last).map(({ text }) => text)).toContain(await codec.decodeAsync(body));
  }
  const counts = await sql.all<{ name: string; docs: number; n: number }>(
    'SELECT name, docs, (SELECT count(*) FROM documents d WHERE d.cid = c.id) AS n FROM collections c',
  );
  for (const { name, docs, n } of counts) expect([name, docs]).toEqual([name, n]);
}

/** Numbers from 0 to 1, the same for the same seed. */
function mulberry(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
