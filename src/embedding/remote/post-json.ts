import type { Timer } from '../../lib/clock.ts';
import { retryAfter } from '../../lib/headers.ts';
import { RefusedRequest } from '../../net/index.ts';
import { cancelled, EmbeddingError } from '../provider.ts';

/** The address of a provider, and its secrets. */
interface Endpoint {
  /** The URL of a path under the base URL, without credentials. */
  readonly urlOf: (path: string) => string;
  /** The part of the base URL that error messages may show. */
  readonly shown: string;
  readonly authorization: string | undefined;
  readonly secrets: readonly string[];
}

/**
 * Parses a base URL. A user name and password in it are sent as basic authentication, because `fetch` refuses such
 * URLs. A key is sent as a bearer token instead, if there is one. A query string is added to every path.
 */
export function endpoint(baseUrl: string, apiKey: string | undefined): Endpoint {
  const base = new URL(baseUrl);
  const user = decoded(base.username);
  const password = base.password === '' ? undefined : decoded(base.password);
  const rawPassword = base.password === '' ? undefined : base.password;
  // shorter values are versions and similar
  const tokens = [...base.searchParams.values()].filter((value) => value.length >= 8);
  const basic = user === '' && password === undefined
    ? undefined
    : Buffer.from(`${user}:${password ?? ''}`).toString('base64');
  base.username = '';
  base.password = '';
  base.hash = '';
  const root = base.pathname.replace(/\/+$/, '');
  const authorization = apiKey !== undefined ? `Bearer ${apiKey}` : basic === undefined ? undefined : `Basic ${basic}`;
  return {
    urlOf: (path) => Object.assign(new URL(base), { pathname: root + path }).href,
    shown: `${base.origin}${root}`,
    authorization,
    secrets: [apiKey, basic, password, rawPassword, ...tokens].filter((secret) => secret !== undefined),
  };
}

/** Invalid percent-encoding is left unchanged. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Longer delays requested by a provider are shortened to this, in milliseconds. */
const MAX_RETRY_AFTER_MS = 60_000;

/** Time limit for one attempt, including its body (decisions, section 4.3). */
export const ATTEMPT_MS = 30_000;
const MAX_ERROR_BYTES = 64 * 1024;

interface JsonRequest {
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

/**
 * Reads a body as text. Returns undefined, and leaves the rest unread, if it has more than the given number of bytes.
 */
async function readBody(response: Response, maxBytes: number): Promise<string | undefined> {
  if (response.body === null) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.length;
    if (bytes > maxBytes) return undefined; // leaving the loop cancels the stream
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks)); // removes a byte order mark
}

/** Maximum number of bytes of a provider's text that an error repeats (decisions, section 4.3). */
const MAX_BYTES = 512;

// Text that looks like a credential of another party: a proxy's token, or a key that the provider has masked.
const CREDENTIALS = /\b(?:bearer|basic)\s+[\w.~+/=*-]{16,}|\b(?:sk|pa)-[\w*.-]{12,}/gi;

/**
 * A provider's message, made fit for an error: on one line, without credentials, at most 512 bytes of UTF-8. `secrets`
 * are replaced before truncation, which could otherwise leave half of one.
 */
export function providerText(text: string, secrets: readonly string[]): string {
  let safe = text;
  for (const secret of secrets) if (secret !== '') safe = safe.replaceAll(secret, '[redacted]');
  return cut(safe.replace(CREDENTIALS, '[redacted]').replace(/[\s\p{Cc}]+/gu, ' ').trim());
}

function cut(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= MAX_BYTES) return text;
  const ellipsis = '…';
  let end = MAX_BYTES - Buffer.byteLength(ellipsis);
  while ((bytes[end]! & 0xc0) === 0x80) end--; // never within a character
  return bytes.toString('utf8', 0, end) + ellipsis;
}

/**
 * Extracts the message from an error body in any of the usual forms: `{error: {message}}`, `{error}`, `{detail}`,
 * `{message}`, or plain text.
 */
export function messageOf(body: string): string {
  try {
    const { error, detail, message } = JSON.parse(body) as Record<string, unknown>;
    const nested = (error as { message?: unknown } | undefined)?.message;
    const found = [nested, error, detail, message].find((value) => typeof value === 'string');
    return found ?? body;
  } catch {
    return body;
  }
}
