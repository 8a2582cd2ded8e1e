import { ServiceError } from '../errors/index.ts';

/**
 * Runs work under a signal that aborts when the client goes or the time is up; in the latter case
 * the answer is 503 at once. What the work had committed stays, but was not acknowledged.
 */
export function withTimeout<T>(milliseconds: number, client: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  if (milliseconds === 0) return work(client ?? NEVER);
  return new Promise((resolve, reject) => {
    const late = new AbortController();
    const timer = setTimeout(() => {
      const error = new ServiceError('busy', `the request took longer than ${milliseconds} ms`, { headers: { 'Retry-After': '1' } });
      late.abort(error);
      reject(error);
    }, milliseconds);
    work(client === undefined ? late.signal : AbortSignal.any([client, late.signal]))
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}

const NEVER = new AbortController().signal;
