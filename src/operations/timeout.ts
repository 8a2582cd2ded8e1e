import { ServiceError } from '../errors/index.ts';

/**
 * Runs work under a signal that aborts when the client goes or the time is up; in the latter case
 * the answer is 503 at once. What the work had committed stays, but was not acknowledged.
 */
export function withTimeout<T>(milliseconds: number, client: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  if (milliseconds === 0) return work(client ?? NEVER);
  return new Promise((resolve, reject) => {
    const over = new AbortController();
    // By hand: `AbortSignal.any` costs several times as much, for each request.
    const leave = (): void => over.abort(client!.reason);
    const timer = setTimeout(() => {
      const error = new ServiceError('busy', `the request took longer than ${milliseconds} ms`, { headers: { 'Retry-After': '1' } });
      over.abort(error);
      reject(error);
    }, milliseconds);
    if (client?.aborted === true) leave();
    else client?.addEventListener('abort', leave, { once: true });
    work(over.signal)
      .then(resolve, reject)
      .finally(() => {
        clearTimeout(timer);
        client?.removeEventListener('abort', leave);
      });
  });
}

const NEVER = new AbortController().signal;
