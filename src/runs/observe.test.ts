import { expect, it } from 'vitest';
import type { Log } from '../lib/log.ts';
import { FakeShip, QueueFixture } from '../testkit/runs-queue.ts';
import { logRunChange } from './observe.ts';

/** A log that only keeps level and text, with the reason and the state where they are given. */
function recording(lines: string[]): Log {
  const at = (level: string) => (fields: { reason?: string; state?: string }, text: string): void =>
    void lines.push([level, text, fields.reason, fields.state].filter(Boolean).join(': '));
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') } as unknown as Log;
}

it(
  'is one line for a lost lease, an attempt that is repeated and an approval that is waited for, and none for other ' +
    'changes',
  async () => {
    const fixture = await QueueFixture.open();
    const lines: string[] = [];
    fixture.queue.onChange((change) => logRunChange(recording(lines), change));
    const ship = new FakeShip('ship', 3);
    fixture.queue.addWorker(ship);
    const approvals = [{ name: 'go-live', before: 1, timeoutMs: 1000, message: '' }];
    const definition = {
      assignment: { project_id: 'alpha' },
      secrets: [],
      retryOn: [],
      timeoutMs: 3_600_000,
      keyVariable: '',
    };
    await fixture.submit({ maxAttempts: 2, definition });
    await fixture.submit({ maxAttempts: 1, definition });
    await fixture.submit({ definition: { ...definition, approvals } });
    await fixture.parts.dispatcher.dispatch();
    for (const { ref } of ship.claims) await fixture.queue.accept(ref, 'ship');
    expect(lines).toEqual([]);
    await fixture.queue.complete(ship.last.ref, 'ship', { outcome: 'succeeded', started: true });
    fixture.pass(100_000);
    await fixture.parts.tick();
    expect(lines.sort()).toEqual(['info: a run is tried again: lease_lost',
      'info: a run waits for an approval: approval', 'warn: the lease of a run is lost: failed',
      'warn: the lease of a run is lost: queued']);
    await fixture.sql.close();
  },
);
