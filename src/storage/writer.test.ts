import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ManualTimer } from '../testkit/manual-timer.ts';
import { type Engine, Writer } from './writer.ts';

/** An engine that records its calls. */
class NotedEngine implements Engine {
  readonly notes: string[] = [];
  all = () => [];
  get = () => undefined;
  run = () => ({ changes: 0 });
  runMany = () => ({ changes: 0 });
  exec = (sql: string): void => void (/^BEGIN/.test(sql) && this.notes.push('begin'));
  commit = (): void => void this.notes.push('commit');
  durable = async (): Promise<void> => void this.notes.push('sync');
  inTransaction = () => true;
  recover = (): void => {};
}

const settled = () => new Promise(setImmediate);

describe('the window of a group commit (extreme mode)', () => {
  // A group also ends after some milliseconds, which may elapse on a busy machine.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => void vi.useRealTimers());

  it('lets transactions that come within it share one sync, after which they are acknowledged', async () => {
    const [engine, timer] = [new NotedEngine(), new ManualTimer()];
    const writer = new Writer(engine, undefined, { groupWindowMs: 2, timer });
    const write = (id: number) =>
      writer.transaction(async () => id).then((result) => engine.notes.push(`acknowledged ${result}`));
    const first = write(1);
    await settled();
    const second = write(2);
    await settled();
    expect([engine.notes, timer.sleeps]).toEqual([[], [2]]);
    await timer.elapse();
    await Promise.all([first, second]);
    expect(engine.notes).toEqual(['begin', 'commit', 'sync', 'acknowledged 1', 'acknowledged 2']);
  });

  it('is not waited for by a writer that closes, nor by default', async () => {
    const [engine, timer] = [new NotedEngine(), new ManualTimer()];
    await new Writer(engine, undefined, { timer }).transaction(async () => 1);
    expect(timer.sleeps).toEqual([]);
    const writer = new Writer(engine, undefined, { groupWindowMs: 2, timer });
    const written = writer.transaction(async () => 2);
    const closed = writer.close();
    await timer.elapse();
    expect([await written, await closed]).toEqual([2, undefined]);
  });
});
