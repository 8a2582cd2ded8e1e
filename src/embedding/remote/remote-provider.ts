import { checkTexts } from '../check-texts.ts';
import { cancelled, closed } from '../embedding-error.ts';
import { type EmbeddingProvider, type EmbeddingRole, MAX_BATCH } from '../provider.ts';
import { type RolePrefixes, rolePrefixes, withPrefix } from '../role-prefix.ts';
import { usableVectors } from '../usable-vector.ts';
import { variantOf } from '../variant.ts';
import type { VectorSize } from '../vector-size.ts';
import { postJson, type Sender } from './post-json.ts';
import type { RemoteFormat } from './remote-format.ts';
import { type RetryDeps, withRetries } from './retry.ts';

export interface RemoteOptions {
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
