export interface EmbeddingErrorDetails {
  /** True when the same call may succeed later. */
  readonly retryable: boolean;
  /** HTTP status of the provider's answer, where there was one. */
  readonly status?: number | undefined;
  /** How long the provider asked to be left alone, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/**
 * Texts could not be embedded: the provider can't be reached, refused, or gave vectors that are no
 * use. The message is fit for users and logs: it never holds a key.
 */
export class EmbeddingError extends Error {
  /** True when the same call may succeed later: a broken connection, an overload, a cancelled call. */
  readonly retryable: boolean;
  /** HTTP status of the provider's answer; undefined when there was none. */
  readonly status?: number;
  /** How long the provider asked to be left alone, in milliseconds. */
  readonly retryAfterMs?: number;

  constructor(message: string, { retryable, status, retryAfterMs, cause }: EmbeddingErrorDetails) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'EmbeddingError';
    this.retryable = retryable;
    if (status !== undefined) this.status = status;
    if (retryAfterMs !== undefined) this.retryAfterMs = retryAfterMs;
  }
}

/** What a call rejects with whose signal was aborted; the signal's reason is its cause. */
export function cancelled(signal: AbortSignal): EmbeddingError {
  return new EmbeddingError('the embedding was cancelled', { retryable: true, cause: signal.reason });
}

/** What calls reject with once the provider is closed. */
export function closed(): EmbeddingError {
  return new EmbeddingError('the embedding provider is closed', { retryable: true });
}
