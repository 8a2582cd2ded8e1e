import { delayBefore, type Ending, type RetryPolicy, sleep } from './backoff.ts';
import { QuireError, refusal } from './quire-error.ts';
import type { ArgumentsOf, CallOptions, Client, DataOf, InputOf, SdkFunction, ServiceFacts } from './types.ts';

/** A credential, or a function that returns it: called before each call, so that the credential can be renewed. */
export type Credential = string | (() => string | undefined | Promise<string | undefined>);

export interface QuireOptions {
  /** URL of the service, such as `http://localhost:11023`. */
  readonly baseUrl?: string;
  /** Sent as `Authorization: Bearer`: a token of `/v1/auth/login`, or the API token of the run queue. */
  readonly token?: Credential;
  /** Sent as `X-API-Key` (document service). */
  readonly apiKey?: Credential;
  /** Headers that are sent with each call. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds that each attempt of a call may take, by default 30,000; 0 for no limit. */
  readonly timeoutMs?: number;
  /** Most retries of a call, if a retry is safe; by default 2. */
  readonly retries?: number;
  /** Longest wait before a retry, in milliseconds; by default 20,000. */
  readonly maxDelayMs?: number;
  /**
   * Whether calls read what earlier calls have written, whichever node they reach: the position of each response
   * (`X-Quire-LSN`) is sent back as `X-Quire-Min-LSN`. The default is true.
   */
  readonly session?: boolean;
  /** The position that an earlier client has reached (`lsn`), to continue its session. */
  readonly lsn?: string;
  /** Replaces the global `fetch`. */
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
      return response.ok
        ? new QuireError('the response cannot be read', {
          code: 'invalid_response',
          status: response.status,
          cause: error,
        })
        : refusal(error, response);
    });
  }

  /** The position that the session has reached; undefined if no response had one. */
  get lsn(): string | undefined {
    return this.#lsn;
  }

  /**
   * Calls an operation and returns its result. Throws `QuireError` if the service rejects the call or does not respond,
   * and throws the reason of `signal` if that aborts.
   */
  async call<F extends SdkFunction>(operation: F, ...[input]: ArgumentsOf<F>): Promise<DataOf<F>> {
    return (await this.send(operation, input ?? {} as InputOf<F>)).data;
  }

  /** Like `call`, but returns the response, too, for its status and headers. */
  async send<F extends SdkFunction>(operation: F, input: InputOf<F>): Promise<{ data: DataOf<F>; response: Response }> {
    return await this.#request(operation, input, {}) as { data: DataOf<F>; response: Response };
  }

  /** Returns the response as it arrives. The time-out applies until it begins; `signal` aborts it at any time. */
  async stream<F extends SdkFunction>(operation: F, input: InputOf<F>): Promise<ReadableStream<Uint8Array>> {
    const { data } = await this.#request(operation, input, { parseAs: 'stream' });
    return data as ReadableStream<Uint8Array>;
  }

  /** Method and path template of an operation. */
  nameOf(operation: SdkFunction): string {
    const { method, url } = planOf(operation, {});
    return `${method} ${url}`;
  }

  async #request(operation: SdkFunction,
    { signal, timeoutMs, retries, ...input }: CallOptions & { readonly body?: unknown },
    extra: { readonly parseAs?: 'stream' }): Promise<{ data: unknown; response: Response }>
  {
    const plan = planOf(operation, input);
    const name = `${plan.method} ${plan.url}`;
    const sent = {
      signal,
      streams: extra.parseAs === 'stream',
      timeoutMs: timeoutMs ?? this.#timeoutMs,
      policy: { ...this.#policy, ...(retries === undefined ? {} : { retries }) },
      repeatable: !(input.body instanceof ReadableStream) &&
        (plan.method === 'GET' || ['PUT', 'DELETE'].includes(plan.method) || this.#facts.reads.has(name) ||
          this.#facts.keyed.has(name)),
    };
    const keyed = this.#facts.keyed.has(name) ? { 'Idempotency-Key': randomKey() } : {};
    const answer = await this.#client.request({
      ...plan,
      ...extra,
      throwOnError: true,
      headers: { ...keyed, ...definedOf(plan.headers) },
      fetch: (request) => this.#deliver(request as Request, sent),
    } as Parameters<Client['request']>[0]);
    return answer as { data: unknown; response: Response };
  }

  /** Sends a request until there is a final response. */
  async #deliver(request: Request, sent: Sent): Promise<Response> {
    for (let tries = 0;; tries++) {
      const ending = await this.#try(request, sent).then((response): Ending => ({ response }),
        (failure: unknown): Ending => ({ failure }));
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
      const response = await this.#fetch(copy, {
        signal: signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]),
      });
      this.#note(response.headers.get(LSN));
      // A complete body is read here, so that a connection that breaks meanwhile also leads to a retry.
      return streams && response.ok ? response : await whole(response);
    } catch (error) {
      if (late.signal.aborted)
        throw new QuireError(`no response within ${timeoutMs} ms`, { code: 'timeout', cause: error });
      throw new QuireError(`the service cannot be reached: ${error instanceof Error ? error.message : String(error)}`, {
        code: 'network',
        cause: error,
      });
    } finally {
      clearTimeout(timer);
    }
  }

  /** Positions only increase; responses may arrive in another order than their calls were sent. */
  #note(lsn: string | null): void {
    if (lsn === null) return;
    const isOlder = this.#lsn !== undefined && /^\d+$/.test(lsn) && /^\d+$/.test(this.#lsn) &&
      BigInt(lsn) < BigInt(this.#lsn);
    if (!isOlder) this.#lsn = lsn;
  }
}

interface Sent {
  readonly signal: AbortSignal | undefined;
  readonly streams: boolean;
  readonly timeoutMs: number;
  readonly policy: RetryPolicy;
  /** Whether the call is idempotent. */
  readonly repeatable: boolean;
}

/** Makes an SDK function return the request that it would send. */
function planOf(operation: SdkFunction, input: object): Plan {
  const method = (name: string) => (options: object) => ({ ...options, method: name }) as never;
  const methods = {
    get: method('GET'),
    post: method('POST'),
    put: method('PUT'),
    patch: method('PATCH'),
    delete: method('DELETE'),
  };
  const { client: _client, ...plan } = operation({ ...input, client: { ...methods, sse: methods } }) as unknown as Plan
    & { client: unknown };
  return plan;
}

/** 32 hexadecimal digits; `randomUUID` is not available to pages without TLS. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** An undefined header must not replace an existing one. */
function definedOf(headers: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
}

/** Statuses whose responses have no body. */
const EMPTY: ReadonlySet<number> = /* @__PURE__ */ new Set([204, 205, 304]);

async function whole(response: Response): Promise<Response> {
  const body = await response.arrayBuffer();
  const { status, statusText, headers } = response;
  return new Response(EMPTY.has(status) ? null : body, { status, statusText, headers });
}
