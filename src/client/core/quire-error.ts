/** What a call failed with: a refusal of the service, or what kept it from being answered. */
export class QuireError extends Error {
  /**
   * Stable code: that of the service, such as `not_found`, or `timeout`, `network` and `invalid_response` for calls that
   * got no answer or one that cannot be read.
   */
  readonly code: string;
  /** HTTP status; 0 where there was no answer. */
  readonly status: number;
  /** Under which the server's log has the request; empty where there was no answer. */
  readonly requestId: string;
  /** One message for each thing that is wrong, where there are several. */
  readonly fields: readonly string[];
  /** The whole body of the error, for the fields that some codes add. */
  readonly body: unknown;
  /** Milliseconds after which the service asks to try again; undefined where it does not say. */
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
  /** A text, or an object with a code and perhaps a message (run queue). */
  readonly error?: string | { readonly code?: string; readonly message?: string };
  readonly code?: string;
  readonly requestId?: string;
  readonly errors?: readonly string[];
}

/** The error of an answer that is a refusal, by its body as it was read: an object, or a text that is no JSON. */
export function refusal(body: unknown, response: Response): QuireError {
  const { error, code, requestId, errors } = (typeof body === 'object' && body !== null ? body : {}) as ErrorBody;
  const nested = typeof error === 'object' ? error : undefined;
  const known = code ?? nested?.code ?? `http_${response.status}`;
  const message = nested?.message ?? (typeof error === 'string' ? error : undefined) ?? (nested?.code === undefined ? `the server answered ${response.status}` : nested.code.replaceAll('_', ' '));
  return new QuireError(message, {
    code: known,
    status: response.status,
    requestId: requestId ?? response.headers.get('x-request-id') ?? '',
    fields: Array.isArray(errors) ? errors : [],
    body,
    retryAfterMs: retryAfter(response.headers.get('retry-after')),
  });
}

/** Milliseconds of a `Retry-After`, in seconds or as a date. */
export function retryAfter(value: string | null, now = Date.now()): number | undefined {
  if (value === null) return undefined;
  const seconds = Number(value);
  const ms = value.trim() !== '' && Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - now;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
