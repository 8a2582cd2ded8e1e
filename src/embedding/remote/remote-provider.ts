import type { Timer } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { RolePrefixes } from '../model-families.ts';
import { cancelled, checkTexts, closed, EmbeddingError, type EmbeddingProvider, type EmbeddingRole,
  MAX_BATCH } from '../provider.ts';
import { rolePrefixes, usableVectors, variantOf, type VectorSize, withPrefix } from '../usable-vector.ts';
import { postJson, type Sender } from './post-json.ts';

/** Sends JSON to a path under the base URL, with retries; returns the JSON of the response. */
type Send = (path: string, body: object) => Promise<unknown>;

/**
 * The request format of a provider: resolves to the list of embeddings in the order of the texts, not yet validated.
 */
export type RemoteFormat = (texts: readonly string[], role: EmbeddingRole, send: Send) => Promise<unknown>;

/** OpenAI's format, which many servers support. `dimensions` is sent if the model can produce vectors of any size. */
export function openAiFormat(model: string, dimensions: number | undefined): RemoteFormat {
  const asked = dimensions !== undefined && canShorten(model) ? { dimensions } : {};
  return async (input, _role, send) =>
    inOrder(await send('/embeddings', { model, input, encoding_format: 'float', ...asked }));
}

/** True for OpenAI's third generation of models, the only ones that accept `dimensions`. */
export function canShorten(model: string): boolean {
  return model.startsWith('text-embedding-3');
}

/** Voyage's format: OpenAI's, with the role in addition. */
export function voyageFormat(model: string): RemoteFormat {
  return async (input, role: EmbeddingRole, send) =>
    inOrder(await send('/embeddings', { model, input, input_type: role }));
}

/** `{data: [{index, embedding}]}` ordered by index; undefined if an index is missing or duplicated. */
function inOrder(answer: unknown): unknown {
  const data = (answer as { data?: unknown } | null)?.data;
  if (!Array.isArray(data)) return undefined;
  const embeddings = new Map(
    (data as ({ index?: unknown; embedding?: unknown } | null)[]).map((item,
      position) => [item?.index ?? position, item?.embedding]
    ),
  );
  const ordered = data.map((_, index) => embeddings.get(index));
  return embeddings.size === data.length && data.every((_, index) => embeddings.has(index)) ? ordered : undefined;
}

/**
 * Ollama's format. Servers before 0.3 support only `/api/embeddings`, with one text per call. Both paths also return
 * 404 for a model that was not pulled, so the result of the older path decides.
 */
export function ollamaFormat(model: string): RemoteFormat {
  let old = false;
  return async (texts, _role, send) => {
    if (!old) {
      try {
        return ((await send('/api/embed', { model, input: texts })) as { embeddings?: unknown } | null)?.embeddings;
      } catch (error) {
        if (!(error instanceof EmbeddingError) || error.status !== 404) throw error;
      }
    }
    const embeddings = await oneByOne(model, texts, send);
    old = true;
    return embeddings;
  };
}

async function oneByOne(model: string, texts: readonly string[], send: Send): Promise<unknown[]> {
  const embeddings: unknown[] = [];
  for (const prompt of texts)
    embeddings.push(((await send('/api/embeddings', { model, prompt })) as { embedding?: unknown } | null)?.embedding);
  return embeddings;
}

const ATTEMPTS = 3;
const FIRST_WAIT_MS = 500;

interface RetryDeps {
  readonly timer: Timer;
  readonly random: () => number;
  readonly log: Log;
}

interface RetryLimits {
  readonly signal: AbortSignal;
  /** Longer waits are not started: the call fails instead, with the wait that the provider requested. */
  readonly longestWaitMs: number;
}

/**
 * Makes at most three attempts. Between attempts it waits as long as the provider requested, or otherwise a random part
 * of a span that doubles each time ("full jitter": AWS Architecture Blog, "Exponential Backoff And Jitter", 2015), so
 * that clients that failed together do not return together.
 */
async function withRetries<T>(call: () => Promise<T>, { signal, longestWaitMs }: RetryLimits,
  { timer, random, log }: RetryDeps): Promise<T>
{
  for (let attempt = 1;; attempt++) {
    if (signal.aborted) throw cancelled(signal);
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof EmbeddingError) || !error.retryable || attempt === ATTEMPTS || signal.aborted) throw error;
      const waitMs = Math.max(error.retryAfterMs ?? 0, Math.round(random() * FIRST_WAIT_MS * 2 ** (attempt - 1)));
      if (waitMs > longestWaitMs) throw error;
      log.warn({ attempt, waitMs, problem: error.message }, 'embedding failed; trying again');
      await timer.sleep(waitMs, signal);
    }
  }
}

interface RemoteOptions {
  readonly name: EmbeddingProvider['name'];
  readonly model: string;
  readonly size: VectorSize;
  /** Identifies everything besides the model and its prefixes that makes vectors incomparable. */
  readonly variant: readonly string[];
  readonly format: RemoteFormat;
  readonly sender: Sender;
  readonly retry: RetryDeps;
}

// Maximum number of bytes of a number in JSON with its comma and some white space; the other parts of a response have a
// fixed allowance.
const BYTES_PER_NUMBER = 40;
const BYTES_BESIDE = 1024 * 1024;

/** Maximum wait before a retry: a user waits for the result of a query; documents can wait longer. */
const LONGEST_WAIT_MS: Readonly<Record<EmbeddingRole, number>> = { query: 5_000, document: Infinity };

/** A provider that is called over HTTP. */
export class RemoteProvider implements EmbeddingProvider {
  readonly name: EmbeddingProvider['name'];
  readonly model: string;
  readonly variant: string;
  readonly maxBatch = MAX_BATCH;
  readonly #options: RemoteOptions;
  readonly #prefixes: RolePrefixes | undefined;
  readonly #closing = new AbortController();

  constructor(options: RemoteOptions) {
    this.name = options.name;
    this.model = options.model;
    this.#options = options;
    this.#prefixes = rolePrefixes(options.model);
    this.variant = variantOf(options.variant, this.#prefixes);
  }

  get dimensions(): number {
    return this.#options.size.value;
  }

  async embed(texts: readonly string[], role: EmbeddingRole, signal?: AbortSignal): Promise<Float32Array[]> {
    if (this.#closing.signal.aborted) throw closed();
    if (signal?.aborted) throw cancelled(signal);
    checkTexts(texts);
    if (texts.length === 0) return [];
    const { format, sender, retry, size } = this.#options;
    const stop = signal === undefined ? this.#closing.signal : AbortSignal.any([signal, this.#closing.signal]);
    const maxBytes = BYTES_BESIDE + texts.length * size.most * BYTES_PER_NUMBER;
    const limits = { signal: stop, longestWaitMs: LONGEST_WAIT_MS[role] };
    const send = (path: string, body: object) =>
      withRetries(() => postJson(sender, { path, body, maxBytes, signal: stop }), limits, retry);
    return usableVectors(await format(withPrefix(texts, role, this.#prefixes), role, send), texts.length, size,
      this.name);
  }

  close(): Promise<void> {
    this.#closing.abort(closed());
    return Promise.resolve();
  }
}
