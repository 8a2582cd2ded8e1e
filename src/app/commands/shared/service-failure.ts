import { QuireError } from '../../../client/core/quire-error.ts';
import { type Backoff, backoffDelay, systemTimer, type Timer } from '../../../lib/clock.ts';
import { retryAfter } from '../../../lib/headers.ts';
import { PROGRAM, START_DOCS } from './io.ts';

/** The service rejected the request, or could not be reached. The message is for the user. */
export class ServiceFailure extends Error {
  /** The HTTP status; undefined if there was no complete response. */
  readonly status: number | undefined;
  /** The delay of `Retry-After`, in milliseconds. */
  readonly retryAfter: number | undefined;

  constructor(message: string, status?: number, retryAfter?: number, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ServiceFailure';
    this.status = status;
    this.retryAfter = retryAfter;
  }

  /** Whether the same request may succeed later: no response, too many requests, or busy (contract, section 7). */
  get transient(): boolean {
    return this.status === undefined || [429, 502, 503, 504].includes(this.status);
  }
}

/** Hints for the most common failures. */
export interface Advice {
  /** The command that starts the service. */
  readonly start: string;
  /** What is missing if the status is 401. */
  readonly credential: string;
}

const DOCS: Advice = {
  start: START_DOCS,
  credential: `give a key with --api-key or QUIRE_API_KEY, or sign in with \`${PROGRAM} login\``,
};

/** The result of a function of the generated SDK, as far as it is needed here. */
export interface SdkAnswer<T> {
  readonly data?: T | undefined;
  readonly error?: unknown;
  /** Absent if no connection was made. */
  readonly response?: Response | undefined;
}

/**
 * Returns the data and the response of an SDK call.
 * @throws {ServiceFailure} for every status except success, and if there was no complete response.
 */
export async function answered<T>(url: string, call: Promise<SdkAnswer<T>>,
  advice: Advice = DOCS): Promise<{ data: T; response: Response }>
{
  const { data, error, response } = await call;
  if (response === undefined) throw unreachable(url, error, advice);
  if (response.ok && error === undefined) return { data: data as T, response };
  // A success whose body was cut off is a lost connection, not a response.
  if (response.ok)
    throw new ServiceFailure(`the response of ${url} broke off: ${reasonOf(error)}`, undefined, undefined, {
      cause: error,
    });
  throw new ServiceFailure(describeRefusal(response.status, error, advice), response.status,
    retryAfter(response.headers));
}

/** The same failure for errors of the client package. Other errors are returned unchanged. */
export function failureOf(url: string, error: unknown, advice: Advice = DOCS): unknown {
  if (!(error instanceof QuireError)) return error;
  if (error.code === 'network') return unreachable(url, error.cause ?? error, advice);
  if (error.status === 0) return new ServiceFailure(`${url}: ${error.message}`, undefined, undefined, { cause: error });
  if (error.code === 'invalid_response')
    return new ServiceFailure(`the response of ${url} cannot be read`, undefined, undefined, { cause: error });
  return new ServiceFailure(describeRefusal(error.status, error.body, advice), error.status, error.retryAfterMs, {
    cause: error,
  });
}

function unreachable(url: string, error: unknown, { start }: Advice): ServiceFailure {
  const message = `cannot reach ${url}: is it running? start it with \`${start}\`, or give its address with --url (${
    reasonOf(error)
  })`;
  return new ServiceFailure(message, undefined, undefined, { cause: error });
}

/** The code of a system error such as `ECONNREFUSED`, which `fetch` hides in the cause; otherwise the message. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as { cause?: { code?: unknown; message?: unknown }; message?: unknown };
  return String(cause?.code ?? cause?.message ?? message ?? error);
}

/**
 * The message of an error body `{error, errors?}` or `{error: {code, message?}}`, or any other text that was received.
 */
function describeRefusal(status: number, body: unknown, { credential }: Advice): string {
  const { error, errors } = body as { error?: unknown; errors?: unknown };
  const text = typeof error === 'string' ? error : typeof body === 'string' ? body.trim().slice(0, 500) : nested(error);
  const details = Array.isArray(errors) ? errors.map((each) => `\n  ${String(each)}`).join('') : '';
  const advice = status === 401 ? ` (${credential})` : '';
  return `the service returned ${status}${text === '' ? '' : `: ${text}`}${advice}${details}`;
}

function nested(error: unknown): string {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  return [code, message].filter((part) => typeof part === 'string').join(': ');
}

export interface RetryPolicy {
  /** Most attempts; 1 never retries. */
  readonly attempts: number;
  readonly backoff: Backoff;
  readonly timer: Timer;
  /** Once aborted, a failure is final: there is no wait and no further attempt. */
  readonly signal?: AbortSignal;
  readonly random?: () => number;
}

/** Half a minute in total: long enough for a restart of the service. */
export const DEFAULT_RETRIES: RetryPolicy = {
  attempts: 8,
  backoff: { initial: 250, max: 8000 },
  timer: systemTimer,
};

// The longest pause, even if the service asks for a longer one.
const MAX_PAUSE = 60_000;

/**
 * Retries until the work succeeds, fails for good, or has been tried often enough; then the last failure is thrown.
 * Only transient failures of the service are retried, after the backoff or the delay that the service requested,
 * whichever is longer. The work must be safe to repeat: a request whose response was lost may have been carried out.
 */
export async function withRetries<T>(work: () => Promise<T>, policy: RetryPolicy): Promise<T> {
  for (let failures = 1;; failures++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ServiceFailure) || !error.transient) throw error;
      if (failures >= policy.attempts || policy.signal?.aborted) throw error;
      const pause = Math.max(backoffDelay(failures, policy.backoff, policy.random), error.retryAfter ?? 0);
      await policy.timer.sleep(Math.min(pause, MAX_PAUSE), policy.signal);
      if (policy.signal?.aborted) throw error;
    }
  }
}
