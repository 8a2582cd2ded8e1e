import { ServiceError } from '../errors/index.ts';
import type { Step } from '../operations/index.ts';

/** Seconds after which trying again makes sense (decisions, section 2.10). */
const RETRY_AFTER = { 'Retry-After': '1' };

/** SQLite's primary result codes of a store that needs repair. */
const LASTING: ReadonlySet<number> = new Set([7, 8, 10, 11, 13, 26]);

/** 503: the store is unreachable or busy, or the server starts or stops. */
export function storageUnavailable(reason: string, cause?: unknown): ServiceError {
  return new ServiceError('storage_unavailable', reason, { headers: RETRY_AFTER, cause });
}

/**
 * The one place where failures of the store get their error codes of the run-queue service (decisions, section 2.10).
 * Temporary failures become `storage_unavailable`; others, such as a full disk or a damaged file, become `code`. Errors
 * that a handler threw on purpose are not changed, and neither are unexpected errors, unless `code` says what was not
 * done, whatever the reason: `enqueue_failed`.
 */
export function toStorageFailure(thrown: unknown, code: 'storage_failed' | 'enqueue_failed'): unknown {
  if (thrown instanceof ServiceError) {
    if (thrown.code !== 'unavailable' && thrown.code !== 'busy') return thrown;
    if (!isLasting(thrown.cause)) return storageUnavailable(thrown.message, thrown);
  } else if (code === 'storage_failed') {
    return thrown;
  }
  // Responses may show the message; the cause is for the log.
  return new ServiceError(code, 'the store could not be read or written', { cause: thrown });
}

function isLasting(cause: unknown): boolean {
  const code = cause instanceof Error && 'errcode' in cause ? cause.errcode : undefined;
  return typeof code === 'number' && LASTING.has(code & 0xff);
}

/** True if the store itself cannot be used now: nothing can be written to it. */
export function isStoreDown(error: unknown): boolean {
  return error instanceof ServiceError && (error.code === 'unavailable' || error.code === 'busy');
}

/** True if the error is about the store, not about the request. */
export function isStorageFailure(error: unknown): boolean {
  return error instanceof ServiceError && STORAGE_CODES.has(error.code);
}

const STORAGE_CODES: ReadonlySet<string> = new Set(['storage_failed', 'storage_unavailable', 'enqueue_failed']);

interface StoreOptions {
  /** False while the service starts and from the moment it is told to stop. */
  readonly accepting: () => boolean;
  /** Called for each failure of the store; must not throw. */
  readonly onFailure: (error: ServiceError) => void;
}

/**
 * The step of the pipeline that gives failures of the store its codes, and refuses calls while the service is not
 * ready. Probes take no part in it: they report the state of the store themselves.
 */
export function storeStep({ accepting, onFailure }: StoreOptions): Step {
  return {
    appliesTo: ({ probe }) => probe === undefined,
    async run(call, next) {
      if (!accepting()) throw storageUnavailable('the server is starting or stopping');
      try {
        return await next(call);
      } catch (thrown) {
        // The time of the call is over, which need not be due to the store.
        if (thrown === call.context?.signal.reason) throw thrown;
        // Anything else is a bug of ours, which the adapter reports.
        const error = toStorageFailure(thrown, 'storage_failed');
        if (isStorageFailure(error)) onFailure(error as ServiceError);
        throw error;
      }
    },
  };
}
