import { retryAfter } from '../../lib/headers.ts';
import { RefusedRequest } from '../../lib/refused-request.ts';
import type { Timer } from '../../lib/timer.ts';
import { cancelled, EmbeddingError } from '../embedding-error.ts';
import { messageOf, providerText } from '../provider-text.ts';
import type { Endpoint } from './endpoint.ts';
import { readBody } from './read-body.ts';

/** Longer delays requested by a provider are shortened to this, in milliseconds. */
const MAX_RETRY_AFTER_MS = 60_000;

/** Time limit for one attempt, including its body (decisions, section 4.3). */
export const ATTEMPT_MS = 30_000;
const MAX_ERROR_BYTES = 64 * 1024;

export interface JsonRequest {
  /** Relative to the base URL. */
  readonly path: string;
  readonly body: object;
  /** Reading stops if the response is longer. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

export interface Sender {
  /** For error messages. */
  readonly provider: string;
  readonly endpoint: Endpoint;
  readonly fetch: typeof fetch;
  readonly timer: Timer;
}

/**
 * One attempt: returns the JSON of a response with a success status. Rejects with EmbeddingError for everything else.
 */
export async function postJson(sender: Sender, request: JsonRequest): Promise<unknown> {
  const timeout = new AbortController();
  const finished = new AbortController();
  void sender.timer.sleep(ATTEMPT_MS, finished.signal).then(() => timeout.abort());
  try {
    return await attempt(sender, request, AbortSignal.any([request.signal, timeout.signal]));
  } catch (error) {
    if (request.signal.aborted) throw cancelled(request.signal);
    if (error instanceof EmbeddingError) throw error;
    const { provider, endpoint } = sender;
    if (error instanceof RefusedRequest)
      throw new EmbeddingError(
        `the embedding provider ${provider} at ${endpoint.shown} can't be called: ${error.message}`,
        { retryable: error.rule === 'time' },
      );
    if (timeout.signal.aborted)
      throw new EmbeddingError(
        `the embedding provider ${provider} at ${endpoint.shown} did not answer within ${ATTEMPT_MS / 1000} s`,
        { retryable: true },
      );
    throw new EmbeddingError(
      `the embedding provider ${provider} at ${endpoint.shown} can't be reached: ${
        providerText(reason(error), endpoint.secrets)
      }`,
      { retryable: true },
    );
  } finally {
    finished.abort();
  }
}

async function attempt(sender: Sender, request: JsonRequest, signal: AbortSignal): Promise<unknown> {
  const { endpoint, provider } = sender;
  const response = await sender.fetch(endpoint.urlOf(request.path), {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json',
      ...(endpoint.authorization === undefined ? {} : { Authorization: endpoint.authorization }),
    },
    body: JSON.stringify(request.body),
    redirect: 'manual', // following it would change the POST to a GET, or send the key to another server
    signal,
  });
  if (!response.ok) throw await refusal(sender, response);
  const type = response.headers.get('Content-Type');
  if (type !== null && !/^(?:application|text)\/(?:[\w.-]+\+)?json\b/i.test(type)) {
    await response.body?.cancel();
    throw new EmbeddingError(
      `the embedding provider ${provider} at ${endpoint.shown} answered ${
        providerText(type, endpoint.secrets)
      } instead of JSON: is the URL right?`,
      { retryable: true, status: response.status },
    );
  }
  const body = await readBody(response, request.maxBytes);
  if (body === undefined)
    throw new EmbeddingError(`the embedding provider ${provider} answered more than ${request.maxBytes} bytes`, {
      retryable: false,
      status: response.status,
    });
  return parse(body, sender, response.status);
}

function parse(body: string, { provider }: Sender, status: number): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new EmbeddingError(`the embedding provider ${provider} answered broken JSON of ${body.length} characters`, {
      retryable: true,
      status,
    });
  }
}

async function refusal({ provider, endpoint }: Sender, response: Response): Promise<EmbeddingError> {
  const { status, headers } = response;
  const said = (await readBody(response, MAX_ERROR_BYTES).catch(() => '')) ?? '';
  const location = status >= 300 && status < 400 ? headers.get('Location') : null;
  const text = location === null
    ? messageOf(said)
    : `it redirects to ${location}; set the URL to where the provider is`;
  const shown = providerText(text, endpoint.secrets);
  return new EmbeddingError(`the embedding provider ${provider} answered ${status}${shown === '' ? '' : `: ${shown}`}`,
    {
      retryable: status >= 500 || status === 408 || status === 429,
      status,
      retryAfterMs: status === 429 || status === 503 ? shortened(retryAfter(headers)) : undefined,
    });
}

function shortened(delay: number | undefined): number | undefined {
  return delay === undefined ? undefined : Math.min(MAX_RETRY_AFTER_MS, delay);
}

/** `fetch` says only "fetch failed"; its cause has the reason. */
function reason(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  return cause.message || String((cause as NodeJS.ErrnoException).code ?? cause.name);
}
