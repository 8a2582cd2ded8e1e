import { describe, expect, it } from 'vitest';
import { type EventLoop, Turns } from './turns.ts';

/** An event loop whose turns a test makes, and whose time only passes by work. */
class FakeLoop implements EventLoop {
  #now = 1000;
  #turn = 0;
  #soon: (() => void)[] = [];

  now(): number {
    return this.#now;
  }

  turn(): number {
    return this.#turn;
  }

  soon(run: () => void): void {
    this.#soon.push(run);
  }

  work(ms: number): void {
    this.#now += ms;
  }

  get isIdle(): boolean {
    return this.#soon.length === 0;
  }

  /** A turn: what sockets bring, then what was to run soon; returns how long it took. */
  async run(sockets: () => void = () => undefined): Promise<number> {
    const before = this.#now;
    this.#turn += 1;
    sockets();
    for (const each of this.#soon.splice(0)) {
      each();
      for (let i = 0; i < 10; i++) await Promise.resolve();
    }
    return this.#now - before;
  }
}

async function request(turns: Turns, loop: FakeLoop, ms: number, done: () => void): Promise<void> {
  if (turns.isSpent) await turns.request();
  loop.work(ms);
  done();
}

/** A loop of steps of 1 ms. */
async function repeat(turns: Turns, loop: FakeLoop, steps: number, done: (step: number) => void): Promise<void> {
  for (let step = 0, until = turns.restAt(); step < steps; step++) {
    loop.work(1);
    done(step);
    if (loop.now() < until) continue;
    await turns.loop();
    until = turns.restAt();
  }
}

describe('turns of the event loop', () => {
  it('begin requests for 8 ms, and the others in later turns, in their order', async () => {
    const loop = new FakeLoop();
    const turns = new Turns(loop);
    const done: number[] = [];
    const took = [await loop.run(() => {
      for (let i = 0; i < 12; i++) void request(turns, loop, 3, () => done.push(i));
    })];
    expect(done).toEqual([0, 1, 2]);
    took.push(await loop.run(() => void request(turns, loop, 3, () => done.push(12))));
    while (!loop.isIdle) took.push(await loop.run());
    expect(done).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    expect(Math.max(...took)).toBe(9);
  });

  it('let a request begin at once in a turn that has time left', async () => {
    const loop = new FakeLoop();
    const turns = new Turns(loop);
    await loop.run(() => {
      loop.work(50);
      expect(turns.isSpent).toBe(false);
      loop.work(7);
      expect(turns.isSpent).toBe(false);
      loop.work(1);
      expect(turns.isSpent).toBe(true);
    });
    await loop.run(() => expect(turns.isSpent).toBe(false));
  });

  it('leave long requests to the next turn, as long as requests like them have come lately', async () => {
    const loop = new FakeLoop();
    const turns = new Turns(loop);
    let done = 0;
    const took = [await loop.run(() => {
      for (let i = 0; i < 30; i++) void request(turns, loop, i % 3 === 2 ? 12 : 3, () => (done += 1));
    })];
    while (!loop.isIdle) took.push(await loop.run());
    expect(done).toBe(30);
    expect(Math.max(...took.slice(1))).toBeLessThanOrEqual(16);
    const short = async (): Promise<number> =>
      loop.run(() => {
        for (let i = 0; i < 1000; i++) void request(turns, loop, 0.25, () => (done += 1));
      });
    await short();
    while (!loop.isIdle) await loop.run();
    expect(await short()).toBe(8);
  });

  it('share their time among loops, of which none waits for another to end', async () => {
    const loop = new FakeLoop();
    const turns = new Turns(loop);
    const steps = Array.from({ length: 16 }, () => 0);
    const took: number[] = [];
    await loop.run(() => steps.forEach((_, i) => void repeat(turns, loop, 100, () => (steps[i]! += 1))));
    for (let i = 0; i < 32; i++) took.push(await loop.run());
    expect(Math.max(...took)).toBeLessThanOrEqual(10);
    expect(Math.max(...steps) - Math.min(...steps)).toBeLessThanOrEqual(8);
    while (!loop.isIdle) await loop.run();
    expect(steps).toEqual(steps.map(() => 100));
  });

  it('go on with one loop at least, however many requests arrive', async () => {
    const loop = new FakeLoop();
    const turns = new Turns(loop);
    let steps = 0;
    let answered = 0;
    const took: number[] = [];
    for (let turn = 0; turn < 50; turn++) {
      took.push(await loop.run(() => {
        for (let i = 0; i < 20; i++) void request(turns, loop, 1, () => (answered += 1));
        if (turn === 0) void repeat(turns, loop, 80, () => (steps += 1));
      }));
    }
    expect(steps).toBe(80);
    expect(answered).toBeGreaterThan(8 * 40);
    expect(Math.max(...took)).toBeLessThanOrEqual(8 + 2 + 8);
  });
});
