import { describe, expect, it } from 'vitest';
import { silentLog } from '../../lib/log.ts';
import { VirtualTimer } from '../../testkit/virtual-timer.ts';
import { DeliveryEngine, type LaneProgress } from './engine.ts';
import type { Failure, LaneSource, Outcome, Progress } from './lane.ts';
import type { Sequenced } from './ordered-window.ts';

const HOUR_MS = 3_600_000;

const OK: Outcome = { kind: 'delivered' };
const DOWN: Outcome = { kind: 'failed', error: 'HTTP status 503', status: 503 };

interface Sent {
  readonly seq: number;
  readonly at: number;
}

/** An endpoint and its log in memory; the test controls its responses. */
class Endpoint implements LaneSource<Sequenced> {
  readonly id: string;
  readonly start: Progress;
  readonly sent: Sent[] = [];
  readonly dead: (Failure & { readonly seq: number })[] = [];
  isFailing = false;
  answer: (seq: number, attempt: number) => Outcome | Promise<Outcome> = () => OK;
  readonly #timer: VirtualTimer;
  readonly #items: Sequenced[];

  constructor(timer: VirtualTimer, keys: readonly string[],
    { id = 'a', start = { position: 0, open: [], failingMs: 0 } }: { id?: string; start?: Progress } = {})
  {
    this.#timer = timer;
    this.#items = keys.map((key, i) => ({ seq: i + 1, group: 'g', key }));
    this.id = id;
    this.start = start;
  }

  append(key: string): void {
    this.#items.push({ seq: this.#items.length + 1, group: 'g', key });
  }

  read = async (after: number) => {
    const items = this.#items.slice(after, after + 100);
    return { items, position: after + items.length };
  };

  reread = async (seqs: readonly number[]) => this.#items.filter(({ seq }) => seqs.includes(seq));

  send = async ({ seq }: Sequenced) => {
    this.sent.push({ seq, at: this.#timer.now });
    return this.answer(seq, this.attemptsOf(seq));
  };

  storeFailed = async ({ seq }: Sequenced, failure: Failure) => {
    this.dead.push({ seq, ...failure });
  };

  onFailing = () => {
    this.isFailing = true;
  };

  attemptsOf(wanted: number): number {
    return this.sent.filter(({ seq }) => seq === wanted).length;
  }

  get order(): number[] {
    return this.sent.map(({ seq }) => seq);
  }
}

function setUp(options: { inFlight?: number; slots?: number } = {}) {
  const timer = new VirtualTimer();
  const kept = new Map<string, LaneProgress>();
  const engine = new DeliveryEngine({
    ...options,
    timer,
    log: silentLog,
    save: async (lanes) => lanes.forEach((each) => kept.set(each.lane, each)),
  });
  return { timer, kept, engine };
}

describe('the delivery engine', () => {
  it('delivers each thing once, and keeps how far it came', async () => {
    const { timer, kept, engine } = setUp();
    const endpoint = new Endpoint(timer, Array.from({ length: 1000 }, (_, i) => `k${i % 7}`));
    engine.add(endpoint);
    await timer.advance(1000);
    expect(endpoint.order.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 1000 }, (_, i) => i + 1));
    for (let key = 0; key < 7; key++) {
      const own = endpoint.order.filter((seq) => (seq - 1) % 7 === key);
      expect(own).toEqual(own.toSorted((a, b) => a - b));
    }
    expect(kept.get('a')).toEqual({ lane: 'a', position: 1000, open: [], failingMs: 0 });
    await engine.stop();
  });

  it('delivers what is added while it reads that there is nothing', async () => {
    const { timer, engine } = setUp();
    const endpoint = new Endpoint(timer, []);
    const read = endpoint.read;
    let reads = 0;
    endpoint.read = async (after) => {
      const found = await read(after);
      if (reads++ === 0) {
        endpoint.append('k');
        engine.wake('a');
        await timer.settle();
      }
      return found;
    };
    engine.add(endpoint);
    for (let i = 0; i < 3; i++) await timer.settle();
    expect(endpoint.order).toEqual([1]);
    await engine.stop();
  });

  it('tries after 0, 1, 5 and 15 seconds, then with growing pauses, and pauses nothing before a day is over', async () => {
    const { timer, engine } = setUp();
    const endpoint = new Endpoint(timer, ['k']);
    endpoint.answer = () => DOWN;
    engine.add(endpoint);
    await timer.advance(15_000);
    expect(endpoint.sent.map(({ at }) => at)).toEqual([0, 1000, 5000, 15_000]);
    await timer.advance(23 * HOUR_MS);
    expect(endpoint.isFailing).toBe(false);
    expect(endpoint.sent.length).toBeLessThan(60);
    await timer.advance(3 * HOUR_MS);
    expect(endpoint.isFailing).toBe(true);
    expect(endpoint.dead).toEqual([]);
    await engine.stop();
  });

  it('holds back what is about the same thing, and nothing else', async () => {
    const { timer, engine } = setUp();
    const endpoint = new Endpoint(timer, ['x', 'y', 'x', 'y']);
    endpoint.answer = (seq, attempt) => (seq === 1 && attempt < 3 ? DOWN : OK);
    engine.add(endpoint);
    await timer.advance(0);
    expect(endpoint.order).toEqual([1, 2, 4]);
    await timer.advance(5000);
    expect(endpoint.order).toEqual([1, 2, 4, 1, 1, 3]);
    await engine.stop();
  });

  it('abandons one delivery that fails for a day while others succeed, and continues with those it held back', async () => {
    const { timer, engine } = setUp();
    const endpoint = new Endpoint(timer, ['x', 'x']);
    endpoint.answer = (seq) => (seq === 1 ? DOWN : OK);
    engine.add(endpoint);
    for (let hour = 0; hour < 27; hour++) {
      await timer.advance(HOUR_MS);
      endpoint.append(`other ${hour}`);
      engine.wake('a');
    }
    expect(endpoint.isFailing).toBe(false);
    expect(endpoint.dead).toMatchObject([{ seq: 1, status: 503 }]);
    expect(endpoint.order).toContain(2);
    await engine.stop();
  });

  it('tries what is new within seconds, although another delivery has failed for long', async () => {
    const { timer, engine } = setUp();
    const endpoint = new Endpoint(timer, ['poison']);
    endpoint.answer = (seq) => (seq === 1 ? DOWN : OK);
    engine.add(endpoint);
    await timer.advance(10 * HOUR_MS);
    endpoint.append('new');
    engine.wake('a');
    await timer.advance(5000);
    expect(endpoint.order).toContain(2);
    await engine.stop();
  });

  it('makes a dead letter of a refused delivery at once', async () => {
    const { timer, kept, engine } = setUp();
    const endpoint = new Endpoint(timer, ['x', 'x']);
    endpoint.answer = (seq) => (seq === 1 ? { kind: 'refused', error: 'HTTP status 410', status: 410 } : OK);
    engine.add(endpoint);
    await timer.advance(1000);
    expect(endpoint.dead).toEqual([{ seq: 1, kind: 'refused', error: 'HTTP status 410', status: 410, attempts: 1 }]);
    expect(endpoint.order).toEqual([1, 2]);
    expect(kept.get('a')).toMatchObject({ position: 2, open: [] });
    await engine.stop();
  });

  it('is not held up by many deliveries that one endpoint never accepts', async () => {
    const { timer, engine } = setUp();
    const endpoint = new Endpoint(timer, Array.from({ length: 4000 }, (_, i) => `k${i}`));
    endpoint.answer = (seq) => (seq % 2 === 0 ? DOWN : OK);
    engine.add(endpoint);
    await timer.advance(12 * HOUR_MS);
    const accepted = new Set(endpoint.order.filter((seq) => seq % 2 === 1));
    expect(accepted.size).toBe(2000);
    expect(endpoint.dead.length).toBeGreaterThan(0);
    expect(endpoint.dead.every(({ seq }) => seq % 2 === 0)).toBe(true);
    expect(endpoint.isFailing).toBe(false);
    await engine.stop();
  });

  it('asks one at a time while an endpoint is down, and sends all again when it is back', async () => {
    const { timer, engine } = setUp();
    const endpoint = new Endpoint(timer, Array.from({ length: 200 }, (_, i) => `k${i}`));
    let isUp = false;
    endpoint.answer = () => (isUp ? OK : DOWN);
    engine.add(endpoint);
    await timer.advance(60_000);
    const asked = endpoint.sent.length;
    expect(asked).toBeLessThan(64 + 40);
    isUp = true;
    await timer.advance(5000);
    expect(engine.waiting).toBe(0);
    await engine.stop();
  });

  it('lets an endpoint that hangs delay nobody, whatever slots it has taken', async () => {
    const { timer, engine } = setUp({ inFlight: 4, slots: 3 });
    const hangs = new Endpoint(timer, Array.from({ length: 50 }, (_, i) => `k${i}`), { id: 'hangs' });
    const released = Promise.withResolvers<Outcome>();
    hangs.answer = () => released.promise;
    engine.add(hangs);
    await timer.settle();
    expect(hangs.sent).toHaveLength(4);
    const quick = new Endpoint(timer, Array.from({ length: 50 }, (_, i) => `k${i}`), { id: 'quick' });
    engine.add(quick);
    await timer.advance(0);
    expect(quick.sent).toHaveLength(50);
    released.resolve(OK);
    await timer.advance(0);
    expect(hangs.sent).toHaveLength(50);
    await engine.stop();
  });

  it('goes on where it was kept, and repeats only what was not done', async () => {
    const { timer, engine } = setUp();
    const endpoint = new Endpoint(timer, ['a', 'b', 'c', 'd', 'e'], {
      start: { position: 4, open: [2], failingMs: 0 },
    });
    engine.add(endpoint);
    await timer.advance(100);
    expect(endpoint.order).toEqual([2, 5]);
    await engine.stop();
  });

  it('keeps the place of what was cut off by the end', async () => {
    const { timer, kept, engine } = setUp();
    const endpoint = new Endpoint(timer, ['a', 'b']);
    const cut = Promise.withResolvers<Outcome>();
    endpoint.answer = (seq) => (seq === 1 ? cut.promise : OK);
    engine.add(endpoint);
    await timer.settle();
    const progress = engine.remove('a', 0);
    await timer.settle();
    cut.resolve({ kind: 'failed', error: 'aborted' });
    expect(await progress).toEqual({ lane: 'a', position: 2, open: [1], failingMs: 0 });
    expect(kept.get('a')?.open ?? [1]).toEqual([1]);
    await engine.stop();
  });

  it('goes on while its progress cannot be kept, as on a full disk, and keeps it afterwards', async () => {
    const timer = new VirtualTimer();
    const kept: LaneProgress[] = [];
    let isFull = true;
    const engine = new DeliveryEngine({
      timer,
      log: silentLog,
      save: async (lanes) => {
        if (isFull) throw new Error('the disk is full');
        kept.push(...lanes);
      },
    });
    const endpoint = new Endpoint(timer, ['a', 'b']);
    engine.add(endpoint);
    await timer.advance(10_000);
    expect([endpoint.order, kept]).toEqual([[1, 2], []]);
    isFull = false;
    await timer.advance(10_000);
    expect(kept).toEqual([{ lane: 'a', position: 2, open: [], failingMs: 0 }]);
    await engine.stop();
  });

  it('respects what the endpoint says of when to come back', async () => {
    const { timer, engine } = setUp();
    const endpoint = new Endpoint(timer, ['k']);
    endpoint.answer = (_,
      attempt) => (attempt === 1
        ? { kind: 'failed', error: 'HTTP status 429', status: 429, retryAfterMs: 30_000 }
        : OK);
    engine.add(endpoint);
    await timer.advance(60_000);
    expect(endpoint.sent.map(({ at }) => at)).toEqual([0, 30_000]);
    await engine.stop();
  });
});
