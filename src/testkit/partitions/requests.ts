/** A request of a search: its path, and its body without the collection. */
export interface SearchRequest {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Random choices from a fixed seed. */
export class Choices {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A number from 0 to below 1. */
  number(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer below a limit. */
  below(limit: number): number {
    return Math.floor(this.number() * limit);
  }

  of<T>(values: readonly T[]): T {
    return values[this.below(values.length)]!;
  }

  some<T>(values: readonly T[], least: number, most: number): T[] {
    return Array.from({ length: least + this.below(most - least + 1) }, () => this.of(values));
  }

  /** Different ones, at most so many. */
  distinct<T>(values: readonly T[], least: number, most: number): T[] {
    return [...new Set(this.some(values, least, most))];
  }

  maybe<T>(share: number, value: () => T): T | undefined {
    return this.number() < share ? value() : undefined;
  }
}

const WORDS: Readonly<Record<string, readonly string[]>> = {
  en: ['cluster', 'clusters', 'search', 'searching', 'index', 'indices', 'node', 'document', 'documents', 'the', 'of',
    'replica', 'colour', 'color', 'addEventListener', 'type', 'script', 'typescript', 'café', 'cafe', 'word', 'words',
    'page', 'pages', 'memory', 'shard', 'leader', 'follower', 'query', 'queries'],
  de: ['Haus', 'Häuser', 'Hausbau', 'Wachtraum', 'Suche', 'suchen', 'und', 'die', 'Straße', 'strasse', 'Speicher',
    'Arbeitsspeicher', 'Wort', 'Wörter', 'Index', 'Knoten'],
  fr: ['sécurité', 'securite', 'recherche', 'mémoire', 'le', 'la', 'nœud', 'page', 'pages', 'mots'],
  ja: ['東京', '東京都', '検索', '検索機能', 'サーバ', 'サーバー', 'の', '文書', '記憶'],
};
const LANGS = Object.keys(WORDS);
const TAGS = ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta', 'eta'];

/** A document of a test, without its collection. */
export interface TestDocument {
  readonly key: string;
  readonly lang: string;
  readonly contentMd: string;
  readonly meta: Readonly<Record<string, readonly string[]>>;
  readonly vectors: Readonly<Record<string, unknown>>;
}

/** The fields of vectors that the documents have. */
export const VECTOR_FIELDS = {
  dense: { dimensions: 6 },
  tokens: { kind: 'multi', dimensions: 4 },
  sparse: { kind: 'sparse' },
} as const;

export function randomDocument(random: Choices, number: number): TestDocument {
  const lang = random.number() < 0.6 ? 'en' : random.of(LANGS);
  const text = (least: number, most: number): string => {
    const own = random.some(WORDS[lang]!, least, most);
    return [...own, ...random.number() < 0.1 ? random.some(WORDS['en']!, 1, 4) : []].join(lang === 'ja' ? '' : ' ');
  };
  const rare = random.number() < 0.2 ? ` word${random.below(40)}x` : '';
  return {
    key: `${random.of(['docs', 'guide', 'api'])}/${number}-${random.of(WORDS['en']!).toLowerCase()}`,
    lang,
    contentMd: `# ${text(1, 3)}\n\n${text(4, 40)}${rare}\n\n## ${text(1, 2)}\n\n${text(0, 20)}`,
    meta: {
      title: [text(1, 4)],
      tags: random.some(TAGS, 0, 3),
      price: [String(random.below(50))],
      ...(random.number() < 0.1 && { [`extra${random.below(5)}`]: [text(1, 2)] }),
      ...(random.number() < 0.5 && { lat: [String(48 + random.number())], lng: [String(11 + random.number())] }),
    },
    vectors: {
      dense: vector(random, 6),
      tokens: Array.from({ length: 1 + random.below(3) }, () => vector(random, 4)),
      sparse: sparse(random),
    },
  };
}

function vector(random: Choices, size: number): number[] {
  return Array.from({ length: size }, () => Math.round(random.number() * 200 - 100) / 100);
}

function sparse(random: Choices): { indices: number[]; values: number[] } {
  const indices = [...new Set(Array.from({ length: 4 }, () => random.below(12)))].sort((a, b) => a - b);
  return { indices, values: indices.map(() => 1 + random.below(5)) };
}

function typed(random: Choices): string {
  const lang = random.number() < 0.6 ? 'en' : random.of(LANGS);
  const words = random.some(WORDS[lang]!, 1, 4);
  if (random.number() < 0.15) words.push(`word${random.below(40)}x`);
  const [first = ''] = words;
  // A typing error, or a word that is not finished.
  if (random.number() < 0.3 && first.length > 3) words[0] = first.slice(0, 2) + first.slice(3);
  if (random.number() < 0.2) words.push(random.of(WORDS[lang]!).slice(0, 3));
  return words.join(lang === 'ja' ? '' : ' ');
}

function query(random: Choices): Record<string, unknown> {
  const text = typed(random);
  const [a, b] = random.some(WORDS['en']!, 2, 2);
  return random.of<() => Record<string, unknown>>([
    () => ({ query: text }),
    () => ({ query: text, fuzzy: 'auto', prefix: 'last' }),
    () => ({ query: text, fuzzy: random.below(3), matchingStrategy: random.of(['any', 'all', 'most']) }),
    () => ({ query: `"${a} ${b}"`, mode: 'phrase' }),
    () => ({ query: `${a} AND NOT ${b}`, mode: 'boolean' }),
    () => ({ query: `${a!.slice(0, 3)}* OR *${b!.slice(-3)}`, mode: 'expression' }),
    () => ({ query: `"${a} ${b}"~${random.below(9)}`, mode: 'proximity' }),
  ])();
}

function narrowed(random: Choices): Record<string, unknown> {
  const from = random.below(40);
  return {
    filterMeta: random.maybe(0.2, () => ({ tags: random.some(TAGS, 1, 2) })),
    filter: random.maybe(0.2, () => `price >= ${from} AND (tags IN [alpha, gamma] OR NOT price = ${from + 5})`),
    rangeMeta: random.maybe(0.2, () => [{ field: 'price', gte: from, lt: from + 20 }]),
    langs: random.maybe(0.15, () => random.some(LANGS, 1, 2)),
    geo: random.maybe(0.1, () => ({ lat: 48.5, lng: 11.5, radiusMeters: 20_000 + random.below(50_000) })),
  };
}

function paged(random: Choices): Record<string, unknown> {
  return { limit: 1 + random.below(20), offset: random.maybe(0.3, () => random.below(30)) };
}

function counted(random: Choices): Record<string, unknown> {
  return {
    facetBy: random.maybe(0.3, () => random.distinct(['tags', 'price', 'lang'], 1, 2)),
    boost: random.maybe(0.2, () => ({ [`tags:${random.of(TAGS)}`]: 0.5 + random.number() * 3 })),
    sort: random.maybe(0.2, () => random.of(['price:asc', 'title:desc', 'score:desc,price:asc', 'updatedAt:desc'])),
  };
}

const KINDS: readonly ((random: Choices) => SearchRequest)[] = [
  (random) => ({
    path: '/v1/fts',
    body: {
      ...query(random),
      ...narrowed(random),
      ...paged(random),
      ...counted(random),
      algorithm: random.maybe(0.5, () => random.of(['tfidf', 'bm25', 'bm25f'])),
      rerank: random.maybe(0.2, () => false),
      highlight: random.maybe(0.3, () => true),
      disableStem: random.maybe(0.1, () => true),
      lang: random.maybe(0.2, () => random.of(LANGS)),
    },
  }),
  (random) => ({
    path: '/v1/hybrid-search',
    body: {
      query: typed(random),
      ...narrowed(random),
      ...paged(random),
      vectorField: 'dense',
      queryVector: vector(random, 6),
      vectorAlgorithm: 'flat',
      strategy: random.maybe(0.5, () => random.of(['alpha', 'rrf'])),
      alpha: random.maybe(0.5, () => random.number()),
      facetBy: random.maybe(0.3, () => ['tags']),
    },
  }),
  (random) => ({
    path: '/v1/vector-search',
    body: {
      ...narrowed(random),
      ...paged(random),
      ...random.of<() => Record<string, unknown>>([
        () => ({ vectorField: 'dense', queryVector: vector(random, 6), algorithm: 'flat' }),
        () => ({ vectorField: 'tokens', queryVectors: [vector(random, 4), vector(random, 4)], algorithm: 'flat' }),
        () => ({ vectorField: 'sparse', querySparse: sparse(random) }),
      ])(),
    },
  }),
  (random) => ({
    path: '/v1/search',
    body: {
      ...narrowed(random),
      geo: undefined,
      ...paged(random),
      sort: random.maybe(0.6, () => random.of(['price:asc', 'title:desc', 'updatedAt', 'key'])),
    },
  }),
  (random) => ({
    path: '/v1/aggregate',
    body: {
      ...narrowed(random),
      rangeMeta: undefined,
      facets: random.distinct(['tags', 'price', 'lang'], 1, 2).map((field) => ({
        field,
        orderBy: random.of(['count', 'value']),
      })),
      maxFacetSize: 1 + random.below(8),
      geohash: random.maybe(0.3, () => ({ precision: 4 })),
    },
  }),
  (random) => ({
    path: '/v1/geo-search',
    body: { ...narrowed(random), geo: undefined, ...paged(random), lat: 48.5, lng: 11.5, radiusMeters: 30_000 },
  }),
  (random) => ({
    path: '/v1/geo-within',
    body: {
      ...narrowed(random),
      geo: undefined,
      ...paged(random),
      minLat: 48.2,
      maxLat: 48.8,
      minLng: 11.1,
      maxLng: 11.9,
    },
  }),
];

export function randomRequest(random: Choices): SearchRequest {
  return random.of(KINDS)(random);
}
