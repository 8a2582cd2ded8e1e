export interface EmbeddingErrorDetails {
  /** True when the same call may succeed later. */
  readonly retryable: boolean;
  /** HTTP status of the provider's response, if there was one. */
  readonly status?: number | undefined;
  /** How long the provider asked callers to wait, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/**
 * Texts could not be embedded: the provider cannot be reached, refused the call, or returned unusable vectors. The
 * message may be shown to users and logged: it never contains a key.
 */
export class EmbeddingError extends Error {
  /** True when the same call may succeed later: a broken connection, an overload, a cancelled call. */
  readonly retryable: boolean;
  /** HTTP status of the provider's response; undefined if there was none. */
  readonly status?: number;
  /** How long the provider asked callers to wait, in milliseconds. */
  readonly retryAfterMs?: number;

  constructor(message: string, { retryable, status, retryAfterMs, cause }: EmbeddingErrorDetails) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'EmbeddingError';
    this.retryable = retryable;
    if (status !== undefined) this.status = status;
    if (retryAfterMs !== undefined) this.retryAfterMs = retryAfterMs;
  }
}

/** The error of a call whose signal was aborted; the signal's reason is its cause. */
export function cancelled(signal: AbortSignal): EmbeddingError {
  return new EmbeddingError('the embedding was cancelled', { retryable: true, cause: signal.reason });
}

/** The error of calls after the provider was closed. */
export function closed(): EmbeddingError {
  return new EmbeddingError('the embedding provider is closed', { retryable: true });
}
