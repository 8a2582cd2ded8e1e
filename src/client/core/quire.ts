import { delayBefore, sleep, type Ending, type RetryPolicy } from './backoff.ts';
import { QuireError, refusal } from './quire-error.ts';
import type { ArgumentsOf, CallOptions, Client, DataOf, InputOf, SdkFunction, ServiceFacts } from './types.ts';

/** A credential, or how to get it: asked before each call, so that it can be renewed. */
export type Credential = string | (() => string | undefined | Promise<string | undefined>);

export interface QuireOptions {
  /** Where the service is, such as `http://localhost:11023`. */
  readonly baseUrl?: string;
  /** Sent as `Authorization: Bearer`: a token of `/v1/auth/login`, or the API token of the run queue. */
  readonly token?: Credential;
  /** Sent as `X-API-Key` (document service). */
  readonly apiKey?: Credential;
  /** Sent with each call. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds that each try of a call may take, 30,000 when absent; 0 for no limit. */
  readonly timeoutMs?: number;
  /** Times that a call is sent again at most, where that does no harm; 2 when absent. */
  readonly retries?: number;
  /** Longest wait before a call is sent again, in milliseconds; 20,000 when absent. */
  readonly maxDelayMs?: number;
  /**
   * Whether calls read what the calls before have written, on whichever node they arrive: the position of each answer
   * (`X-Quire-LSN`) is sent back as `X-Quire-Min-LSN`. On unless false.
   */
  readonly session?: boolean;
  /** The position that an earlier client has reached (`lsn`), to go on with its session. */
  readonly lsn?: string;
  /** Instead of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
}

/** The request that an SDK function would send. */
interface Plan {
  readonly method: 'GET';
  /** Path template. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, unknown>>;
}

const LSN = 'x-quire-lsn';
const MIN_LSN = 'x-quire-min-lsn';

/** Calls operations of one service: with retries, time-outs and sessions, and errors that are thrown. */
export class Quire {
  readonly #client: Client;
  readonly #facts: ServiceFacts;
  readonly #policy: RetryPolicy;
  readonly #timeoutMs: number;
  readonly #fetch: typeof globalThis.fetch;
  readonly #session: boolean;
  #lsn: string | undefined;

  constructor(facts: ServiceFacts, options: QuireOptions = {}) {
    this.#facts = facts;
    this.#policy = { retries: options.retries ?? 2, maxDelayMs: options.maxDelayMs ?? 20_000 };
    this.#timeoutMs = options.timeoutMs ?? 30_000;
    this.#fetch = options.fetch ?? ((...request) => globalThis.fetch(...request));
    this.#session = options.session ?? true;
    this.#lsn = options.lsn;
    this.#client = facts.createClient({
      baseUrl: options.baseUrl ?? facts.baseUrl,
      headers: options.headers,
      auth: async ({ type }: { readonly type: string }) => {
        const credential = type === 'apiKey' ? options.apiKey : options.token;
        return typeof credential === 'function' ? await credential() : credential;
      },
    });
    this.#client.interceptors.error.use((error, response) => {
      if (error instanceof QuireError || response === undefined) return error;
      return response.ok ? new QuireError('the answer cannot be read', { code: 'invalid_response', status: response.status, cause: error }) : refusal(error, response);
    });
  }

  /** The position that the session has reached; undefined where no answer had one. */
  get lsn(): string | undefined {
    return this.#lsn;
  }

  /**
   * Calls an operation and returns its answer. Throws `QuireError` where the service refuses it or does not answer, and the reason of
   * `signal` where that aborts.
   */
  async call<F extends SdkFunction>(operation: F, ...[input]: ArgumentsOf<F>): Promise<DataOf<F>> {
    return (await this.send(operation, input ?? {} as InputOf<F>)).data;
  }

  /** The same with the response, for its status and headers. */
  async send<F extends SdkFunction>(operation: F, input: InputOf<F>): Promise<{ data: DataOf<F>; response: Response }> {
    return await this.#request(operation, input, {}) as { data: DataOf<F>; response: Response };
  }

  /** The answer as it arrives. The time-out counts until it begins; `signal` ends it at any time. */
  async stream<F extends SdkFunction>(operation: F, input: InputOf<F>): Promise<ReadableStream<Uint8Array>> {
    const { data } = await this.#request(operation, input, { parseAs: 'stream' });
    return data as ReadableStream<Uint8Array>;
  }

  /** Method and path template of an operation. */
  nameOf(operation: SdkFunction): string {
    const { method, url } = planOf(operation, {});
    return `${method} ${url}`;
  }

  async #request(operation: SdkFunction, { signal, timeoutMs, retries, ...input }: CallOptions & { readonly body?: unknown }, extra: { readonly parseAs?: 'stream' }): Promise<{ data: unknown; response: Response }> {
    const plan = planOf(operation, input);
    const name = `${plan.method} ${plan.url}`;
    const sent = {
      signal, streams: extra.parseAs === 'stream',
      timeoutMs: timeoutMs ?? this.#timeoutMs,
      policy: { ...this.#policy, ...(retries === undefined ? {} : { retries }) },
      repeatable: !(input.body instanceof ReadableStream) && (plan.method === 'GET' || ['PUT', 'DELETE'].includes(plan.method) || this.#facts.reads.has(name) || this.#facts.keyed.has(name)),
    };
    const keyed = this.#facts.keyed.has(name) ? { 'Idempotency-Key': randomKey() } : {};
    const answer = await this.#client.request({
      ...plan, ...extra, throwOnError: true,
      headers: { ...keyed, ...definedOf(plan.headers) },
      fetch: (request) => this.#deliver(request as Request, sent),
    } as Parameters<Client['request']>[0]);
    return answer as { data: unknown; response: Response };
  }

  /** Sends a request until it is answered for good. */
  async #deliver(request: Request, sent: Sent): Promise<Response> {
    for (let tries = 0; ; tries++) {
      const ending = await this.#try(request, sent).then((response): Ending => ({ response }), (failure: unknown): Ending => ({ failure }));
      if (sent.signal?.aborted === true) throw sent.signal.reason;
      const delay = delayBefore(tries, ending, sent.repeatable, sent.policy);
      if (delay === undefined) {
        if ('failure' in ending) throw ending.failure;
        return ending.response;
      }
      await sleep(delay, sent.signal);
    }
  }

  async #try(request: Request, { signal, timeoutMs, streams }: Sent): Promise<Response> {
    const late = new AbortController();
    const timer = timeoutMs > 0 ? setTimeout(() => late.abort(), timeoutMs) : undefined;
    const copy = request.clone();
    if (this.#session && this.#lsn !== undefined) copy.headers.set(MIN_LSN, this.#lsn);
    try {
      const response = await this.#fetch(copy, { signal: signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]) });
      this.#note(response.headers.get(LSN));
      // What is read as a whole is read here, so that a connection that breaks is one more reason to try again.
      return streams && response.ok ? response : await whole(response);
    } catch (error) {
      if (late.signal.aborted) throw new QuireError(`no answer within ${timeoutMs} ms`, { code: 'timeout', cause: error });
      throw new QuireError(`the service cannot be reached: ${error instanceof Error ? error.message : String(error)}`, { code: 'network', cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  /** Positions only grow; answers may arrive in another order than their calls were sent. */
  #note(lsn: string | null): void {
    if (lsn === null) return;
    const isOlder = this.#lsn !== undefined && /^\d+$/.test(lsn) && /^\d+$/.test(this.#lsn) && BigInt(lsn) < BigInt(this.#lsn);
    if (!isOlder) this.#lsn = lsn;
  }
}

interface Sent {
  readonly signal: AbortSignal | undefined;
  readonly streams: boolean;
  readonly timeoutMs: number;
  readonly policy: RetryPolicy;
  /** Whether it may be done twice. */
  readonly repeatable: boolean;
}

/** Lets an SDK function tell what it would send. */
function planOf(operation: SdkFunction, input: object): Plan {
  const method = (name: string) => (options: object) => ({ ...options, method: name }) as never;
  const methods = { get: method('GET'), post: method('POST'), put: method('PUT'), patch: method('PATCH'), delete: method('DELETE') };
  const { client: _client, ...plan } = operation({ ...input, client: { ...methods, sse: methods } }) as unknown as Plan & { client: unknown };
  return plan;
}

/** 32 hexadecimal digits; pages without TLS have no `randomUUID`. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** An absent header must not replace one that is there. */
function definedOf(headers: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
}

/** Statuses whose answers have no body. */
const EMPTY: ReadonlySet<number> = /* @__PURE__ */ new Set([204, 205, 304]);

async function whole(response: Response): Promise<Response> {
  const body = await response.arrayBuffer();
  const { status, statusText, headers } = response;
  return new Response(EMPTY.has(status) ? null : body, { status, statusText, headers });
}
