import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunRef } from '../../queue/port.ts';
import { HeldRuns } from './held-runs.ts';

const refOf = (n: number): RunRef => ({ runId: `${n}`, attempt: 1, fence: n });

describe('the slots of a ship', () => {
  it('begin as its capacity, and never go beyond it', () => {
    const held = new HeldRuns();
    expect(held.free).toBe(0);
    held.setCapacity(2);
    expect(held.free).toBe(2);
    held.report(1_000_000);
    expect(held.free).toBe(2);
    held.release(refOf(7));
    expect(held.free).toBe(2);
  });

  it('distinguish attempts of one run', () => {
    const held = new HeldRuns();
    held.setCapacity(2);
    held.hand(refOf(1));
    held.release({ ...refOf(1), fence: 9 });
    expect(held.has(refOf(1))).toBe(true);
    held.accept({ ...refOf(1), attempt: 2 });
    held.release(refOf(1));
    expect(held.free).toBe(2);
  });

  /*
   * A ship with a queue of messages in each direction. The server assigns it a run whenever it believes that a slot is
   * free; the ship accepts, ends and reports at random times, and its heartbeats name the runs that it holds when they
   * are sent. Ends are reported outside the stream, so they may arrive before or after heartbeats.
   */
  it('never promise more than the ship has, in whatever order messages cross, and all of it in the end', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }),
        fc.array(fc.constantFrom('hand', 'deliver', 'beat', 'hear', 'end', 'report'), { maxLength: 120 }),
        (capacity, steps) => {
          const held = new HeldRuns();
          held.setCapacity(capacity);
          let next = 0;
          const toShip: RunRef[] = [];
          const toServer: ({ accept: RunRef } | { room: number })[] = [];
          const working = new Set<RunRef>();
          const unreported: RunRef[] = [];
          const act: Record<string, () => void> = {
            hand: () => {
              if (held.free === 0) return;
              const ref = refOf(next++);
              held.hand(ref);
              toShip.push(ref);
            },
            deliver: () => {
              const ref = toShip.shift();
              if (ref === undefined) return;
              working.add(ref);
              expect(working.size).toBeLessThanOrEqual(capacity);
              toServer.push({ accept: ref });
            },
            beat: () => toServer.push({ room: Math.max(0, capacity - working.size) }),
            hear: () => {
              const message = toServer.shift();
              if (message === undefined) return;
              if ('accept' in message) held.accept(message.accept);
              else held.report(message.room);
            },
            end: () => {
              const [ref] = working;
              if (ref === undefined) return;
              working.delete(ref);
              unreported.push(ref);
            },
            report: () => {
              const ref = unreported.shift();
              if (ref !== undefined) held.release(ref);
            },
          };
          for (const step of steps) act[step]!();
          for (const step of ['deliver', 'hear', 'end', 'report', 'beat', 'hear'])
            for (let n = 0; n < 200; n++) act[step]!();
          expect(held.size).toBe(0);
          expect(held.free).toBe(capacity);
        }),
      { numRuns: 500 },
    );
  });
});
