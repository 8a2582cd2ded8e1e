import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { silentLog } from '../../../lib/log.ts';
import { CHANGE_FLAGS } from '../../../storage/index.ts';
import { sweepExpired } from '../sweep.ts';
import { DRIVERS, Fixture, START } from '../test-fixture.ts';
import { eventsNamed } from './events.ts';
import { MAX_BEHIND, WatchHub } from './watch-hub.ts';
import { createWatch, type WatchedEvent, type WatchInput } from './watch.ts';

const EVERYTHING: WatchInput = { collection: '', events: [], includeDocument: false };

let fixture: Fixture;
const gone: AbortController[] = [];
afterEach(async () => {
  for (const each of gone.splice(0)) each.abort(new Error('test ended'));
  await fixture.close();
});

/** Takes events one by one, as a client does. */
class Client {
  readonly #events: AsyncIterator<WatchedEvent>;
  readonly abort = new AbortController();

  private constructor(events: AsyncIterable<WatchedEvent>, abort: AbortController) {
    this.#events = events[Symbol.asyncIterator]();
    this.abort = abort;
  }

  static async watch(input: Partial<WatchInput> = {}, watch = fixture.documents.watch): Promise<Client> {
    const abort = new AbortController();
    gone.push(abort);
    return new Client(await watch({ ...EVERYTHING, ...input }, abort.signal), abort);
  }

  async next(): Promise<WatchedEvent> {
    return (await this.#events.next()).value as WatchedEvent;
  }

  async take(count: number): Promise<WatchedEvent[]> {
    const events: WatchedEvent[] = [];
    while (events.length < count) events.push(await this.next());
    return events;
  }

  /** `event key` of the next `count` events. */
  async names(count: number): Promise<string[]> {
    return (await this.take(count)).map(({ event, key }) => `${event} ${key}`);
  }

  leave(): Promise<unknown> {
    return this.#events.return!();
  }
}

const add = (key: string, collection = 'c') =>
  fixture.call('addDocument', { collection, key, lang: 'en', contentMd: key });
const remove = (key: string) => fixture.call('deleteDocument', { collection: 'c', key, lang: 'en' });

describe.each(DRIVERS)('watching over %s', (driver) => {
  beforeEach(async () => {
    fixture = await Fixture.open(driver);
  });

  it('reports what happens from now on, in order', async () => {
    await add('before');
    const client = await Client.watch();
    await add('A');
    await add('A');
    await fixture.call('updateDocument', { collection: 'c', key: 'A', lang: 'en', meta: {} });
    await remove('A');
    const events = await client.take(4);
    expect(events[0]).toEqual({
      event: 'doc.added',
      collection: 'c',
      key: 'A',
      lang: 'en',
      docId: 'c|a|en',
      timestamp: START,
      seq: 2,
    });
    expect(events.map(({ event, seq }) => [event, seq])).toEqual([['doc.added', 2], ['doc.updated', 3], ['doc.updated',
      4], ['doc.deleted', 5]]);
  });

  it('reports expiry with its reason, and of a collection that is deleted as a whole', async () => {
    const client = await Client.watch();
    await fixture.call('addDocument', { collection: 'c', key: 'a', lang: 'en', contentMd: '', ttl: 5 });
    fixture.advance(6);
    await sweepExpired(fixture.environment);
    await add('b');
    await fixture.call('deleteCollection', { collection: 'c' });
    const [, expired, , deleted] = await client.take(4);
    expect(expired).toMatchObject({ event: 'doc.deleted', key: 'a', timestamp: START + 6, detail: { reason: 'ttl' } });
    expect(deleted).toMatchObject({
      event: 'collection.deleted',
      collection: 'c',
      key: '',
      lang: '',
      docId: '',
      detail: { deleted: 1 },
    });
  });

  it('keeps to a collection, in any letter case, and to the events that are named', async () => {
    const client = await Client.watch({ collection: 'NEWS', events: ['insert', 'doc.delete'] });
    await add('a', 'other');
    await add('b', 'news');
    await add('b', 'News');
    await fixture.call('deleteDocument', { collection: 'news', key: 'b', lang: 'en' });
    expect(await client.names(2)).toEqual(['doc.added b', 'doc.deleted b']);
  });

  it('leaves out the collections of the system unless one is named', async () => {
    const all = await Client.watch();
    const system = await Client.watch({ collection: '_memory' });
    await fixture.sql.transaction((tx) =>
      fixture.feed.append(tx, [{ kind: 'doc.put', collection: '_memory', key: 'secret', flags: CHANGE_FLAGS.CREATED }])
    );
    await fixture.call('setCollectionConfig', { collection: 'c', description: 'no event' });
    await add('a');
    expect(await all.names(1)).toEqual(['doc.added a']);
    expect(await system.names(1)).toEqual(['doc.added secret']);
  });

  it('returns the document as it is when the event is taken', async () => {
    const client = await Client.watch({ includeDocument: true });
    await add('a');
    await add('b');
    await remove('b');
    await fixture.call('updateDocument', { collection: 'c', key: 'a', lang: 'en', contentMd: 'newer' });
    const [first, second, third] = await client.take(3);
    expect(first).toMatchObject({ event: 'doc.added', document: { key: 'a', contentMd: 'newer' } });
    expect(second).not.toHaveProperty('document');
    expect(third).toMatchObject({ event: 'doc.deleted' });
    expect(third).not.toHaveProperty('document');
  });

  it('resumes after the last event that was seen, and goes on with what comes', async () => {
    for (const key of ['a', 'b', 'c']) await add(key);
    expect(await (await Client.watch({ fromSeq: 0 })).names(3)).toEqual(['doc.added a', 'doc.added b', 'doc.added c']);
    const client = await Client.watch({ fromSeq: 2 });
    expect(await client.names(1)).toEqual(['doc.added c']);
    await add('d');
    expect(await client.names(1)).toEqual(['doc.added d']);
    const atHead = await Client.watch({ fromSeq: 4 });
    await add('e');
    expect([await client.names(1), await atHead.names(1)]).toEqual([['doc.added e'], ['doc.added e']]);
  });

  it('refuses to resume where changes are missing, and starts with the oldest for 0', async () => {
    for (const key of ['a', 'b', 'c', 'd']) await add(key);
    await fixture.feed.prune({ entries: 2 });
    await expect(Client.watch({ fromSeq: 1 })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: 'fromSeq must lie between 2 and 4, got 1',
    });
    await expect(Client.watch({ fromSeq: 5 })).rejects.toMatchObject({ code: 'invalid_argument' });
    expect(await (await Client.watch({ fromSeq: 0 })).names(2)).toEqual(['doc.added c', 'doc.added d']);
  });

  it('refuses events that never happen', async () => {
    await expect(Client.watch({ events: ['doc.renamed'] })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('got "doc.renamed"'),
    });
    await expect(Client.watch({ events: ['constructor'] })).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it('ends when its signal aborts, also while nothing happens', async () => {
    const client = await Client.watch();
    const next = client.next();
    client.abort.abort(new Error('the client has gone'));
    await expect(next).rejects.toThrow('the client has gone');
    const aborted = AbortSignal.abort(new Error('too late'));
    await expect(fixture.documents.watch(EVERYTHING, aborted)).rejects.toThrow('too late');
  });

  it('ends when the service stops, and is refused after that', async () => {
    const client = await Client.watch();
    const next = client.next();
    await Promise.all([fixture.documents.stop(),
      expect(next).rejects.toMatchObject({ code: 'unavailable', message: 'the service is stopping' })]);
    await expect(Client.watch()).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('ends when the database is replaced by a backup', async () => {
    await add('a');
    const client = await Client.watch();
    await fixture.sql.transaction((tx) => fixture.feed.restart(tx, 100));
    await expect(client.next()).rejects.toMatchObject({ code: 'unavailable' });
    const again = await Client.watch();
    await add('b');
    expect(await again.names(1)).toEqual(['doc.added b']);
  });
});

describe('a watcher that is slow', () => {
  beforeEach(async () => {
    fixture = await Fixture.open('sql.js');
  });

  const documents = (count: number, from = 0) =>
    Array.from({ length: count }, (_, i) => ({ key: `k${from + i}`, lang: 'en', contentMd: '' }));
  const addMany = (count: number, from = 0) =>
    fixture.call('addDocuments', { collection: 'c', documents: documents(count, from) });

  it('may be 4096 events behind and no more, and does not hold up the others', async () => {
    const [slow, late, quick] = [await Client.watch(), await Client.watch(), await Client.watch()];
    await addMany(MAX_BEHIND);
    expect(await quick.take(MAX_BEHIND)).toHaveLength(MAX_BEHIND);
    expect(await late.take(1)).toHaveLength(1);
    await addMany(1, MAX_BEHIND);
    expect(await quick.names(1)).toEqual([`doc.added k${MAX_BEHIND}`]);
    await expect(slow.next()).rejects.toMatchObject({
      code: 'rate_limited',
      message: expect.stringContaining('more than 4096 events behind'),
    });
    expect(await late.take(MAX_BEHIND)).toHaveLength(MAX_BEHIND);
  });

  it('loses nothing by resuming, however far behind it was', async () => {
    await addMany(MAX_BEHIND + 1000);
    const client = await Client.watch({ fromSeq: 0 });
    const first = await client.take(10);
    await addMany(1000, 10_000);
    const rest = await client.take(MAX_BEHIND + 1990);
    expect([...first, ...rest].map(({ seq }) => seq)).toEqual(
      Array.from({ length: MAX_BEHIND + 2000 }, (_, i) => i + 1),
    );
  });
});

describe('watchers', () => {
  beforeEach(async () => {
    fixture = await Fixture.open('sql.js');
  });

  it('share one reader of the feed, which rests when the last of them has left', async () => {
    const { feed } = fixture;
    let readers = 0;
    const join = feed.join.bind(feed);
    vi.spyOn(feed, 'join').mockImplementation((reader) => {
      const leave = join(reader);
      readers += 1;
      return () => {
        readers -= 1;
        leave();
      };
    });
    const hub = new WatchHub({ feed, log: silentLog });
    const watch = createWatch({ feed, hub, readDocument: async () => undefined });
    const clients = await Promise.all(Array.from({ length: 200 }, () => Client.watch({}, watch)));
    await add('a');
    expect(await Promise.all(clients.map((client) => client.names(1)))).toEqual(clients.map(() => ['doc.added a']));
    expect([hub.size, readers]).toEqual([200, 1]);
    for (const client of clients.slice(100)) client.abort.abort(new Error('gone'));
    await Promise.all(clients.slice(0, 100).map((client) => client.leave()));
    expect(hub.size).toBe(0);
    await vi.waitFor(() => expect(readers).toBe(0));
    const again = await Client.watch({}, watch);
    await add('b');
    expect([await again.names(1), readers]).toEqual([['doc.added b'], 1]);
  });

  it('each see every change after their beginning exactly once, whenever they come and go', async () => {
    const step = fc.oneof({
      weight: 3,
      arbitrary: fc.record({ op: fc.constant('write' as const), count: fc.integer({ min: 1, max: 4 }) }),
    }, {
      weight: 2,
      arbitrary: fc.record({ op: fc.constant('watch' as const), back: fc.option(fc.nat(6), { nil: undefined }) }),
    }, {
      weight: 2,
      arbitrary: fc.record({ op: fc.constant('take' as const), who: fc.nat(), count: fc.integer({ min: 1, max: 5 }) }),
    }, { weight: 1, arbitrary: fc.record({ op: fc.constant('leave' as const), who: fc.nat() }) });
    let runs = 0;
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const collection = `c${runs++}`;
      const watching: { client: Client; expected: number }[] = [];
      let written = 0;
      const origin = await fixture.feed.head();
      for (const each of steps) {
        if (each.op === 'write') {
          await fixture.call('addDocuments', {
            collection,
            documents: Array.from({ length: each.count },
              (_, i) => ({ key: `k${written + i}`, lang: 'en', contentMd: '' })),
          });
          written += each.count;
        } else if (each.op === 'watch') {
          const from = each.back === undefined ? written : Math.max(0, written - each.back);
          // 0 would request all kept events, also those of other collections.
          const fromSeq = each.back === undefined || origin + from === 0 ? {} : { fromSeq: origin + from };
          watching.push({
            client: await Client.watch({ collection, ...fromSeq }),
            expected: 'fromSeq' in fromSeq ? from : written,
          });
        } else {
          const watcher = watching[each.who % Math.max(1, watching.length)];
          if (watcher === undefined) continue;
          if (each.op === 'leave') {
            await watcher.client.leave();
            watching.splice(watching.indexOf(watcher), 1);
          } else {
            const count = Math.min(each.count, written - watcher.expected);
            const events = await watcher.client.take(count);
            expect(events.map(({ key }) => key)).toEqual(
              Array.from({ length: count }, (_, i) => `k${watcher.expected + i}`),
            );
            watcher.expected += count;
          }
        }
      }
      for (const { client, expected } of watching) {
        expect((await client.take(written - expected)).map(({ key }) => key)).toEqual(
          Array.from({ length: written - expected }, (_, i) => `k${expected + i}`),
        );
        await client.leave();
      }
    }), { numRuns: 60 });
  });
});

describe('the names of events', () => {
  it('are understood in the spellings of webhooks', () => {
    const all = ['doc.added', 'doc.updated', 'doc.deleted'];
    expect([...eventsNamed(['*'])]).toEqual(all);
    expect([...eventsNamed([])]).toEqual([...all, 'collection.deleted']);
    expect([...eventsNamed(['insert', 'doc.update', 'delete'])]).toEqual(all);
    expect([...eventsNamed(['collection.deleted'])]).toEqual(['collection.deleted']);
  });
});
