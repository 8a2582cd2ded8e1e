import type { TokenMatcher } from '../../embedding/index.ts';
import { type Clock, unixSeconds } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { Pace } from '../../lib/pace.ts';
import type { BodyCodec, Row, Sql } from '../../storage/index.ts';
import { type Chunker, embeddedText } from './chunker.ts';
import type { BodyStates, EmbeddedBody } from './encoder/passage-rows.ts';
import { isEnglish } from './known-language.ts';
import { loadDocuments } from './load-documents.ts';
import type { Providers } from './providers.ts';
import { type DocumentTokens, isSameVersion, TokenStore } from './token-store.ts';
import type { ModelIdentity } from './vector-rows.ts';

interface TokenMatchingDeps {
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

/** Compares documents with queries token by token, if the current model of their space has vectors of tokens. */
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
   * Undefined if the current provider's model is another one or has no token vectors, or none of the text.
   */
  async similarities(text: string, model: Pick<ModelIdentity, 'model' | 'variant'>,
    ords: readonly number[]): Promise<ReadonlyMap<number, number> | undefined>
  {
    return this.#deps.providers.use(async (provider) => {
      if (provider.matcher === undefined || provider.model !== model.model || provider.variant !== model.variant)
        return undefined;
      const matcher = await provider.matcher();
      const { all: query } = await matcher.tokensOf([text]);
      if (query.length === 0) return undefined;
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
      const { ord, lang, chunks } = document;
      if (!isSameVersion(document, versions.get(ord)!) || chunks.length === 0) continue;
      const tokens = await matcher.tokensOf(chunks.map(embeddedText), isEnglish(lang));
      this.#store.set(ord, document, tokens);
      found.set(ord, tokens);
      await pace.rest();
    }
    return found;
  }
}

interface TokenWarmUpOptions {
  readonly sql: Pick<Sql, 'background'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly matching: Pick<TokenMatching, 'model' | 'fill'>;
  /** Whether the processor is free, because no document waits for its vectors. */
  readonly isIdle: () => boolean;
  /** Whether bodies of a collection can be read without a request to another server. */
  readonly isLocal: (collection: string) => boolean;
}

/** Minimum milliseconds between the beginnings of two passes. */
const AGAIN_MS = 5000;
/** Number of documents that are read between two checks for other work: some milliseconds. */
const DOCUMENTS = 16;

/**
 * Caches the tokens of documents in the background, in the order in which they were written, until the cache is full.
 * The first search starts it. Without it, many searches after a start would read 40 bodies each.
 */
export class TokenWarmUp {
  readonly #options: TokenWarmUpOptions;
  readonly #abort = new AbortController();
  #running: Promise<void> | undefined;
  #began = -Infinity;
  /** The last document that was read; those that are written again later are read by the search that finds them. */
  #last = 0;

  constructor(options: TokenWarmUpOptions) {
    this.#options = options;
  }

  /**
   * Call this at each search: reads the documents that are new since the last pass, unless that is running or began a
   * moment ago.
   */
  wake(): void {
    const now = this.#options.clock.now();
    if (this.#running !== undefined || this.#abort.signal.aborted || now < this.#began + AGAIN_MS) return;
    this.#began = now;
    this.#running = this.#pass().finally(() => (this.#running = undefined));
  }

  /** Ends the current pass and prevents further ones; harmless when repeated. */
  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#running;
  }

  /** Never rejects: a later pass continues after a failure. */
  async #pass(): Promise<void> {
    const { log, isIdle } = this.#options;
    const { signal } = this.#abort;
    try {
      while (!signal.aborted && isIdle() && await this.#step());
    } catch (error) {
      if (!signal.aborted)
        log.warn({ err: error },
          'the tokens of documents could not be read in the background; a later search tries again');
    }
  }

  /** Reads some documents. Returns whether there may be more to read. */
  async #step(): Promise<boolean> {
    const { sql, matching, isLocal } = this.#options;
    const { model } = matching;
    if (model === undefined) return false;
    const rows = await sql.background.all<Row & { readonly ord: number; readonly name: string }>(
      `SELECT e.ord, c.name FROM embeddings e JOIN embedding_models m ON m.id = e.model_id JOIN collections c ON c.id = e.cid
       WHERE e.ord > ? AND e.space = '' AND m.model = ? AND m.variant = ? ORDER BY e.ord LIMIT ?`,
      [this.#last, model.model, model.variant, DOCUMENTS],
    );
    if (rows.length === 0 || !(await matching.fill(rows.filter(({ name }) => isLocal(name)).map(({ ord }) => ord))))
      return false;
    this.#last = rows.at(-1)!.ord;
    return true;
  }
}
