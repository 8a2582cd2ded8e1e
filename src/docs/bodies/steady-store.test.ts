import { beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../lib/log.ts';
import { type ObjectStore, StoreFailure } from '../../net/objects.ts';
import { VirtualTimer } from '../../testkit/virtual-timer.ts';
import { SteadyStore } from './steady-store.ts';

const failure = (passes: boolean) => new StoreFailure('the service returned 503', { field: 'endpoint', passes });

let timer: VirtualTimer;
let asked: number;
/** Outcomes of the next requests; later requests succeed. */
let failures: (StoreFailure | Promise<void>)[];
let store: SteadyStore;

beforeEach(() => {
  timer = new VirtualTimer();
  asked = 0;
  failures = [];
  const answer = async (): Promise<void> => {
    asked++;
    const next = failures.shift();
    if (next instanceof StoreFailure) throw next;
    await next;
  };
  const failing: ObjectStore = {
    put: answer,
    get: async () => answer().then(() => undefined),
    remove: answer,
    list: async () => answer().then(() => ({ objects: [], next: undefined })),
  };
  store = new SteadyStore(failing, { timer, clock: { now: () => timer.now }, log: silentLog, collection: 'blog' });
});

/** The outcome of a request, after some time. */
async function outcome(request: Promise<unknown>): Promise<unknown> {
  const settled = request.then(() => 'ok', (error: unknown) => error);
  await timer.advance(1000);
  return settled;
}

describe('a steady store', () => {
  it('tries again what may pass, three times in all', async () => {
    failures = [failure(true), failure(true)];
    expect(await outcome(store.put('a', Buffer.of(1)))).toBe('ok');
    expect(asked).toBe(3);
    failures = [failure(true), failure(true), failure(true)];
    expect(await outcome(store.get('a'))).toMatchObject({
      code: 'unavailable',
      headers: { 'Retry-After': '5' },
      message: expect.stringContaining('returned 503') as string,
    });
    expect(asked).toBe(6);
  });

  it('does not try again what a service refuses', async () => {
    failures = [failure(false)];
    expect(await outcome(store.put('a', Buffer.of(1)))).toMatchObject({ code: 'unavailable' });
    expect(asked).toBe(1);
  });

  it('asks nothing for 5 s after three failures in a row, then one request finds out', async () => {
    failures = Array.from({ length: 3 }, () => failure(false));
    for (let i = 0; i < 3; i++) await outcome(store.get('a'));
    expect([asked, store.isDown]).toEqual([3, true]);
    expect(await outcome(store.get('a'))).toMatchObject({ headers: { 'Retry-After': '4' } });
    expect(asked).toBe(3);
    await timer.advance(5000);
    failures = [failure(true)];
    expect(await outcome(store.get('a'))).toMatchObject({ code: 'unavailable' });
    expect([asked, store.isDown]).toEqual([4, true]);
    await timer.advance(5000);
    const held = Promise.withResolvers<void>();
    failures = [held.promise];
    const trial = store.get('a');
    expect(await outcome(store.get('b'))).toMatchObject({ code: 'unavailable' });
    held.resolve();
    expect(await outcome(trial)).toBe('ok');
    expect(await outcome(store.get('b'))).toBe('ok');
    expect(store.isDown).toBe(false);
  });

  it('asks 16 at once, and the others in their turn', async () => {
    const held = Promise.withResolvers<void>();
    failures = Array.from({ length: 16 }, () => held.promise);
    const requests = Array.from({ length: 40 }, () => store.get('a'));
    await timer.settle();
    expect(asked).toBe(16);
    held.resolve();
    await Promise.all(requests);
    expect(asked).toBe(40);
  });
});
