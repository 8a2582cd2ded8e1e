import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ServiceError } from '../../errors/index.ts';
import { FakeShip, newRun, QueueFixture } from '../../testkit/runs-queue.ts';
import type { Completion, NewRun, RunRef, WorkCode } from './port.ts';

let fixture: QueueFixture;
let ship: FakeShip;
const SUCCEEDED: Completion = { outcome: 'succeeded', started: true };
const failure = (code: WorkCode, message = 'no'): Completion => ({
  outcome: 'failed',
  started: true,
  error: { code, message, step: 'test', exitCode: 3, signal: null },
});

beforeEach(async () => {
  fixture = await QueueFixture.open();
  ship = new FakeShip('s');
  fixture.queue.addWorker(ship);
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

describe('how attempts end', () => {
  it('a failure is final, with all that the ship said', async () => {
    const { id, ref } = await taken();
    await fixture.queue.complete(ref, 's', failure('step_failed', 'x'.repeat(3000)));
    const { error, state, finishedAt } = (await fixture.queue.get(id))!;
    expect({ state, finishedAt }).toEqual({ state: 'failed', finishedAt: 1_766_400_000 });
    expect(error).toMatchObject({
      code: 'step_failed',
      attempt: 1,
      step: 'test',
      exit_code: 3,
      signal: null,
      retryable: false,
    });
    expect(error!.message).toHaveLength(2000);
  });

  it.each(
    [['pipeline', undefined, 'step_failed'], ['diagnostic', undefined, 'diagnostic_failed'], ['ai_text', undefined,
      'model_error'], ['ai_text', 'model_timeout', 'model_timeout']] as const,
  )('a failed %s whose ship says %s has the code %s', async (kind, said, code) => {
    const { id, ref } = await taken({ kind, task: 'x' });
    await fixture.queue.complete(ref, 's', said === undefined ? { outcome: 'failed', started: true } : failure(said));
    const { error } = (await fixture.queue.get(id))!;
    expect(error!.code).toBe(code);
    expect(error!.retryable).toBe(code.startsWith('model_')); // the cause is outside the work
  });

  it('retry.on gives further attempts to the kinds of failure that it names, up to the limit', async () => {
    const { id, ref } = await taken({ maxAttempts: 2, ...definition({ retryOn: ['step_failed'] }) });
    await fixture.queue.complete(ref, 's', {
      ...failure('step_failed'),
      result: { body: Buffer.from('old'), type: 'text/plain' },
    });
    expect(await fixture.queue.get(id)).toMatchObject({ state: 'queued', attempt: 2, error: null });
    expect(fixture.queue.explain((await fixture.queue.get(id))!)).toEqual({
      waitingReason: 'backoff',
      labelsMatched: true,
    });
    await fixture.live(5000);
    await dispatch();
    await fixture.queue.complete(ship.claims.pop()!.ref, 's', failure('step_failed'));
    expect(await fixture.queue.get(id)).toMatchObject({ state: 'failed', attempt: 2 });
    expect(await fixture.queue.result(id)).toBeUndefined(); // not the result of the attempt before
  });

  it('a returned run keeps its attempt before its first step, and has used it afterwards', async () => {
    const { id, ref } = await taken();
    await fixture.queue.complete(ref, 's', { outcome: 'returned', started: false });
    expect(await fixture.queue.get(id)).toMatchObject({ state: 'queued', attempt: 1, availableMs: 0 });
    await dispatch();
    await fixture.queue.complete(ship.claims.pop()!.ref, 's', { outcome: 'returned', started: true });
    expect(await fixture.queue.get(id)).toMatchObject({ state: 'queued', attempt: 2 });
  });

  it('a ship that says cancelled without having been asked is at fault itself', async () => {
    const { id, ref } = await taken({ maxAttempts: 1 });
    await fixture.queue.complete(ref, 's', { outcome: 'cancelled', started: true });
    expect(await fixture.queue.get(id)).toMatchObject({
      state: 'failed',
      error: { code: 'ship_error', retryable: true },
    });
  });

  it('a ship that does not keep the time of an attempt is overruled a minute later', async () => {
    const { id, ref } = await taken(definition({ timeoutMs: 30_000 }));
    const renewing = async () => {
      await fixture.queue.renew('s', [ref]);
      await fixture.live(29_000);
    };
    for (let n = 0; n < 3; n++) await renewing();
    expect(await fixture.state(id)).toBe('running');
    await fixture.live(4000);
    expect(await fixture.queue.get(id)).toMatchObject({ state: 'failed', error: { code: 'timeout' } });
    expect(await fixture.queue.complete(ref, 's', SUCCEEDED)).toBe('fenced');
  });

  it('a run that cannot be dealt with holds up no other', async () => {
    const runs = [await fixture.submit({ projectId: 'off' }), await fixture.submit({ projectId: 'off' })];
    fixture.failNotesOf = runs[0]!.id;
    fixture.pass(86_400_000);
    await fixture.parts.tick();
    expect(await Promise.all(runs.map(({ id }) => fixture.state(id)))).toEqual(['queued', 'failed']);
    for (let n = 0; n < 60; n++) await fixture.submit({ projectId: 'off' });
    fixture.pass(86_400_000);
    fixture.failNotes = true;
    await fixture.parts.tick(); // ends
    fixture.failNotes = false;
    fixture.failNotesOf = undefined;
    await fixture.parts.tick();
    expect(await fixture.state(runs[0]!.id)).toBe('failed');
  });

  it.each([['an error', new Error('the log is gone')], ['a refusal',
    new ServiceError('not_found', 'the log is gone')]])(
      'an end that cannot be recorded because of %s holds up no other that is written with it',
      async (_, error) => {
        fixture.noteFailure = error;
        const held = [await taken(), await taken(), await taken()];
        fixture.failNotesOf = held[1]!.id;
        const ended = await Promise.allSettled(held.map(({ ref }) => fixture.queue.complete(ref, 's', SUCCEEDED)));
        expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
        expect(await Promise.all(held.map(({ id }) => fixture.state(id)))).toEqual(['succeeded', 'running',
          'succeeded']);
        fixture.failNotesOf = undefined;
        expect(await fixture.queue.complete(held[1]!.ref, 's', SUCCEEDED)).toBe('recorded');
      },
    );

  it('ends that arrive together are each judged: succeeded, failed, fenced, and one that is repeated', async () => {
    const held = [await taken(), await taken({ maxAttempts: 1 }), await taken(), await taken()];
    const [first, second, third, fourth] = held.map(({ ref }) => ref) as [RunRef, RunRef, RunRef, RunRef];
    const ended = await Promise.all([
      fixture.queue.complete(fourth, 's', SUCCEEDED), // goes alone
      fixture.queue.complete(first, 's', SUCCEEDED),
      fixture.queue.complete(second, 's', { outcome: 'failed', started: true }),
      fixture.queue.complete(first, 's', SUCCEEDED),
      fixture.queue.complete(third, 'another ship', SUCCEEDED),
      fixture.queue.complete({ ...third, fence: third.fence + 1 }, 's', SUCCEEDED),
    ]);
    expect(ended).toEqual(['recorded', 'recorded', 'recorded', 'already_recorded', 'fenced', 'fenced']);
    expect(await Promise.all(held.map(({ id }) => fixture.state(id)))).toEqual(['succeeded', 'failed', 'running',
      'succeeded']);
  });

  it('a run that waits for a day has failed, wherever it waits', async () => {
    const run = await fixture.submit({ projectId: 'off' });
    fixture.pass(86_399_999);
    await fixture.parts.tick();
    expect(await fixture.state(run.id)).toBe('queued');
    fixture.pass(1);
    await fixture.parts.tick();
    expect(await fixture.queue.get(run.id)).toMatchObject({
      state: 'failed',
      error: { code: 'queue_timeout', attempt: 1 },
    });
  });

  it.each([['{"score": 69.5, "text": "x"}', 'failed'], ['{"score": 70}', 'succeeded'], ['{"text": "x"}', 'failed'], [
    'prose',
    'failed',
  ], ['{"score": "low"}', 'failed']])('content %s where 70 is asked for has %s', async (content, state) => {
    const { id, ref } = await taken({ kind: 'ai_text', task: 'writer', ...definition({ minScore: 70 }) });
    const body = Buffer.from(JSON.stringify({ content, model: 'm' }));
    await fixture.queue.complete(ref, 's', {
      ...SUCCEEDED,
      result: { body, type: 'application/vnd.quire.result+json' },
    });
    expect(await fixture.state(id)).toBe(state);
    expect((await fixture.queue.get(id))!.error?.code).toBe(state === 'failed' ? 'score_below_minimum' : undefined);
    expect(Buffer.from((await fixture.queue.result(id))!.body).equals(body)).toBe(true);
  });

  it('content without a score succeeds where none is asked for', async () => {
    const { id, ref } = await taken({ kind: 'ai_text', task: 'writer', ...definition({ minScore: 0 }) });
    await fixture.queue.complete(ref, 's', {
      ...SUCCEEDED,
      result: {
        body: Buffer.from(JSON.stringify({ content: 'prose', model: 'm' })),
        type: 'application/vnd.quire.result+json',
      },
    });
    expect(await fixture.state(id)).toBe('succeeded');
  });

  it('what the log knows of an attempt starts over with the next one', async () => {
    const { id, ref } = await taken();
    await fixture.sql.transaction((tx) =>
      tx.run('UPDATE runs SET log_truncated = 1, logs_expired = 1, logs_bytes = 9 WHERE id = ?', [id])
    );
    await fixture.queue.complete(ref, 's', { outcome: 'ship_error', started: true });
    expect(await fixture.queue.get(id)).toMatchObject({ logTruncated: false, logsExpired: false, logsBytes: 9 });
  });
});
