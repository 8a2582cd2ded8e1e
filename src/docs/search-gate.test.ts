import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { Context } from '../operations/index.ts';
import { ManualTimer } from '../testkit/manual-timer.ts';
import { throughStep } from '../testkit/through-step.ts';
import { type Cost, costOf, gateStep, SearchGate } from './search-gate.ts';

const never = new AbortController().signal;

/** Searches that end when the test calls `end`. */
class Searches {
  readonly begun: number[] = [];
  readonly timer = new ManualTimer();
  readonly gate: SearchGate;
  readonly #ends = new Map<number, (error?: Error) => void>();

  constructor(places: number) {
    // Turns that are never over: how long the machine takes must not decide which searches have begun.
    this.gate = new SearchGate({ places, timer: this.timer, turns: { isOver: false, request: async () => undefined } });
  }

  /** Rejects with the error of the gate or of the search. */
  begin(id: number, signal = never, cost: Cost = 'cheap'): Promise<number> {
    const search = () => {
      this.begun.push(id);
      return new Promise<number>((resolve, reject) =>
        this.#ends.set(id, (error) => (error ? reject(error) : resolve(id)))
      );
    };
    return this.gate.run(search, signal, cost);
  }

  end(id: number, error?: Error): void {
    this.#ends.get(id)!(error);
    this.#ends.delete(id);
  }

  get running(): number[] {
    return [...this.#ends.keys()];
  }
}

const settled = () => new Promise(setImmediate);

describe('the gate of searches (decision D-19)', () => {
  it('runs a limited number at once, and others in the order in which they came', async () => {
    const searches = new Searches(2);
    const all = Promise.allSettled([1, 2, 3, 4].map((id) => searches.begin(id)));
    await settled();
    expect([searches.begun, searches.gate.waiting]).toEqual([[1, 2], 2]);
    searches.end(2);
    await settled();
    expect(searches.begun).toEqual([1, 2, 3]);
    searches.end(1, new Error('broken'));
    await settled();
    expect(searches.begun).toEqual([1, 2, 3, 4]);
    searches.end(3);
    searches.end(4);
    expect((await all).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled', 'fulfilled']);
  });

  it('refuses one that got no place within two seconds as busy, and says when to try again', async () => {
    const searches = new Searches(1);
    const first = searches.begin(1);
    const second = searches.begin(2);
    await searches.timer.elapse();
    await expect(second).rejects.toMatchObject({ code: 'busy', status: 503, headers: { 'Retry-After': '1' } });
    expect([searches.timer.sleeps, searches.gate.waiting]).toEqual([[2000], 0]);
    searches.end(1);
    await first;
    const third = searches.begin(3);
    searches.end(3);
    expect([await third, searches.begun]).toEqual([3, [1, 3]]);
  });

  it('forgets one whose client has gone', async () => {
    const searches = new Searches(1);
    const gone = new AbortController();
    const first = searches.begin(1);
    const second = searches.begin(2, gone.signal);
    const third = searches.begin(3);
    gone.abort();
    await expect(second).rejects.toBe(gone.signal.reason);
    await expect(searches.begin(4, gone.signal)).rejects.toBe(gone.signal.reason);
    searches.end(1);
    await first;
    await settled();
    expect(searches.begun).toEqual([1, 3]);
    searches.end(3);
    await third;
  });

  it('has no limit with 0 places', async () => {
    const searches = new Searches(0);
    const all = Array.from({ length: 100 }, (_, id) => searches.begin(id));
    expect(searches.begun).toHaveLength(100);
    for (const id of searches.running) searches.end(id);
    await Promise.all(all);
  });

  it('neither loses a slot nor admits anyone early, whatever ends, fails, aborts or times out when', async () => {
    const step = fc.oneof({ weight: 4, arbitrary: fc.constant('begin' as const) }, {
      weight: 3,
      arbitrary: fc.constantFrom('end' as const, 'fail' as const),
    }, fc.constantFrom('abort' as const, 'abort and end' as const), fc.constant('elapse' as const));
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(fc.tuple(step, fc.nat()), { maxLength: 60 }),
        async (places, steps) => {
          const searches = new Searches(places);
          const clients = new Map<number, AbortController>();
          /** The searches that should be waiting, in order. */
          let queue: number[] = [];
          const started: number[] = [];
          const all: Promise<unknown>[] = [];
          const admit = (): void => {
            while (queue.length > 0 && started.length - ended < places) started.push(queue.shift()!);
          };
          let ended = 0;
          for (const [what, at] of steps) {
            const running = searches.running;
            const waiting = queue[at % (queue.length || 1)];
            if (what === 'begin') {
              const id = all.length;
              const client = new AbortController();
              clients.set(id, client);
              queue.push(id);
              all.push(searches.begin(id, client.signal).catch(() => undefined));
            } else if (what === 'elapse') {
              if (queue.length === 0) continue;
              await searches.timer.elapse();
              queue = [];
            } else {
              if (what.startsWith('abort') && waiting !== undefined) {
                clients.get(waiting)!.abort();
                queue = queue.filter((id) => id !== waiting);
              }
              if (what !== 'abort' && running.length > 0) {
                searches.end(running[at % running.length]!, what === 'fail' ? new Error('broken') : undefined);
                ended += 1;
              }
            }
            admit();
            await settled();
            expect([searches.begun, searches.gate.waiting]).toEqual([started, queue.length]);
          }
          for (; searches.running.length > 0; await settled()) for (const id of searches.running) searches.end(id);
          await Promise.all(all);
          expect(searches.gate.waiting).toBe(0);
        }),
    );
  });

  it('is for searches: other operations pass it by', async () => {
    const run = vi.fn((search: () => Promise<unknown>) => search());
    const step = gateStep({ run: run as never }, () => 0);
    const search = throughStep(step, 'searchFullText', async () => 'found');
    const read = throughStep(step, 'getDocument', async () => 'read');
    const context = { signal: never } as Context;
    expect([await read({}, context), run.mock.calls.length]).toEqual(['read', 0]);
    expect([await search({}, context), run.mock.calls.length]).toEqual(['found', 1]);
  });

  it('asks for a place by the cost of the search', async () => {
    const run = vi.fn((search: () => Promise<unknown>) => search());
    const step = gateStep({ run: run as never }, (collection) => (collection === 'large' ? 200_000 : 100));
    const search = throughStep(step, 'searchFullText', async () => 'found');
    const filterMeta = { category: ['news'] };
    for (const input of [{ collection: 'large' }, { collection: 'large', filterMeta }, {
      collection: 'small',
      filterMeta,
    }]) await search(input, { signal: never } as Context);
    expect(run.mock.calls.map(([, , cost]: unknown[]) => cost)).toEqual(['cheap', 'expensive', 'cheap']);
  });
});

describe('searches of different costs (decision D-19)', () => {
  /** Expensive searches have even numbers. */
  const costOfId = (id: number): Cost => (id % 2 === 0 ? 'expensive' : 'cheap');
  const begin = (searches: Searches, ...ids: number[]) =>
    Promise.allSettled(ids.map((id) => searches.begin(id, never, costOfId(id))));
  const end = async (searches: Searches, ...ids: number[]) => {
    for (const id of ids) searches.end(id);
    await settled();
  };

  it('a cheap one never waits behind expensive ones, however many there are', async () => {
    const searches = new Searches(2);
    const all = begin(searches, 2, 4, 6, 8, 10, 1);
    await settled();
    expect(searches.begun).toEqual([2, 4, 1]);
    await end(searches, 1);
    const more = begin(searches, 3, 5);
    await settled();
    expect([searches.begun, searches.gate.waiting]).toEqual([[2, 4, 1, 3], 4]);
    await end(searches, 2);
    // Three searches were running with two places, so the place of the one that ended stays empty.
    expect(searches.begun).toEqual([2, 4, 1, 3]);
    await end(searches, 3);
    expect(searches.begun).toEqual([2, 4, 1, 3, 5]);
    await end(searches, 5);
    expect(searches.begun).toEqual([2, 4, 1, 3, 5, 6]);
    await end(searches, 4, 6);
    await end(searches, 8, 10);
    expect([...await all, ...await more].every(({ status }) => status === 'fulfilled')).toBe(true);
  });

  it.each([1, 2, 4])('an expensive one is not starved by cheap ones that never end, with %d places', async (places) => {
    const searches = new Searches(places);
    const cheap = Array.from({ length: 20 }, (_, i) => 2 * i + 1);
    const all = begin(searches, ...cheap, 2, 4);
    await settled();
    expect(searches.begun).toEqual([...cheap.slice(0, places), 2]);
    await end(searches, 2);
    expect(searches.begun).toEqual([...cheap.slice(0, places), 2, 4]);
    for (; searches.running.length > 0; await settled()) for (const id of searches.running) searches.end(id);
    await all;
  });

  it('expensive ones wait for 20 seconds in the order in which they came, and are then told when to retry', async () => {
    const searches = new Searches(1);
    const first = searches.begin(2, never, 'expensive');
    const second = searches.begin(4, never, 'expensive');
    const refused = searches.begin(6, never, 'expensive');
    await end(searches, 2);
    expect([await first, searches.begun]).toEqual([2, [2, 4]]);
    await searches.timer.elapse();
    await expect(refused).rejects.toMatchObject({
      code: 'busy',
      status: 503,
      headers: { 'Retry-After': '5' },
      message: 'too many searches at once; no place was free within 20000 ms',
    });
    expect(searches.timer.sleeps).toEqual([20_000, 20_000]);
    await end(searches, 4);
    expect(await second).toBe(4);
  });

  it('always leaves a place to each cost, and never runs more than one beyond the places', async () => {
    const step = fc.tuple(fc.constantFrom('cheap' as const, 'expensive' as const, 'end' as const, 'end' as const),
      fc.nat());
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 60 }), async (places, steps) => {
        const searches = new Searches(places);
        const costs: Cost[] = [];
        const all: Promise<unknown>[] = [];
        for (const [what, at] of steps) {
          const { running } = searches;
          if (what !== 'end') all.push(searches.begin(costs.push(what) - 1, never, what));
          else if (running.length > 0) searches.end(running[at % running.length]!);
          await settled();
          const count = (cost: Cost, ids: Iterable<number>) => [...ids].filter((id) => costs[id] === cost).length;
          for (const cost of ['cheap', 'expensive'] as const) {
            const waiting = count(cost, costs.keys()) - count(cost, searches.begun);
            if (waiting > 0)
              expect([count(cost, searches.running) > 0, searches.running.length >= places]).toEqual([true, true]);
          }
          expect(searches.running.length).toBeLessThanOrEqual(places + 1);
          for (const cost of ['cheap', 'expensive'] as const) {
            const begun = searches.begun.filter((id) => costs[id] === cost);
            expect(begun).toEqual([...costs.keys()].filter((id) => costs[id] === cost).slice(0, begun.length));
          }
        }
        for (; searches.running.length > 0; await settled()) for (const id of searches.running) searches.end(id);
        await Promise.all(all);
      }),
    );
  });

  it.each(
    [['words alone', {}, 10_000_000, 'cheap'], ['a filter of a small collection', { filterMeta: { a: ['x'] } }, 5000,
      'cheap'], ['a filter of a large one', { filterMeta: { a: ['x'] } }, 200_000, 'expensive'], [
      'the same in a query string',
      { meta: { a: ['x'] } },
      200_000,
      'expensive',
    ], ['filters, ranges, boosts and facets together', {
      filterMeta: { a: ['x'] },
      rangeMeta: [{ field: 'n', gte: 1 }],
      boost: { 'a:x': 2 },
      facetBy: ['a'],
    }, 5000, 'expensive'], ['a place', { geo: { lat: 0, lng: 0, radiusMeters: 1 } }, 200_000, 'expensive'], [
      'an expression',
      { filter: 'a = x' },
      200_000,
      'expensive',
    ], ['an order by metadata', { sort: 'n:desc' }, 200_000, 'expensive'], ['an order by score', { sort: 'combined' },
      200_000, 'cheap'], ['empty filters', { langs: [], filterMeta: {}, facetBy: [] }, 200_000, 'cheap']] as const,
  )('%s', (_, input, documents, cost) => {
    expect(costOf(input, documents)).toBe(cost);
  });
});
