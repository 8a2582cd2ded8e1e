import type { TokenMatcher } from '../../embedding/index.ts';
import { unixSeconds, type Clock } from '../../lib/clock.ts';
import { Lru } from '../../lib/lru.ts';
import { Pace } from '../../lib/pace.ts';
import type { BodyCodec, Sql } from '../../storage/index.ts';
import { embeddedText, type Chunker } from './chunker.ts';
import { embeddedBodies, type EmbeddedBody } from './encoder/passage-rows.ts';
import { loadDocuments } from './load-documents.ts';
import type { Providers } from './providers.ts';
import type { ModelIdentity } from './vector-rows.ts';

export interface TokenMatchingDeps {
  readonly sql: Sql;
  readonly codec: BodyCodec;
  readonly clock: Clock;
  readonly chunker: Chunker;
  readonly providers: Pick<Providers, 'use' | 'current'>;
}

/** The tokens of a document's beginning, and of its first passage, with which they begin. */
interface DocumentTokens extends Pick<EmbeddedBody, 'crc' | 'bytes' | 'chunking'> {
  readonly all: Uint16Array;
  readonly lead: Uint16Array;
}

/** Number of characters of a document that are compared: its best matches are rarely further behind, and reading more takes time. */
const CHARACTERS = 2500;
/** Larger documents take too long to read. */
const MOST_BYTES = 256 * 1024;
/** Documents whose tokens are cached: at most about 1.5 KB for each, usually half of that. */
const CACHED = 16_384;

/** Compares documents with queries token by token, if the current model has vectors of tokens. */
export class TokenMatching {
  readonly #deps: TokenMatchingDeps;
  readonly #cache = new Lru<number, DocumentTokens>(CACHED);

  constructor(deps: TokenMatchingDeps) {
    this.#deps = deps;
  }

  /**
   * How well documents have the words of a text or similar ones, from 0 to 1: the mean of their first passage and of their first 2,500
   * characters. Documents that changed since they were embedded, and large ones, are left out. Undefined if the current provider's model is
   * another one or has no token vectors.
   */
  async similarities(text: string, model: Pick<ModelIdentity, 'model' | 'variant'>, ords: readonly number[]): Promise<ReadonlyMap<number, number> | undefined> {
    return this.#deps.providers.use(async (provider) => {
      if (provider.matcher === undefined || provider.model !== model.model || provider.variant !== model.variant) return undefined;
      const matcher = await provider.matcher();
      const query = matcher.tokensOf(text);
      const documents = [...await this.#read(matcher, ords)];
      const scores = matcher.matches(query, documents.flatMap(([, { lead, all }]) => [lead, all]));
      return new Map(documents.map(([ord], i) => [ord, (scores[2 * i]! + scores[2 * i + 1]!) / 2]));
    });
  }

  /** The current provider's model, if it has token vectors. */
  get model(): Pick<ModelIdentity, 'model' | 'variant'> | undefined {
    const { current } = this.#deps.providers;
    return current?.matcher === undefined ? undefined : current;
  }

  /** Caches the tokens of documents. Returns false, and reads nothing, if the cache is full or the current model has no token vectors. */
  async fill(ords: readonly number[]): Promise<boolean> {
    if (this.#cache.size + ords.length > CACHED) return false;
    return (await this.#deps.providers.use(async (provider) => {
      if (provider.matcher === undefined) return false;
      await this.#read(await provider.matcher(), ords);
      return true;
    })) ?? false;
  }

  async #read(matcher: TokenMatcher, ords: readonly number[]): Promise<Map<number, DocumentTokens>> {
    const { sql, codec, clock, chunker } = this.#deps;
    const found = new Map<number, DocumentTokens>();
    const missing: number[] = [];
    const bodies = await embeddedBodies(sql, ords);
    for (const [ord, body] of bodies) {
      const cached = this.#cache.get(ord);
      if (cached !== undefined && isSame(cached, body)) found.set(ord, cached);
      else if (body.bytes <= MOST_BYTES) missing.push(ord);
    }
    const { documents } = await loadDocuments(sql, codec, chunker, missing, unixSeconds(clock), CHARACTERS);
    const pace = new Pace();
    for (const { ord, crc, bytes, chunking, chunks } of documents) {
      if (!isSame({ crc, bytes, chunking }, bodies.get(ord)!) || chunks.length === 0) continue;
      const all = matcher.tokensOf(chunks.map(embeddedText).join('\n'));
      const lead = all.subarray(0, matcher.tokensOf(embeddedText(chunks[0]!)).length);
      const tokens = { crc, bytes, chunking, all, lead };
      this.#cache.set(ord, tokens);
      found.set(ord, tokens);
      await pace.rest();
    }
    return found;
  }
}

type Version = Pick<EmbeddedBody, 'crc' | 'bytes' | 'chunking'>;

function isSame(a: Version, b: Version): boolean {
  return a.crc === b.crc && a.bytes === b.bytes && a.chunking === b.chunking;
}
