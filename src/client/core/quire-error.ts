/** The error of a call: a rejection by the service, or the reason why there was no response. */
export class QuireError extends Error {
  /**
   * Stable code: the service's, such as `not_found`, or `timeout`, `network` and `invalid_response` for calls without a
   * response, or with one that cannot be parsed.
   */
  readonly code: string;
  /** HTTP status; 0 if there was no response. */
  readonly status: number;
  /** The id of the request in the server's log; empty if there was no response. */
  readonly requestId: string;
  /** One message for each error, if there are several. */
  readonly fields: readonly string[];
  /** The whole body of the error, for the fields that some codes add. */
  readonly body: unknown;
  /** Milliseconds after which the service asks the client to retry; undefined if it does not say. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, details: QuireErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'QuireError';
    this.code = details.code;
    this.status = details.status ?? 0;
    this.requestId = details.requestId ?? '';
    this.fields = details.fields ?? [];
    this.body = details.body;
    this.retryAfterMs = details.retryAfterMs;
  }
}

export interface QuireErrorDetails {
  readonly code: string;
  readonly status?: number;
  readonly requestId?: string;
  readonly fields?: readonly string[];
  readonly body?: unknown;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

interface ErrorBody {
  /** A text, or an object with a code and optionally a message (run queue). */
  readonly error?: string | { readonly code?: string; readonly message?: string };
  readonly code?: string;
  readonly requestId?: string;
  readonly errors?: readonly string[];
}

/** The error for a response that is not a success, from its parsed body: an object, or a text that is not JSON. */
export function refusal(body: unknown, response: Response): QuireError {
  const { error, code, requestId, errors } = (typeof body === 'object' && body !== null ? body : {}) as ErrorBody;
  const nested = typeof error === 'object' ? error : undefined;
  const known = code ?? nested?.code ?? `http_${response.status}`;
  const message = nested?.message ?? (typeof error === 'string' ? error : undefined) ??
    (nested?.code === undefined ? `the server returned ${response.status}` : nested.code.replaceAll('_', ' '));
  return new QuireError(message, {
    code: known,
    status: response.status,
    requestId: requestId ?? response.headers.get('x-request-id') ?? '',
    fields: Array.isArray(errors) ? errors : [],
    body,
    retryAfterMs: retryAfter(response.headers.get('retry-after')),
  });
}

/** Milliseconds of a `Retry-After` header, which contains seconds or a date. */
export function retryAfter(value: string | null, now = Date.now()): number | undefined {
  if (value === null) return undefined;
  const seconds = Number(value);
  const ms = value.trim() !== '' && Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - now;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
