import type { TokenMatcher } from '../../embedding/index.ts';
import { type Clock, unixSeconds } from '../../lib/clock.ts';
import { Pace } from '../../lib/pace.ts';
import type { BodyCodec, Sql } from '../../storage/index.ts';
import type { BodyStates } from './body-states.ts';
import { type Chunker, embeddedText } from './chunker.ts';
import type { EmbeddedBody } from './encoder/passage-rows.ts';
import { loadDocuments } from './load-documents.ts';
import type { Providers } from './providers.ts';
import { type DocumentTokens, isSameVersion, TokenStore } from './token-store.ts';
import type { ModelIdentity } from './vector-rows.ts';

export interface TokenMatchingDeps {
  readonly sql: Sql;
  readonly codec: BodyCodec;
  readonly clock: Clock;
  readonly chunker: Chunker;
  readonly providers: Pick<Providers, 'use' | 'current'>;
  readonly bodies: Pick<BodyStates, 'each'>;
  /** Maximum number of bytes of cached tokens; 96 MiB by default. */
  readonly limit?: number;
}

/**
 * Number of characters of a document that are compared: its best matches are rarely further behind, and reading more
 * takes time.
 */
const CHARACTERS = 2500;
/** Larger documents take too long to read. */
const MOST_BYTES = 256 * 1024;
/**
 * Bytes of cached tokens: those of some 150,000 pages, or of 245,000 documents of 1 KB. A search that has to read most
 * of the documents that it compares takes three times as long.
 */
const LIMIT = 96 * 2 ** 20;

interface CachedTokens {
  readonly found: Map<number, DocumentTokens>;
  readonly missing: readonly EmbeddedBody[];
}

/** Compares documents with queries token by token, if the current model has vectors of tokens. */
export class TokenMatching {
  readonly #deps: TokenMatchingDeps;
  readonly #store: TokenStore;

  constructor(deps: TokenMatchingDeps) {
    this.#deps = deps;
    this.#store = new TokenStore({ limit: deps.limit ?? LIMIT });
  }

  /**
   * How well documents have the words of a text or similar ones, from 0 to 1: the mean of their first passage and of
   * their first 2,500 characters. Documents that changed since they were embedded, and large ones, are left out.
   * Undefined if the current provider's model is another one or has no token vectors.
   */
  async similarities(text: string, model: Pick<ModelIdentity, 'model' | 'variant'>,
    ords: readonly number[]): Promise<ReadonlyMap<number, number> | undefined>
  {
    return this.#deps.providers.use(async (provider) => {
      if (provider.matcher === undefined || provider.model !== model.model || provider.variant !== model.variant)
        return undefined;
      const matcher = await provider.matcher();
      const query = matcher.tokensOf(text);
      const versions = await this.#versions(ords);
      // Nothing is awaited between a look into the cache and the comparison or the copies: other searches replace what
      // is cached meanwhile.
      const cached = this.#cached(versions);
      const documents = [...cached.missing.length === 0 ? cached.found : await this.#read(matcher, cached)];
      const scores = matcher.matches(query, documents.map(([, tokens]) => tokens));
      return new Map(documents.map(([ord], i) => [ord, scores[i]!]));
    });
  }

  /** Approximate bytes of the cached tokens. */
  get bytes(): number {
    return this.#store.bytes;
  }

  /** The current provider's model, if it has token vectors. */
  get model(): Pick<ModelIdentity, 'model' | 'variant'> | undefined {
    const { current } = this.#deps.providers;
    return current?.matcher === undefined ? undefined : current;
  }

  /**
   * Caches the tokens of documents. Returns false, and reads nothing, if the cache is full or the current model has no
   * token vectors.
   */
  async fill(ords: readonly number[]): Promise<boolean> {
    if (this.#store.isFull) return false;
    return (await this.#deps.providers.use(async (provider) => {
      if (provider.matcher === undefined) return false;
      const matcher = await provider.matcher();
      const cached = this.#cached(await this.#versions(ords));
      if (cached.missing.length > 0) await this.#read(matcher, cached);
      return true;
    })) ?? false;
  }

  /** What the documents' vectors were made from; documents without vectors are left out. */
  async #versions(ords: readonly number[]): Promise<EmbeddedBody[]> {
    const versions: EmbeddedBody[] = [];
    await this.#deps.bodies.each(ords, (_, state) => {
      if (state?.embedded !== undefined) versions.push(state.embedded);
    });
    return versions;
  }

  /**
   * The cached tokens of these versions, as views that are valid until something else is cached, and the versions to
   * read.
   */
  #cached(versions: readonly EmbeddedBody[]): CachedTokens {
    const found = new Map<number, DocumentTokens>();
    const missing: EmbeddedBody[] = [];
    for (const version of versions) {
      const known = this.#store.get(version.ord, version);
      if (known !== undefined) found.set(version.ord, known);
      else if (version.bytes <= MOST_BYTES) missing.push(version);
    }
    return { found, missing };
  }

  /**
   * Reads and caches what is missing. Must be called as soon as the views were made: it copies them first, because what
   * it caches may replace them.
   */
  async #read(matcher: TokenMatcher, { found, missing }: CachedTokens): Promise<Map<number, DocumentTokens>> {
    for (const [ord, { all, lead }] of found) found.set(ord, { all: all.slice(), lead });
    const { sql, codec, clock, chunker } = this.#deps;
    const versions = new Map(missing.map((embedded) => [embedded.ord, embedded]));
    const { documents } = await loadDocuments(sql, codec, chunker, [...versions.keys()], unixSeconds(clock),
      CHARACTERS);
    const pace = new Pace();
    for (const document of documents) {
      const { ord, chunks } = document;
      if (!isSameVersion(document, versions.get(ord)!) || chunks.length === 0) continue;
      const all = matcher.tokensOf(chunks.map(embeddedText).join('\n'));
      const tokens = { all, lead: matcher.tokensOf(embeddedText(chunks[0]!)).length };
      this.#store.set(ord, document, tokens);
      found.set(ord, tokens);
      await pace.rest();
    }
    return found;
  }
}
