import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ANONYMOUS, type Download, type Identity } from '../../../operations/index.ts';
import { VirtualTimer } from '../../../testkit/virtual-timer.ts';
import { DRIVERS, Fixture, START } from '../../documents/test-fixture.ts';
import { publishEvent } from '../service-event.ts';
import { createEventStreams, type EventStreams, type EventStreamsDeps } from './event-streams.ts';

interface Block {
  readonly id?: string;
  readonly event?: string;
  readonly comment?: string;
  readonly data?: { readonly event: string; readonly key: string;
    readonly document?: { readonly contentMd: string } | null; readonly [field: string]: unknown };
}

let fixture: Fixture;
let timer: VirtualTimer;
let streams: EventStreams;
let identity: Identity;
/** Called when rights may have changed. */
let recheck: () => Promise<void>;

const ADMIN: Identity = { username: 'root', admin: true, by: 'token', may: () => true };
const readerOf = (...collections: string[]): Identity => ({
  ...ANONYMOUS,
  username: 'ann',
  may: (permission, collection) => permission === 'read' && collections.includes(collection),
});

/** A guard and standings for the current `identity`. */
const access: EventStreamsDeps['access'] = {
  guard: { identify: async () => identity },
  follow(_caller, check) {
    const ended = new AbortController();
    recheck = async () => void (await check?.().catch((error: unknown) => ended.abort(error)));
    return { ready: recheck(), signal: ended.signal, release: () => undefined };
  },
};

/** A client of the handler, without the pipeline; it reads only when the test calls `next`. */
class Client {
  readonly gone = new AbortController();
  readonly #pieces: AsyncIterator<Uint8Array>;
  readonly #blocks: Block[] = [];

  constructor(content: AsyncIterable<Uint8Array>) {
    this.#pieces = content[Symbol.asyncIterator]();
  }

  static async open(
    input: { collection?: string; events?: string[]; lastEventId?: string; follow?: boolean;
      includeDocument?: boolean } = {},
  ): Promise<Client> {
    const gone = new AbortController();
    const context = {
      caller: { protocol: 'http', requestId: 'test', ip: '192.0.2.1' },
      identity,
      signal: gone.signal,
    } as never;
    const reply = await streams.handlers.streamEvents({ follow: true, includeDocument: false, ...input },
      context) as unknown as { value: Download };
    const client = new Client(reply.value.content as AsyncIterable<Uint8Array>);
    (client as { gone: AbortController }).gone = gone;
    await client.next();
    return client;
  }

  /** The next block of lines; undefined at the end of the stream. */
  async next(): Promise<Block | undefined> {
    while (this.#blocks.length === 0) {
      const { value, done } = await this.#pieces.next();
      if (done === true) return undefined;
      this.#blocks.push(...Buffer.from(value as Uint8Array).toString().split('\n\n').filter(Boolean).map(parse));
    }
    return this.#blocks.shift();
  }

  async take(count: number): Promise<Block[]> {
    const blocks: Block[] = [];
    while (blocks.length < count) blocks.push((await this.next())!);
    return blocks;
  }

  async names(count: number): Promise<string[]> {
    return (await this.take(count)).map(({ event, data }) => `${event} ${data?.key}`);
  }

  leave(): Promise<unknown> {
    this.gone.abort(new Error('gone'));
    return this.#pieces.return!();
  }
}

function parse(block: string): Block {
  return Object.fromEntries(block.split('\n').map((line) => {
    const [name, value] = [line.slice(0, line.indexOf(':')) || 'comment', line.slice(line.indexOf(':') + 2)];
    return [name, name === 'data' ? JSON.parse(value) as unknown : value];
  }));
}

const add = (key: string, collection = 'c', more: object = {}) =>
  fixture.call('addDocument', { collection, key, lang: 'en', contentMd: key, ...more });

async function start(driver: (typeof DRIVERS)[number], limits?: EventStreamsDeps['limits']): Promise<void> {
  fixture = await Fixture.open(driver);
  timer = new VirtualTimer();
  identity = ADMIN;
  streams = createEventStreams({
    feed: fixture.feed,
    access,
    documents: fixture.documents,
    timer,
    ...(limits && { limits }),
  });
}
afterEach(async () => {
  streams.stop();
  await fixture.close();
});

describe.each(DRIVERS)('the stream of events over %s', (driver) => {
  beforeEach(() => start(driver));

  it('reports what happens from now on, in order, with numbers to resume from', async () => {
    await add('before');
    const client = await Client.open();
    await add('A');
    await add('A');
    await fixture.call('deleteDocument', { collection: 'c', key: 'A', lang: 'en' });
    const events = await client.take(3);
    expect(events[0]).toEqual({
      id: '2',
      event: 'doc.added',
      data: { event: 'doc.added', collection: 'c', key: 'A', lang: 'en', docId: 'c|a|en', timestamp: START },
    });
    expect(events.map(({ id, event }) => [id, event])).toEqual([['2', 'doc.added'], ['3', 'doc.updated'], ['4',
      'doc.deleted']]);
  });

  it('has the document where it was asked for', async () => {
    const client = await Client.open({ includeDocument: true });
    await add('a');
    expect((await client.next())!.data!.document).toMatchObject({ key: 'a', contentMd: 'a' });
  });

  it('filters by collection and by name, in the spellings of webhooks', async () => {
    const client = await Client.open({ collection: 'C', events: ['insert', 'collection.deleted'], lastEventId: '0' });
    await add('a');
    await add('a');
    await add('b', 'other');
    await fixture.call('deleteCollection', { collection: 'c' });
    expect(await client.take(2)).toMatchObject([{ event: 'doc.added' }, {
      event: 'collection.deleted',
      data: { collection: 'c', detail: { count: 1 } },
    }]);
    await expect(Client.open({ events: ['doc.eaten'] })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('"doc.eaten"') as string,
    });
  });

  it('reports a gap, and continues with what is kept', async () => {
    for (const key of ['a', 'b', 'c', 'd']) await add(key);
    await fixture.feed.prune({ entries: 2 });
    const client = await Client.open({ lastEventId: '1' });
    expect(await client.next()).toEqual({
      id: '2',
      event: 'events.lost',
      data: { event: 'events.lost', after: 1, position: 2 },
    });
    expect(await client.names(2)).toEqual(['doc.added c', 'doc.added d']);
    const other = await Client.open({ lastEventId: '999' });
    expect(await other.next()).toMatchObject({ event: 'events.lost', id: '4' });
    const all = await Client.open({ lastEventId: '0' });
    expect(await all.names(2)).toEqual(['doc.added c', 'doc.added d']);
  });

  it('reports a database that was replaced by a backup', async () => {
    await add('a');
    const client = await Client.open();
    await fixture.sql.transaction((tx) => fixture.feed.restart(tx, 100));
    expect(await client.next()).toMatchObject({ event: 'events.lost' });
    await add('b');
    expect(await client.names(1)).toEqual(['doc.added b']);
  });

  it('ends after what had happened, where the client does not follow', async () => {
    await add('a');
    const client = await Client.open({ lastEventId: '0', follow: false });
    await add('b');
    expect([await client.names(1), await client.next()]).toEqual([['doc.added a'], undefined]);
    expect(await (await Client.open({ follow: false })).next()).toBeUndefined();
    expect(streams.size).toBe(0);
  });

  it('loses nothing and repeats nothing, wherever it breaks off', async () => {
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.record({ written: fc.nat(4), taken: fc.nat(5) }), { minLength: 1, maxLength: 8 }),
        async (steps) => {
          const collection = `c${runs++}`;
          const first = await Client.open({ collection });
          let [client, written] = [first, 0];
          const seen: Block[] = [];
          let last = String(await fixture.feed.head());
          for (const { written: count, taken } of steps) {
            for (let i = 0; i < count; i++) await add(`k${written++}`, collection);
            const events = await client.take(Math.min(taken, written - seen.length));
            seen.push(...events);
            last = events.at(-1)?.id ?? last;
            await client.leave();
            client = await Client.open({ collection, lastEventId: last });
          }
          seen.push(...await client.take(written - seen.length));
          await client.leave();
          expect(seen.map(({ data }) => data!.key)).toEqual(Array.from({ length: written }, (_, i) => `k${i}`));
        }),
      { numRuns: 30 },
    );
  });

  it('reads the feed at the pace of its client, however far behind that is', async () => {
    const slow = await Client.open();
    for (let batch = 0; batch < 3; batch++)
      await fixture.call('addDocuments', {
        collection: 'c',
        documents: Array.from({ length: 400 }, (_, i) => ({ key: `k${batch * 400 + i}`, lang: 'en', contentMd: '' })),
      });
    const quick = await Client.open();
    await add('last');
    expect(await quick.names(1)).toEqual(['doc.added last']);
    expect((await slow.names(1201)).slice(-2)).toEqual(['doc.added k1199', 'doc.added last']);
  });
});

describe('a stream of events', () => {
  beforeEach(() => start('sql.js', { all: 3, each: 2 }));

  it('comments every 15 seconds, and moves past what it leaves out', async () => {
    const client = await Client.open({ collection: 'c' });
    await add('a', 'other');
    const next = client.next();
    await timer.advance(15_000);
    expect(await next).toEqual({ comment: 'nothing new', id: '1' });
  });

  it('has the events of collections that its caller may read, and of the server for administrators only', async () => {
    const admin = await Client.open();
    identity = readerOf('c');
    const client = await Client.open();
    await expect(Client.open({ events: ['ops.disk_usage_high'] })).rejects.toMatchObject({ code: 'admin_required' });
    publishEvent(fixture.environment, 'ops.disk_usage_high', { usedPercent: 90 });
    await add('a', 'other');
    await fixture.sql.transaction((tx) =>
      fixture.feed.append(tx, [{ kind: 'doc.put', collection: '_memory', key: 'b', lang: 'en', docId: '_memory|b|en' }])
    );
    await add('c');
    expect(await client.names(1)).toEqual(['doc.added c']);
    identity = ADMIN;
    expect((await admin.take(3)).map(({ event, data }) => [event, data!.collection])).toEqual([['ops.disk_usage_high',
      ''], ['doc.added', 'other'], ['doc.added', 'c']]);
  });

  it('follows the rights of its caller while it is open', async () => {
    identity = readerOf('c', 'd');
    const all = await Client.open();
    const recheckAll = recheck;
    const one = await Client.open({ collection: 'd' });
    const ended = one.next();
    identity = readerOf('c');
    await Promise.all([recheck(), recheckAll()]);
    expect(await ended).toBeUndefined();
    await add('a', 'd');
    await add('b');
    expect(await all.names(1)).toEqual(['doc.added b']);
    expect(streams.size).toBe(1);
  });

  it('ends when its client has gone and when the service stops', async () => {
    const [first, second] = [await Client.open(), await Client.open()];
    const ends = [first.next(), second.next()];
    first.gone.abort(new Error('gone'));
    expect([await ends[0], streams.size]).toEqual([undefined, 1]);
    streams.stop();
    expect([await ends[1], streams.size]).toEqual([undefined, 0]);
    await expect(Client.open()).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('is refused when there are too many, of one client or of all', async () => {
    const first = await Client.open();
    await Client.open();
    await expect(Client.open()).rejects.toMatchObject({ code: 'rate_limited', status: 429 });
    identity = readerOf('c');
    const third = await Client.open();
    await expect(Client.open()).rejects.toMatchObject({ code: 'busy', status: 503 });
    await Promise.all([first, third].map((client) => client.leave()));
    expect(streams.size).toBe(1);
    await Client.open();
  });
});
