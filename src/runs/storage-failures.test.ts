import { describe, expect, it } from 'vitest';
import { nestedErrors, toServiceError } from '../api/http/errors.ts';
import { ServiceError } from '../errors/index.ts';
import { answeringFailures, toStorageFailure } from './storage-failures.ts';

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

describe('handlers that return failures', () => {
  it('report each failure once, and leave our own mistakes alone', async () => {
    const seen: string[] = [];
    const options = { accepting: () => true, onFailure: (error: ServiceError) => void seen.push(error.code) };
    const mistake = new TypeError('ours');
    const { work } = answeringFailures({
      work: async (error: unknown): Promise<number> => {
        throw error;
      },
    }, options);
    await expect(work(medium(11))).rejects.toMatchObject({ code: 'storage_failed' });
    await expect(work(new ServiceError('run_not_found', 'no'))).rejects.toMatchObject({ code: 'run_not_found' });
    await expect(work(mistake)).rejects.toBe(mistake);
    expect(seen).toEqual(['storage_failed']);
  });
});
