import { afterEach, describe, expect, it } from 'vitest';
import { ManualTimer } from '../../testkit/manual-timer.ts';
import { follow } from './follow.ts';
import { LogHub } from './hub.ts';
import { lines, LogFixture, SHIP } from './test-fixture.ts';

const open: LogFixture[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((fixture) => fixture.close()));
});

async function started() {
  const [fixture, hub, leaving] = [await LogFixture.open(), new LogHub(new ManualTimer()), new AbortController()];
  open.push(fixture);
  const ref = await fixture.newRun();
  await fixture.logs.append(ref, SHIP, 0, lines(150));
  const events = follow({ sql: fixture.sql, hub, queue: { get: (id) => fixture.run(id) } }, { ...ref, offset: 0 },
    leaving.signal);
  return { fixture, hub, leaving, ref, events };
}

describe('following a log', () => {
  it('leaves nothing behind when the reader goes while it waits, or while there is more to read', async () => {
    for (const reads of [1, 2, 4]) {
      const { hub, leaving, events } = await started();
      for (let i = 0; i < Math.min(reads, 3); i++) await events.next();
      expect(hub.size).toBe(1);
      const waiting = reads > 3 ? events.next() : undefined;
      leaving.abort();
      expect(await (waiting ?? events.next())).toEqual({ done: true, value: undefined });
      expect(hub.size).toBe(0);
    }
  });

  it('leaves nothing behind when the response is given up without a word', async () => {
    const { hub, events } = await started();
    await events.next();
    await events.return(undefined);
    expect(hub.size).toBe(0);
  });

  it('reports each state once, in order, also those that arrive late or twice', async () => {
    const { fixture, hub, ref, events } = await started();
    const running = (await fixture.run(ref.runId))!;
    const states: string[] = [];
    const reading = (async () => {
      for await (const bytes of events)
        states.push(...Buffer.from(bytes).toString().matchAll(/"state":"(\w+)"/g).map(([, state]) => state!));
    })();
    while (states.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const told = (state: 'queued' | 'running' | 'cancelling' | 'cancelled', fence: number) =>
      hub.changed({ run: { ...running, state, fence }, from: null, formerShipId: null });
    told('queued', 0);
    told('running', 1);
    told('queued', 2);
    told('running', 3);
    told('queued', 2);
    told('cancelling', 3);
    told('cancelling', 3);
    told('cancelled', 4);
    await reading;
    expect(states).toEqual(['running', 'queued', 'running', 'cancelling', 'cancelled']);
    expect(hub.size).toBe(0);
  });
});
