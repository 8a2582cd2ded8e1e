import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunRef } from '../../queue/port.ts';
import { Slots } from './slots.ts';

const refOf = (n: number): RunRef => ({ runId: `${n}`, attempt: 1, fence: n });

describe('the slots of a ship', () => {
  it('begin as its capacity, and never go beyond it', () => {
    const slots = new Slots();
    expect(slots.free).toBe(0);
    slots.setCapacity(2);
    expect(slots.free).toBe(2);
    slots.report(1_000_000);
    expect(slots.free).toBe(2);
    slots.release(refOf(7));
    expect(slots.free).toBe(2);
  });

  it('distinguish attempts of one run', () => {
    const slots = new Slots();
    slots.setCapacity(2);
    slots.hand(refOf(1));
    slots.release({ ...refOf(1), fence: 9 });
    expect(slots.has(refOf(1))).toBe(true);
    slots.accept({ ...refOf(1), attempt: 2 });
    slots.release(refOf(1));
    expect(slots.free).toBe(2);
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
          const slots = new Slots();
          slots.setCapacity(capacity);
          let next = 0;
          const toShip: RunRef[] = [];
          const toServer: ({ accept: RunRef } | { room: number })[] = [];
          const working = new Set<RunRef>();
          const unreported: RunRef[] = [];
          const act: Record<string, () => void> = {
            hand: () => {
              if (slots.free === 0) return;
              const ref = refOf(next++);
              slots.hand(ref);
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
              if ('accept' in message) slots.accept(message.accept);
              else slots.report(message.room);
            },
            end: () => {
              const [ref] = working;
              if (ref === undefined) return;
              working.delete(ref);
              unreported.push(ref);
            },
            report: () => {
              const ref = unreported.shift();
              if (ref !== undefined) slots.release(ref);
            },
          };
          for (const step of steps) act[step]!();
          for (const step of ['deliver', 'hear', 'end', 'report', 'beat', 'hear'])
            for (let n = 0; n < 200; n++) act[step]!();
          expect(slots.size).toBe(0);
          expect(slots.free).toBe(capacity);
        }),
      { numRuns: 500 },
    );
  });
});
