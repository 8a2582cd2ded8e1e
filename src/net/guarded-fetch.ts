import type { Dispatcher, RequestInit as SendInit, Response as Answer } from 'undici';
import type { Timer } from '../lib/clock.ts';
import { currentTracing, type OpenSpan, type SpanStart } from '../lib/tracing.ts';
import { checkUrl, undici } from './guarded-connector.ts';
import { type OutboundPolicy, RefusedRequest } from './outbound-policy.ts';

interface AnswerLimits {
  /** Maximum number of bytes of a body, after decompression. */
  readonly maxBytes: number;
  /** Called once when the body has ended, for whatever reason. */
  readonly onEnd: () => void;
}

const NULL_BODY = new Set([204, 205, 304]);

/**
 * The response as the global `Response`. Its body fails with `RefusedRequest` beyond the limit, which applies after
 * decompression.
 */
function limitedAnswer(answer: Answer, redirected: boolean, limits: AnswerLimits): Response {
  const { status, statusText, url } = answer;
  const body = answer.body === null || NULL_BODY.has(status)
    ? null
    : limited(answer.body as ReadableStream<Uint8Array>, limits);
  if (body === null) limits.onEnd();
  const response = new Response(body, {
    status,
    statusText: /^[\t\x20-\x7e\x80-\xff]*$/.test(statusText) ? statusText : '',
    headers: [...answer.headers] as [string, string][],
  });
  return Object.defineProperties(response, { url: { value: url }, redirected: { value: redirected } });
}

function limited(body: ReadableStream<Uint8Array>,
  { maxBytes, onEnd }: AnswerLimits): ReadableStream<Uint8Array<ArrayBuffer>>
{
  const reader = body.getReader();
  let bytes = 0;
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        bytes += value?.length ?? 0;
        if (bytes > maxBytes) throw new RefusedRequest('size', `the response has more than ${maxBytes} bytes`);
        if (!done) return controller.enqueue(value as Uint8Array<ArrayBuffer>);
        onEnd();
        controller.close();
      } catch (error) {
        onEnd();
        await reader.cancel(error).catch(() => undefined);
        throw error;
      }
    },
    async cancel(reason) {
      onEnd();
      await reader.cancel(reason);
    },
  }, { highWaterMark: 0 });
}

export interface FetchLimits {
  /** Maximum number of bytes of a response, after decompression. */
  readonly maxBytes: number;
  /** Time limit for the whole call, including redirects and reading the body, in milliseconds. */
  readonly timeoutMs: number;
}

interface GuardedFetchDeps extends FetchLimits {
  readonly policy: OutboundPolicy;
  /** Checks each address when it connects. */
  readonly dispatcher: () => Dispatcher;
  readonly timer: Timer;
}

/** Maximum number of redirects that are followed; each is judged like a first request. */
const MAX_REDIRECTS = 5;

/** Headers that would address another server than the one that was checked, or change the framing. */
const NOT_FOR_CALLERS =
  /^(?:connection|content-length|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade|proxy-.*)$/;

/** Returns why headers must not be sent; undefined if they may. */
export function badHeader(names: Iterable<string>): RefusedRequest | undefined {
  for (const name of names)
    if (NOT_FOR_CALLERS.test(name.toLowerCase()))
      return new RefusedRequest('header', `the header ${name} must not be set`);
  return undefined;
}

/**
 * `fetch` under a policy. Rejects with `RefusedRequest` for requests that the server's own rules refuse, and otherwise
 * like `fetch`. It supports the options that matter for a call from one server to another: method, headers, body,
 * redirect and signal.
 */
export function guardedFetch(deps: GuardedFetchDeps): typeof fetch {
  return async (input, init = {}) => {
    const asked = input instanceof Request ? input : undefined;
    const first = await firstHop(asked?.url ?? String(input as string | URL), asked, init);
    const ended = new AbortController();
    const late = new AbortController();
    void deps.timer.sleep(deps.timeoutMs, ended.signal).then(() =>
      late.abort(new RefusedRequest('time', `no complete response within ${deps.timeoutMs / 1000} s`))
    );
    const caller = init.signal ?? asked?.signal;
    const signal = caller == null ? late.signal : AbortSignal.any([caller, late.signal]);
    try {
      const { answer, hops } = await follow(deps, first, init.redirect ?? asked?.redirect ?? 'follow', signal);
      return limitedAnswer(answer, hops > 0, { maxBytes: deps.maxBytes, onEnd: () => ended.abort() });
    } catch (error) {
      ended.abort();
      throw refusalIn(error) ?? error;
    }
  };
}

async function firstHop(url: string, asked: Request | undefined, init: RequestInit): Promise<Hop> {
  const headers = new Headers(init.headers ?? asked?.headers);
  const bad = badHeader(headers.keys());
  if (bad !== undefined) throw bad;
  const parsed = URL.parse(url);
  if (parsed === null) throw new TypeError('expected an absolute URL');
  const method = (init.method ?? asked?.method ?? 'GET').toUpperCase();
  return { url: parsed, method, headers, body: await bodyOf(init.body ?? asked?.body ?? null, headers) };
}

/** The package has its own class for forms and does not accept the global one, so the runtime serialises them. */
async function bodyOf(body: Hop['body'], headers: Headers): Promise<Hop['body']> {
  if (!(body instanceof FormData)) return body;
  const written = new Response(body);
  if (!headers.has('Content-Type')) headers.set('Content-Type', written.headers.get('Content-Type')!);
  return written.bytes();
}

async function follow(deps: GuardedFetchDeps, first: Hop, redirect: RequestRedirect,
  signal: AbortSignal): Promise<{ answer: Answer; hops: number }>
{
  let hop = first;
  for (let hops = 0;; hops++) {
    checkUrl(hop.url, deps.policy);
    const answer = await sendOne(deps, hop, signal);
    const next = redirect === 'manual' ? undefined : nextHop(hop, answer.status, answer.headers.get('Location'));
    if (next === undefined) return { answer, hops };
    await answer.body?.cancel();
    if (redirect === 'error') throw new RefusedRequest('redirect', 'the response is a redirect');
    if (hops === MAX_REDIRECTS) throw new RefusedRequest('redirect', `more than ${MAX_REDIRECTS} redirects`);
    hop = next;
  }
}

function sendOne({ dispatcher }: GuardedFetchDeps, hop: Hop, signal: AbortSignal): Promise<Answer> {
  const tracing = currentTracing();
  if (tracing === undefined) return sendHop(dispatcher(), hop, signal);
  return tracing.within(outgoingSpan(hop.method, hop.url), async (span) => {
    const headers = new Headers(hop.headers);
    headers.set('traceparent', span.traceparent);
    const answer = await sendHop(dispatcher(), { ...hop, headers }, signal);
    recordStatus(span, answer.status);
    return answer;
  });
}

function sendHop(dispatcher: Dispatcher, { url, method, headers, body }: Hop, signal: AbortSignal): Promise<Answer> {
  return undici().fetch(url, {
    method,
    headers: [...headers],
    body: body as SendInit['body'] & {},
    ...(body instanceof ReadableStream && { duplex: 'half' }),
    redirect: 'manual',
    signal,
    dispatcher,
  });
}

/** The refusal in an error of `fetch`, which wraps the error of the connection. */
export function refusalIn(error: unknown): RefusedRequest | undefined {
  for (let each = error; each instanceof Error; each = each.cause) if (each instanceof RefusedRequest) return each;
  return undefined;
}

/** One request of a chain of redirects. */
interface Hop {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body: RequestInit['body'];
}

/** The only headers that are sent to another origin: any other may be a credential, whatever its name. */
const HARMLESS = new Set(['accept', 'accept-encoding', 'accept-language', 'content-type', 'user-agent']);
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * The redirect target of a response with this status (Fetch standard, "HTTP-redirect fetch"); undefined if it is not a
 * redirect.
 */
function nextHop(hop: Hop, status: number, location: string | null): Hop | undefined {
  if (!REDIRECTS.has(status) || location === null) return undefined;
  const url = URL.parse(location, hop.url);
  if (url === null) throw new RefusedRequest('redirect', 'the response redirects to what is no URL');
  const headers = new Headers(hop.headers);
  const becomesGet = status === 303 ? hop.method !== 'HEAD' : status <= 302 && hop.method === 'POST';
  if (!becomesGet && hop.body instanceof ReadableStream)
    throw new RefusedRequest('redirect', 'the response redirects a body that cannot be sent again');
  if (becomesGet) headers.delete('content-type');
  if (url.origin !== hop.url.origin) {
    for (const name of [...headers.keys()].filter((each) => !HARMLESS.has(each))) headers.delete(name);
  }
  return becomesGet ? { url, headers, method: 'GET', body: null } : { ...hop, url, headers };
}

/**
 * The span of a request to another server, by the semantic conventions for HTTP clients, without secrets from its URL.
 */
export function outgoingSpan(method: string, { protocol, hostname, port }: URL): SpanStart {
  const defaultPort = protocol === 'https:' ? 443 : 80;
  return {
    name: method,
    kind: 'client',
    attributes: {
      'http.request.method': method,
      'url.scheme': protocol.slice(0, -1),
      'server.address': hostname,
      'server.port': port === '' ? defaultPort : Number(port),
    },
  };
}

/** A response with an error status marks the span as failed. */
export function recordStatus(span: OpenSpan, status: number): void {
  span.set({ 'http.response.status_code': status });
  if (status >= 400) span.fail(`status ${status}`);
}
