import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeShip, newRun, QUEUE_CONFIG, QueueFixture } from '../../testkit/runs-queue.ts';
import type { Completion, NewRun, WorkerHandle } from './port.ts';

let fixture: QueueFixture;
let ship: FakeShip;
let handle: WorkerHandle;
const noAudit = async (): Promise<void> => {};
const SUCCEEDED: Completion = { outcome: 'succeeded', started: true };

beforeEach(async () => {
  fixture = await QueueFixture.open();
  ship = new FakeShip('s');
  handle = fixture.queue.addWorker(ship);
});
afterEach(() => fixture.sql.close());

const dispatch = () => fixture.parts.dispatcher.dispatch();

async function taken(run: Partial<NewRun> = {}) {
  const { id } = await fixture.submit(run);
  await dispatch();
  await fixture.queue.accept(ship.last.ref, 's');
  return { id, ref: ship.claims.pop()!.ref };
}

const definition = (extras: Partial<NewRun['definition']>) => ({ definition: { ...newRun().definition, ...extras } });

describe('what is queued', () => {
  it('comes out as it went in', async () => {
    const run = await fixture.submit({
      input: '{"ref":"main"}',
      inputIsJson: true,
      priority: 7,
      runsOn: ['os=linux'],
      maxAttempts: 5,
      source: 'schedule',
    });
    expect(run).toMatchObject({
      state: 'queued',
      attempt: 1,
      fence: 0,
      priority: 7,
      runsOn: ['os=linux'],
      maxAttempts: 5,
      source: 'schedule',
      shipId: null,
      startedAt: null,
      finishedAt: null,
      createdAt: 1_766_400_000,
      updatedAt: 1_766_400_000,
      retryOf: null,
      rootId: run.id,
      retryNumber: 0,
      error: null,
      logsExpired: false,
      logTruncated: false,
      logsBytes: 0,
    });
    expect(run.id).toMatch(/^[0-9a-f]{32}$/);
    expect(await fixture.queue.get(run.id)).toEqual(run);
    expect(await fixture.queue.material(run.id)).toEqual({
      input: '{"ref":"main"}',
      inputIsJson: true,
      definition: newRun().definition,
    });
    expect(await fixture.queue.get('0'.repeat(32))).toBeUndefined();
  });

  it('is forgotten with its lane and definition when the transaction is undone', async () => {
    await expect(fixture.sql.transaction(async (tx) => {
      await fixture.queue.insert(tx, newRun());
      throw new Error('undone');
    })).rejects.toThrow('undone');
    expect(fixture.changes).toEqual([]);
    const run = await fixture.submit();
    await fixture.restart();
    fixture.queue.addWorker(ship);
    await dispatch();
    expect(ship.last.run.id).toBe(run.id);
  });

  it('keeps equal definitions once, and the lineage of retries', async () => {
    const first = await fixture.submit();
    await fixture.queue.cancel(first.id, noAudit);
    const second = await fixture.submit({ retryOf: first });
    const third = await fixture.submit({ retryOf: second });
    expect(third).toMatchObject({ retryOf: second.id, rootId: first.id, retryNumber: 2, attempt: 1 });
    expect(await fixture.sql.all('SELECT id FROM definitions')).toHaveLength(1);
  });
});

describe('handing out', () => {
  it('goes by priority, then by the order of queueing, over all lanes', async () => {
    const low = await fixture.submit({ priority: -1 });
    const first = await fixture.submit({ task: 'one' });
    const second = await fixture.submit({ projectId: 'beta', task: 'two' });
    const third = await fixture.submit({ task: 'one' });
    const high = await fixture.submit({ priority: 5, task: 'three' });
    const order: string[] = [];
    for (let n = 0; n < 5; n++) {
      await dispatch();
      order.push(ship.claims.pop()!.run.id);
    }
    expect(order).toEqual([high.id, first.id, second.id, third.id, low.id]);
  });

  it('assigns a ship only runs for which it has the labels, kinds and keys', async () => {
    await fixture.submit({ runsOn: ['gpu=a', 'os=linux'] });
    await fixture.submit({ kind: 'ai_text', task: 'writer', ...definition({ keyVariable: 'WRITER_KEY' }) });
    await dispatch();
    expect(ship.claims).toEqual([]);
    ship.labels.push('os=linux', 'gpu=b', 'gpu=a');
    handle.wake();
    await dispatch();
    expect(ship.claims.pop()!.run.runsOn).toEqual(['gpu=a', 'os=linux']);
    ship.keyVariables.push('WRITER_KEY');
    handle.wake();
    await dispatch();
    expect(ship.claims.pop()!.run.kind).toBe('ai_text');
    ship.labels.length = 0;
    handle.wake();
    await fixture.submit({ runsOn: ['gpu=a', 'os=linux'] });
    await dispatch();
    expect(ship.claims).toEqual([]);
  });

  it('finds runs that can be assigned behind more that cannot, each once and in order', async () => {
    ship.capacity = 3;
    for (let n = 0; n < 25; n++) await fixture.submit({ priority: 1, runsOn: ['gpu=a'] });
    const behind = [...await fixture.submitInTurn(2), ...await fixture.submitInTurn(2, { task: 'other' })];
    await dispatch();
    expect(ship.claims.map(({ run }) => run.id)).toEqual(behind.slice(0, 3).map(({ id }) => id));
  });

  it('spreads runs over ships by their room', async () => {
    const other = new FakeShip('t', 4);
    ship.capacity = 2;
    fixture.queue.addWorker(other);
    await Promise.all([1, 2, 3, 4].map(() => fixture.submit()));
    await dispatch();
    expect([ship.claims.length, other.claims.length].sort()).toEqual([1, 3]);
  });

  it('waits while a project is disabled, unknown or at its limit, and reports why', async () => {
    ship.capacity = 10;
    const explain = async (id: string) => fixture.queue.explain((await fixture.queue.get(id))!);
    const off = await fixture.submit({ projectId: 'off' });
    const gone = await fixture.submit({ projectId: 'gone' });
    const limited = await fixture.submitInTurn(3, { projectId: 'limited' });
    const labelled = await fixture.submit({ runsOn: ['os=plan9'] });
    await dispatch();
    expect(ship.claims.map(({ run }) => run.projectId)).toEqual(['limited', 'limited']);
    expect(await explain(off.id)).toEqual({ waitingReason: 'project_disabled', labelsMatched: true });
    expect(await explain(gone.id)).toEqual({ waitingReason: 'project_disabled', labelsMatched: true });
    expect(await explain(limited[2]!.id)).toEqual({ waitingReason: 'concurrency', labelsMatched: true });
    expect(await explain(labelled.id)).toEqual({ waitingReason: 'no_matching_ship', labelsMatched: false });
    handle.remove();
    expect(await explain(limited[0]!.id)).toEqual({ waitingReason: null, labelsMatched: true }); // after it was taken
    expect(await explain(limited[2]!.id)).toEqual({ waitingReason: 'no_matching_ship', labelsMatched: false });
    handle = fixture.queue.addWorker(ship);
    fixture.pass(3000);
    const { runs, oldestQueuedSeconds } = await fixture.queue.numbers();
    expect(runs).toEqual(expect.arrayContaining([{ state: 'queued', kind: 'pipeline', count: 4 }, {
      state: 'running',
      kind: 'pipeline',
      count: 2,
    }]));
    expect(oldestQueuedSeconds.toSorted((a, b) => (a.reason < b.reason ? -1 : 1))).toEqual([{
      reason: 'concurrency',
      seconds: 3,
    }, { reason: 'no_matching_ship', seconds: 3 }, { reason: 'project_disabled', seconds: 3 }]);
    fixture.reconfigure(QUEUE_CONFIG.replace(', enabled: false', ''));
    await dispatch();
    expect(ship.last.run.id).toBe(off.id);
  });

  it('reports every other run why it waits', async () => {
    const reason = async (id: string) => fixture.queue.explain((await fixture.queue.get(id))!).waitingReason;
    ship.capacity = 1;
    const [taken, waiting] = [await fixture.submit(), await fixture.submit()];
    expect(await reason(waiting.id)).toBe('starting');
    await dispatch();
    expect(await reason(waiting.id)).toBe('ship_busy');
    expect(await reason(taken.id)).toBeNull();
    ship.doing = 'draining';
    expect(await reason(waiting.id)).toBe('ship_draining');
    ship.doing = 'silent';
    expect(await reason(waiting.id)).toBe('ship_offline');
    ship.doing = undefined;
    await fixture.queue.reject(ship.last.ref, 's', 'unsupported');
    expect([await reason(taken.id), await reason(waiting.id)]).toEqual(['unsupported', 'unsupported']);
    const keyed = await fixture.submit({ kind: 'ai_text', ...definition({ keyVariable: 'NOBODY_HAS_IT' }) });
    expect(await reason(keyed.id)).toBe('unsupported');
    handle.remove();
    expect(await reason(waiting.id)).toBe('no_matching_ship');
    fixture.known.push([]);
    expect(await reason(waiting.id)).toBe('ship_offline');
    handle = fixture.queue.addWorker(ship);
  });

  it('counts what is cancelling against the limit', async () => {
    ship.capacity = 10;
    const runs = await fixture.submitInTurn(3, { projectId: 'limited' });
    await dispatch();
    await fixture.queue.cancel(runs[0]!.id, noAudit);
    await dispatch();
    expect(ship.claims).toHaveLength(2);
    await fixture.queue.complete(ship.claims[0]!.ref, 's', { outcome: 'cancelled', started: true });
    expect(fixture.queue.explain((await fixture.queue.get(runs[2]!.id))!).waitingReason).toBe('starting');
    await dispatch();
    expect(ship.claims).toHaveLength(3);
  });

  it('takes back what a worker was to get that left meanwhile', async () => {
    ship.capacity = 0;
    const leaver = new FakeShip('t');
    const leaving = fixture.queue.addWorker(leaver);
    fixture.queue.onChange(({ run }) => {
      if (run.state === 'running') leaving.remove();
    });
    const { id } = await fixture.submit();
    await dispatch();
    expect(leaver.claims).toEqual([]);
    expect(await fixture.queue.get(id)).toMatchObject({ state: 'queued', attempt: 1, fence: 2 });
  });

  it('leaves a ship alone for a second when it was full, and for 5 minutes with runs that it cannot do', async () => {
    ship.capacity = 2;
    await fixture.submit({ task: 'one' });
    await dispatch();
    await fixture.queue.reject(ship.claims.pop()!.ref, 's', 'full');
    await dispatch();
    expect(ship.claims).toEqual([]);
    fixture.pass(1000);
    await dispatch();
    await fixture.queue.reject(ship.claims.pop()!.ref, 's', 'unsupported');
    await fixture.submit({ task: 'two' });
    await fixture.live(299_000);
    await dispatch();
    expect(ship.claims.splice(0).map(({ run }) => run.task)).toEqual(['two']);
    fixture.pass(1000);
    await dispatch();
    expect(ship.claims.map(({ run, ref }) => [run.task, ref.attempt])).toEqual([['one', 1]]);
  });
});

describe('row 12', () => {
  it('a run that is not accepted within 10 s goes to another ship under the same attempt', async () => {
    const { id } = await fixture.submit();
    await dispatch();
    const late = ship.claims.pop()!.ref;
    await fixture.live(9000);
    expect(await fixture.state(id)).toBe('running');
    await fixture.live(1000);
    expect(await fixture.queue.get(id)).toMatchObject({ state: 'queued', attempt: 1, shipId: null, startedAt: null });
    expect(await fixture.queue.accept(late, 's')).toBe('fenced');
    await dispatch();
    expect(ship.last.ref).toEqual({ runId: id, attempt: 1, fence: late.fence + 2 });
  });
});

describe('ships that come and go', () => {
  it('a ship that comes back keeps the runs it holds under the current fence and must drop the rest', async () => {
    ship.capacity = 3;
    const [kept, stopped, lost] = await fixture.submitInTurn(3);
    await dispatch();
    const refs = new Map(ship.claims.map(({ ref }) => [ref.runId, ref]));
    for (const ref of refs.values()) await fixture.queue.accept(ref, 's');
    await fixture.queue.cancel(stopped!.id, noAudit);
    const stale = { ...refs.get(lost!.id)!, fence: 0 };
    const held = [refs.get(kept!.id)!, refs.get(stopped!.id)!, stale].map((ref) => ({ ref, finished: false }));
    expect((await fixture.queue.resume('s', held)).map(({ action }) => action)).toEqual(['continue', 'stop',
      'discard']);
    expect(await fixture.queue.get(lost!.id)).toMatchObject({ state: 'queued', attempt: 2 });
    expect(fixture.queue.runningOn('s')).toBe(2);
  });

  it('what a revoked ship had goes to others or has failed, and its later calls are fenced off', async () => {
    ship.capacity = 3;
    const runs = [await fixture.submit(), await fixture.submit({ maxAttempts: 1 }), await fixture.submit()];
    await dispatch();
    await fixture.queue.cancel(runs[2]!.id, noAudit);
    await fixture.sql.transaction((tx) => fixture.queue.evict(tx, 's'));
    expect(await Promise.all(runs.map(({ id }) => fixture.state(id)))).toEqual(['queued', 'failed', 'cancelled']);
    expect((await fixture.queue.get(runs[1]!.id))!.error).toMatchObject({ code: 'ship_revoked' });
    for (const { ref } of ship.claims) {
      expect(await fixture.sql.transaction((tx) => fixture.queue.holds(tx, ref, 's'))).toBe(false);
      expect(await fixture.queue.complete(ref, 's', SUCCEEDED)).toBe('fenced');
    }
    expect(fixture.queue.runningOn('s')).toBe(0);
  });

  it("renewing distinguishes the runs that are still the ship's", async () => {
    const { ref } = await taken();
    const stale = { ...ref, fence: ref.fence - 1 };
    expect(await fixture.queue.renew('s', [ref, stale])).toEqual({ renewed: [ref], lost: [stale] });
    expect(await fixture.queue.renew('other', [ref])).toEqual({ renewed: [], lost: [ref] });
    expect(await fixture.queue.renew('s', [])).toEqual({ renewed: [], lost: [] });
  });

  it('a renewed lease lasts its full time from then', async () => {
    const { id, ref } = await taken();
    await fixture.live(40_000);
    await fixture.queue.renew('s', [ref]);
    await fixture.live(59_000);
    expect(await fixture.state(id)).toBe('running');
    await fixture.live(1000);
    expect(await fixture.state(id)).toBe('queued');
  });
});

describe('what is reported', () => {
  it('how long it took to assign a batch, if there was one', async () => {
    const before = fixture.handedOut.length;
    await dispatch();
    expect(fixture.handedOut).toHaveLength(before);
    await fixture.submit();
    await dispatch();
    expect(fixture.handedOut).toEqual([0]);
  });

  it('every change is reported after its commit, in order, with a line in the log of its attempt', async () => {
    const { id, ref } = await taken();
    await fixture.queue.complete(ref, 's', { outcome: 'ship_error', started: true });
    await fixture.queue.cancel(id, noAudit);
    expect(
      fixture.changes.map((
        { from, run, formerShipId, reason },
      ) => [from, run.state, run.attempt, formerShipId, reason]),
    ).toEqual([[null, 'queued', 1, null, undefined], ['queued', 'running', 1, null, undefined], ['running', 'queued', 2,
      's', 'ship_error'], ['queued', 'cancelled', 2, null, 'cancelled']]);
    expect(fixture.lines.map(({ attempt, level }) => [attempt, level])).toEqual([[1, 'info'], [1, 'info'], [1, 'warn'],
      [2, 'info']]);
  });

  it('an audit that fails undoes the cancel, and a listener that fails harms nobody', async () => {
    fixture.queue.onChange(() => {
      throw new Error('a bad listener');
    });
    const { id } = await fixture.submit();
    await expect(fixture.queue.cancel(id, async () => {
      throw new Error('no audit');
    })).rejects.toThrow('no audit');
    expect(await fixture.state(id)).toBe('queued');
    expect(await fixture.queue.cancel(id, noAudit)).toMatchObject({ state: 'cancelled' });
    expect(await fixture.queue.cancel(id, noAudit)).toBeUndefined();
    expect(await fixture.queue.cancel('f'.repeat(32), noAudit)).toBeUndefined();
  });

  it('a line that cannot be written undoes the change with it', async () => {
    const { id, ref } = await taken();
    fixture.failNotes = true;
    await expect(fixture.submit()).rejects.toThrow('the log is gone');
    await expect(fixture.queue.complete(ref, 's', SUCCEEDED)).rejects.toThrow('the log is gone');
    fixture.failNotes = false;
    expect(await fixture.queue.list({}, undefined, 10)).toMatchObject([{ id, state: 'running' }]);
    expect(fixture.changes).toHaveLength(2);
    expect(await fixture.queue.complete(ref, 's', SUCCEEDED)).toBe('recorded');
  });
});

describe('retention', () => {
  it('removes finished runs with all that belongs to them, and nothing else', async () => {
    await fixture.sql.close();
    fixture = await QueueFixture.open({ yaml: `queue: {run_retention: 1d}\n${QUEUE_CONFIG}` });
    fixture.queue.addWorker(ship);
    const old = await Promise.all(Array.from({ length: 120 }, () => fixture.submit(definition({ timeoutMs: 77_000 }))));
    for (const { id } of old) await fixture.queue.cancel(id, noAudit);
    const { id, ref } = await taken(definition({ timeoutMs: 77_000 }));
    fixture.pass(80_000_000);
    await fixture.queue.complete(ref, 's', { ...SUCCEEDED, result: { body: Buffer.from('x'), type: 'text/plain' } });
    const waiting = await fixture.submit();
    await fixture.live(1000);
    expect(await fixture.queue.list({}, undefined, 200)).toHaveLength(122);
    fixture.pass(6_400_000);
    await fixture.live(1000);
    expect((await fixture.queue.list({}, undefined, 100)).map((run) => run.id)).toEqual([waiting.id, id]);
    expect(await fixture.sql.all('SELECT seq FROM run_material')).toHaveLength(2);
    expect(await fixture.sql.all('SELECT id FROM definitions')).toHaveLength(2);
    fixture.pass(80_000_000);
    await fixture.live(1000);
    for (const table of ['run_results', 'attempts'])
      expect(await fixture.sql.all(`SELECT seq FROM ${table}`)).toEqual([]);
    expect(await fixture.sql.all('SELECT id FROM definitions')).toHaveLength(1);
  });
});
