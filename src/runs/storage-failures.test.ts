import { describe, expect, it } from 'vitest';
import { errorOf as toServiceError, nestedErrors } from '../api/http/errors.ts';
import { ServiceError } from '../errors/index.ts';
import type { Call, OperationSpec } from '../operations/index.ts';
import { storeStep, toStorageFailure } from './storage-failures.ts';

const medium = (errcode: number) =>
  new ServiceError('unavailable', 'the database failed', { cause: Object.assign(new Error('x'), { errcode }) });

describe('a failure of the store', () => {
  it.each([5, 6, 14, 261])('that may pass is storage_unavailable, with the time to come back (SQLite %i)',
    (errcode) => {
      expect(toStorageFailure(medium(errcode), 'enqueue_failed')).toMatchObject({
        code: 'storage_unavailable',
        headers: { 'Retry-After': '1' },
      });
    });

  it.each([7, 8, 10, 11, 13, 26, 266, 778])('that lasts keeps the code of what was done (SQLite %i)', (errcode) => {
    expect(toStorageFailure(medium(errcode), 'enqueue_failed')).toMatchObject({ code: 'enqueue_failed' });
    expect(toStorageFailure(medium(errcode), 'storage_failed')).toMatchObject({ code: 'storage_failed' });
  });

  it('of a database that is closed may pass: the service is about to stop', () => {
    expect(toStorageFailure(new ServiceError('unavailable', 'the database is closed'), 'storage_failed')).toMatchObject(
      { code: 'storage_unavailable' },
    );
  });

  it('is not what a handler says on purpose', () => {
    const error = new ServiceError('run_not_found', 'no');
    expect(toStorageFailure(error, 'storage_failed')).toBe(error);
  });
});

describe('what nobody expected', () => {
  const mistake = new TypeError('ours');

  it('is no failure of the store, unless it kept a run from being queued', () => {
    expect(toStorageFailure(mistake, 'storage_failed')).toBe(mistake);
    expect(toStorageFailure(mistake, 'enqueue_failed')).toMatchObject({ code: 'enqueue_failed', cause: mistake });
  });

  it('returns 500 internal, and reveals nothing of itself', () => {
    const error = toServiceError(mistake, nestedErrors);
    expect([error.status, nestedErrors.body(error, 'r')]).toEqual([500, { error: { code: 'internal' } }]);
  });
});

describe('the step of calls that use the store', () => {
  const seen: string[] = [];
  let accepting = true;
  const step = storeStep({ accepting: () => accepting, onFailure: ({ code }) => void seen.push(code) });
  const call = { context: { signal: new AbortController().signal } } as unknown as Call;
  const failing = (error: unknown) =>
    step.run(call, async () => {
      throw error;
    });

  it('reports each failure once, and leaves our own mistakes alone', async () => {
    const mistake = new TypeError('ours');
    await expect(failing(medium(11))).rejects.toMatchObject({ code: 'storage_failed' });
    await expect(failing(new ServiceError('run_not_found', 'no'))).rejects.toMatchObject({ code: 'run_not_found' });
    await expect(failing(mistake)).rejects.toBe(mistake);
    expect(seen.splice(0)).toEqual(['storage_failed']);
  });

  it('does not count a call that took too long', async () => {
    const late = new ServiceError('busy', 'the request took too long');
    const over = { context: { signal: AbortSignal.abort(late) } } as unknown as Call;
    await expect(step.run(over, () => Promise.reject(late))).rejects.toBe(late);
    expect(seen).toEqual([]);
  });

  it('refuses calls until the service is ready, but no probes', async () => {
    accepting = false;
    await expect(step.run(call, async () => 'done')).rejects.toMatchObject({ code: 'storage_unavailable' });
    expect(step.appliesTo!({ probe: 'node' } as OperationSpec)).toBe(false);
    expect(step.appliesTo!({} as OperationSpec)).toBe(true);
  });
});
