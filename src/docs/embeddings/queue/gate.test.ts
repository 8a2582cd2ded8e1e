import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ManualTimer } from '../../../testkit/manual-timer.ts';
import type { Reservation } from '../../documents/index.ts';
import { QueueGate } from './gate.ts';

const pending = (count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => ({ id: `d${from + i}`, crc: 0, bytes: 0 }));

function gateOf(size: number, waitMs = 0): { gate: QueueGate; timer: ManualTimer } {
  const timer = new ManualTimer();
  const gate = new QueueGate({ size, waitMs, timer, clock: { now: () => 0 }, needing: async (documents) => documents });
  gate.open(0, 0);
  return { gate, timer };
}

/** Reference implementation of what the gate counts. */
class Model {
  readonly held: { reservation: Reservation; count: number }[] = [];
  readonly tickets: { lsn: number; count: number }[] = [];
  queued = 0;

  get depth(): number {
    return [...this.held, ...this.tickets].reduce((sum, { count }) => sum + count, this.queued);
  }
}

describe('the gate of the queue', () => {
  const step = fc.oneof(fc.record({ do: fc.constant('reserve' as const), n: fc.integer({ min: 0, max: 8 }) }),
    fc.record({
      do: fc.constantFrom('commit' as const, 'cancel' as const, 'follow' as const, 'work' as const),
      n: fc.nat(8),
    }));

  it('never holds more than its size, and drops exactly what finds no room', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 12 }), fc.array(step, { maxLength: 40 }), async (size, steps) => {
        const { gate } = gateOf(size);
        const model = new Model();
        let lsn = 0;
        let lost = 0;
        for (const { do: action, n } of steps) {
          const free = size - model.depth;
          if (action === 'reserve') {
            const reservation = await gate.reserve(pending(n), gate.waitBudget());
            expect(reservation.dropped.size).toBe(Math.max(0, n - free));
            model.held.push({ reservation, count: Math.min(n, free) });
          } else if (action === 'commit' && model.held.length > 0) {
            const { reservation, count } = model.held.splice(n % model.held.length, 1)[0]!;
            lost += reservation.dropped.size;
            reservation.commit(++lsn, reservation.dropped.size);
            model.tickets.push({ lsn, count });
          } else if (action === 'cancel' && model.held.length > 0) {
            model.held.splice(n % model.held.length, 1)[0]!.reservation.cancel();
          } else if (action === 'follow') {
            const upTo = Math.max(0, lsn - (n % 3));
            const done = model.tickets.filter((ticket) => ticket.lsn <= upTo);
            for (const ticket of done) model.tickets.splice(model.tickets.indexOf(ticket), 1);
            model.queued += done.reduce((sum, { count }) => sum + count, 0);
            gate.followed(upTo, model.queued);
          } else if (action === 'work') {
            model.queued = Math.max(0, model.queued - n);
            gate.count(model.queued);
          }
          expect(gate.depth).toBe(model.depth);
          expect(gate.depth).toBeLessThanOrEqual(size);
        }
        expect(gate.dropped).toBe(lost);
      }),
    );
  });

  it('gives free space to waiting writers in the order in which they came', async () => {
    const { gate } = gateOf(4, 1000);
    gate.count(4);
    const done: string[] = [];
    const first = gate.reserve(pending(2), gate.waitBudget()).then(() => done.push('first'));
    await Promise.resolve();
    const second = gate.reserve(pending(1, 2), gate.waitBudget()).then(() => done.push('second'));
    await Promise.resolve();
    gate.count(3);
    gate.count(1);
    await Promise.all([first, second]);
    expect(done).toEqual(['first', 'second']);
    expect(gate.depth).toBe(4);
  });

  it('gives a write that has waited in vain the space that is free by then', async () => {
    const { gate, timer } = gateOf(4, 1000);
    gate.count(3);
    const waitBudget = gate.waitBudget();
    const reserving = gate.reserve(pending(3), waitBudget);
    await timer.elapse();
    expect([...(await reserving).dropped]).toEqual(['d1', 'd2']);
    expect(waitBudget.left).toBe(0);
    expect(gate.depth).toBe(4);
  });

  it('lets all waiting writers pass when it is closed, with nothing dropped', async () => {
    const { gate } = gateOf(1, 1000);
    gate.count(1);
    const reserving = gate.reserve(pending(3), gate.waitBudget());
    await new Promise(setImmediate);
    gate.close();
    const reservation = await reserving;
    expect(reservation.dropped.size).toBe(0);
    reservation.commit(5, 0);
    expect(gate.depth).toBe(0);
    expect((await gate.reserve(pending(9), gate.waitBudget())).dropped.size).toBe(0);
  });

  it('limits nothing before it is opened and after it is closed', () => {
    const { gate } = gateOf(1);
    expect(gate.isUnlimited).toBe(false);
    gate.close();
    expect(gate.isUnlimited).toBe(true);
    gate.open(0, 0);
    expect(gate.isUnlimited).toBe(false);
  });

  it('counts one document once, however often a batch names it', async () => {
    const { gate } = gateOf(2);
    const { dropped } = await gate.reserve([...pending(2), ...pending(2)], gate.waitBudget());
    expect([dropped.size, gate.depth]).toEqual([0, 2]);
  });
});
