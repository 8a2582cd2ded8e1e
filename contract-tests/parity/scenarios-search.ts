import type { Calls, Scenario } from './transcript.ts';

const TEXTS: readonly [string, string, Record<string, string[]>][] = [['apples',
  '# Apples\n\nRed apples grow on trees. Apples are sweet fruit.', {
  kind: ['fruit'],
  year: ['2019'],
  geo_lat: ['52.5163'],
  geo_lng: ['13.3777'],
}], ['pears', '# Pears\n\nGreen pears grow on old trees near the river.', { kind: ['fruit', 'green'], year: ['2021'] }],
  ['whales', '# Whales\n\nBlue whales swim in cold seas, far from any tree.', {
    kind: ['animal'],
    year: ['2020'],
    geo_lat: ['48.85'],
    geo_lng: ['2.35'],
  }], ['copy', '# Apples\n\nRed apples grow on trees. Apples are sweet fruit.', { kind: ['copy'] }]];
const DOCUMENTS = TEXTS.map(([key, contentMd, meta]) => ({ key, lang: 'en', contentMd, meta }));

/** Exact in 32 bits, which is the precision of vectors in gRPC. */
const VECTOR = Array.from({ length: 256 }, (_, i) => ((i * 37) % 17 - 8) / 16);

/** Vectors are stored after the write; `force` waits for all of them. */
async function withVectors({ ok }: Calls): Promise<void> {
  await ok('addDocuments', { documents: DOCUMENTS });
  await ok('reindexVectors', { force: true });
}

/** Two pages by cursor, and the refusals of a cursor by another query and with an offset. */
export async function walk({ ok, refused }: Calls,
  operation: 'searchVectors' | 'searchHybrid' | 'findSimilar' | 'recallMemory', input: object): Promise<void>
{
  const { value: { nextCursor } } = (await ok(operation, { ...input, cursor: '*', limit: 1 })) as {
    value: { nextCursor: string };
  };
  await ok(operation, { ...input, cursor: nextCursor, limit: 2 });
  await refused('invalid_argument', operation, { ...input, sort: 'lang', cursor: nextCursor });
  await refused('invalid_argument', operation, { ...input, cursor: '*', offset: 1 });
}

/** Lexical, vector and hybrid search. */
export const searches: Record<string, Scenario> = {
  async 'words are found in every mode, by every algorithm'({ ok, refused }: Calls) {
    await ok('addDocuments', { documents: DOCUMENTS });
    const search = (query: string, more: object = {}) => ok('searchFullText', { query, ...more });
    await search('apples');
    await search('nothing like this');
    for (const algorithm of ['tfidf', 'bm25', 'bm25f', 'pmisparse'])
      await search('old trees', { algorithm, includeContent: false });
    await search('trees', { mode: 'simple', limit: 2 });
    await search('red AND apples NOT green', { mode: 'boolean' });
    await search('"grow on trees"', { mode: 'phrase' });
    await search('app*', { mode: 'wildcard' });
    await search('"red trees"~5', { mode: 'proximity', distance: 5 });
    await search('(apples OR whales) AND (red OR cold)', { mode: 'expression' });
    await search('appels', { fuzzy: 2, disableStem: true });
    await search('appels', { fuzzy: 'auto' });
    await search('app', { prefix: 'last' });
    await search('red tre', { prefix: 'last', matchingStrategy: 'all', highlight: true, highlightEscape: 'html' });
    await search('red apples trees whales', { matchingStrategy: 'most' });
    await search('red apples', { matchingStrategy: 'all', partial: true });
    for (const totals of ['exact', 'bounded', 'none']) await search('red apples', { totals });
    await search('appels');
    await search('apples AND');
    await search('old trees', { rerank: false });
    await search('tree', { disableStem: true, disableSynonyms: true, lang: 'en' });
    await search('trees', { highlight: true, highlightTag: '<b>', maxHighlights: 1, fragmentSize: 40 });
    await search('trees', { facetBy: ['kind', 'lang', 'none'], facetMaxValues: 1 });
    await search('trees', { rangeMeta: [{ field: 'year', gte: 2020, lt: '2022' }], boost: { 'kind:green': 3 } });
    await search('trees', { filterMeta: { kind: ['animal', 'green'] }, fields: ['kind'] });
    await search('trees', { filter: { field: 'year', gte: 2020, lt: 2021.5 }, langs: ['en'], topK: 1 });
    await search('trees', {
      filter: { or: [{ field: 'year', eq: 2019 }, { field: 'year', eq: '2021.0' }, { field: 'kind', eq: true }] },
    });
    const { value: first } = (await search('trees', { cursor: '*', limit: 1 })) as { value: { nextCursor: string } };
    await search('trees', { cursor: first.nextCursor, limit: 2 });
    await refused('invalid_argument', 'searchFullText', { query: 'apples', cursor: first.nextCursor });
    await search('trees', { offset: 1, limit: 1 });
    await search('trees', { geo: { lat: 52.5, lng: 13.375, radiusMeters: 5000 } });
    for (const sort of ['year:asc, score', 'score:asc,key', 'kind:desc']) await search('trees', { sort });
    await search('trees', { fieldWeights: { content: 2, title: 0.5 }, algorithm: 'bm25f', contextTokenBudget: 20 });
    await refused('missing_fields', 'searchFullText');
    for (const bad of [{ query: 'a AND (b', mode: 'expression' }, { query: 'a', mode: 'guess' }, {
      query: 'a',
      fuzzy: 9,
    }, { query: 'a', limit: 0 }, { query: 'a', limit: 10_001 }, { query: 'a', algorithm: 'magic' }])
      await refused('invalid_argument', 'searchFullText', bad);
    await ok('autocomplete', { q: 'app' });
    await ok('autocomplete', { q: 'gr', field: 'content', topN: 1 });
    await ok('reindexFullText');
    await ok('listFullTextLanguages');
    await ok('aggregateDocuments', { geo: { lat: 50, lng: 8, radiusMeters: 1e6 }, geohash: { precision: 3, size: 5 } });
    await ok('aggregateDocuments', { geohash: {} });
    await refused('invalid_argument', 'aggregateDocuments', { geohash: { precision: 13 } });
    await ok('aggregateDocuments', { filterMeta: { kind: ['fruit'] }, facets: [{ field: 'kind' }] });
    await ok('aggregateDocuments', {
      filter: { text: 'year > 2019 OR kind = copy' },
      langs: ['en'],
      facets: [{ field: 'kind' }],
    });
    await ok('aggregateDocuments', {
      facets: [{ field: 'kind' }, { field: 'year', orderBy: 'value' }],
      histograms: [{ field: 'addedAt', interval: 'month' }],
      maxFacetSize: 2,
    });
    await refused('invalid_argument', 'aggregateDocuments', { facets: [{ field: 'a' }, { field: 'a' }] });
  },

  async 'documents are found by where they are'({ ok, refused }) {
    await ok('addDocuments', { documents: DOCUMENTS });
    const near = { lat: 52.5, lng: 13.375, radiusMeters: 5000 };
    for (const more of [{}, { radiusMeters: 1e6, topK: 1, offset: 1 }, { radiusMeters: 1e6, limit: 1 }, {
      radiusMeters: 1e6,
      algorithm: 'geohash',
      distance: 'geodesic',
    }, { filterMeta: { kind: ['fruit'] }, includeContent: true }, { filter: { text: 'year < 2000' }, langs: ['en'] }, {
      rangeMeta: [{ field: 'year', gte: 2020, lt: '2022' }],
      fields: ['kind'],
    }])
      await ok('searchGeo', { ...near, ...more });
    await ok('searchGeoWithin', { minLat: 40, maxLat: 60, minLng: 170, maxLng: 20 });
    await ok('searchGeoWithin', {
      minLat: 40,
      maxLat: 60,
      minLng: 0,
      maxLng: 20,
      offset: 1,
      limit: 1,
      includeContent: true,
      langs: ['en'],
    });
    await ok('searchGeoWithin', {
      minLat: 40,
      maxLat: 60,
      minLng: 0,
      maxLng: 20,
      filterMeta: { kind: ['animal'] },
      filter: { text: 'year <= 2020' },
      rangeMeta: [{ field: 'year', gte: 2020, lt: '2022' }],
      fields: ['contentMd'],
    });
    const ring = [[0, 40], [20, 40], [20.5, 60], [0, 60]];
    await ok('searchGeoPolygon', {
      polygon: { type: 'Polygon', coordinates: [ring, [[13, 52], [14, 52], [14, 53], [13, 53], [13, 52]]] },
    });
    await ok('searchGeoPolygon', {
      multiPolygon: { coordinates: [[ring], [[[175, 0], [185, 0], [180, 5]]]] },
      filterMeta: { kind: ['animal'] },
      limit: 5,
    });
    await ok('searchGeoPolygon', {
      polygon: { type: 'Polygon', coordinates: [ring] },
      filter: { text: 'year > 2000' },
      langs: ['en'],
      rangeMeta: [{ field: 'year', gte: 2020, lt: '2022' }],
      fields: ['kind'],
      offset: 1,
      includeContent: true,
    });
    await ok('encodeGeohash', { lat: -90, lng: 180 });
    await ok('decodeGeohash', { geohash: 'EZS42' });
    for (const bad of [{ lat: 91 }, { radiusMeters: 0 }, { topK: 0 }, { algorithm: 'magic' }, { distance: 'far' }])
      await refused('invalid_argument', 'searchGeo', { ...near, ...bad });
    await refused('invalid_argument', 'searchGeoWithin', { minLat: 60, maxLat: 40, minLng: 0, maxLng: 20 });
    await refused('missing_fields', 'searchGeo');
    await refused('invalid_argument', 'decodeGeohash', { geohash: 'ail' });
    await refused('invalid_argument', 'reindexGeo', { loadPostcodes: [{ country: 'DE', csvPath: '../x.csv' }] });
  },

  async 'misspelled words are corrected'({ ok, refused }) {
    await ok('addDocuments', { documents: DOCUMENTS });
    await ok('suggestSpelling', { text: 'Red aples and whlaes', lang: 'en' });
    await ok('suggestSpelling', { text: 'aples', lang: 'en', maxSuggestions: 1 });
    await ok('cleanSpelling', { text: 'Red aples, `aples`', lang: 'en' });
    await ok('addDictionaryWords', { lang: 'en', words: ['Quire', 'codex'], frequency: 3 });
    await ok('listDictionary', { lang: 'en' });
    await ok('deleteDictionaryWords', { lang: 'en', words: ['quire', 'none'] });
    for (const operation of ['suggestSpelling', 'cleanSpelling', 'addDictionaryWords'] as const)
      await refused('missing_fields', operation, { lang: 'en' });
    await refused('invalid_argument', 'addDictionaryWords', { lang: 'en', words: ['two words'] });
  },

  async 'synonyms, stop words and curation bend what is found'({ ok, refused }) {
    await ok('addDocuments', { documents: DOCUMENTS });
    await ok('addSynonyms', { term: 'Cetacean', synonyms: ['whales', 'Dolphin'] });
    await ok('listSynonyms');
    await ok('searchFullText', { query: 'cetacean' });
    await ok('deleteSynonym', { term: 'cetacean' });
    await refused('missing_fields', 'addSynonyms', { term: 'x' });
    await ok('addStopWords', { words: ['Apples', 'the'] });
    await ok('listStopWords');
    await ok('searchFullText', { query: 'apples' });
    await ok('deleteStopWords', { words: ['apples'] });
    await refused('invalid_argument', 'addStopWords', { words: [] });
    const rule = {
      query: 'trees',
      matchMode: 'exact',
      pins: [{ key: 'whales', lang: 'en', position: 1 }, { key: 'pears', position: 0 }],
      hides: ['copy'],
      enabled: true,
    };
    const made = await ok('createCurationRule', rule);
    const { id } = (made as { value: { id: string } }).value;
    await ok('searchFullText', { query: 'trees', includeContent: false });
    await ok('listCurationRules');
    await ok('createCurationRule', { query: 'seas', hides: ['copy'] });
    await ok('listCurationRules', { offset: 1, limit: 1 });
    await refused('invalid_argument', 'listCurationRules', { limit: 0 });
    await ok('listCurationRules', { id });
    await ok('updateCurationRule', { id, query: 'trees', hides: ['apples'] });
    await ok('deleteCurationRule', { id });
    await refused('not_found', 'deleteCurationRule', { id });
    await refused('missing_fields', 'createCurationRule');
  },

  async 'vectors are searched by a vector and by text'(calls) {
    const { ok, refused } = calls;
    await withVectors(calls);
    await ok('searchVectors', { query: 'blue whales in the sea' });
    await ok('searchVectors', { queryVector: VECTOR, includeContent: true });
    await ok('searchVectors', { queryVector: VECTOR, topK: 1, threshold: 0 });
    await ok('searchVectors', { queryVector: VECTOR, geo: { lat: 52.5, lng: 13.375, radiusMeters: 5000 } });
    await ok('searchVectors', { queryVector: VECTOR, limit: 2, offset: 1, threshold: 0 });
    await ok('searchVectors', { queryVector: VECTOR, limit: 2, filter: { text: 'NOT kind = copy' }, langs: ['en'] });
    await ok('searchVectors', { query: 'apples', topK: 2, filterMeta: { kind: ['fruit'] }, includeContent: false });
    for (const distanceMetric of ['cosine', 'dot_product', 'euclidean'])
      await ok('searchVectors', { queryVector: VECTOR, distanceMetric, threshold: 0 });
    for (const algorithm of ['hnsw', 'sq', 'bq'])
      await ok('searchVectors', { query: 'red apples', algorithm, topK: 1 });
    await ok('searchVectors', { query: 'red apples', retrievalMode: 'chunk', topK: 1 });
    await ok('searchVectors', {
      query: 'red apples',
      retrievalMode: 'window',
      windowSize: 2,
      mmr: true,
      mmrLambda: 0.25,
      oversample: 1.5,
      contextTokenBudget: 100,
      fields: ['kind'],
    });
    await ok('searchVectors', { query: 'red apples', rerank: 'none', partial: true });
    await ok('searchVectors', { query: 'red apples', rangeMeta: [{ field: 'year', gte: 2020, lt: '2022' }] });
    await ok('searchVectors', { query: 'red apples', boost: { 'kind:animal': 3, 'year:2019': -2 } });
    await refused('invalid_argument', 'searchVectors', { query: 'red apples', boost: { animal: 3 } });
    await ok('searchVectors', { query: 'red apples', facetBy: ['kind', 'lang', 'none'], facetMaxValues: 1 });
    await walk(calls, 'searchVectors', { queryVector: VECTOR, distanceMetric: 'euclidean' });
    await walk(calls, 'searchVectors', { query: 'apples', retrievalMode: 'chunk', sort: 'year:desc, key' });
    await ok('searchVectors', { queryVector: VECTOR, distanceMetric: 'euclidean', sort: 'year:asc, score', offset: 1 });
    await refused('invalid_argument', 'searchVectors', { query: 'apples', mmr: true, sort: 'year:asc' });
    await ok('searchVectors', { query: 'red apples', retrievalMode: 'chunk', passagesPerDocument: 1 });
    await refused('invalid_argument', 'searchVectors', { query: 'apples', passagesPerDocument: 0 });
    for (const operation of ['searchFullText', 'searchHybrid'] as const) {
      await ok(operation, { query: 'red apples', mmr: true, mmrLambda: 0.25, limit: 2 });
      await refused('invalid_argument', operation, { query: 'apples', mmr: true, cursor: '*' });
    }
    await ok('searchHybrid', {
      query: 'red apples',
      retrievalMode: 'chunk',
      passagesPerDocument: 1,
      highlight: true,
      fragmentSize: 20,
    });
    await refused('missing_fields', 'searchVectors');
    await refused('invalid_argument', 'searchVectors', { query: 'red apples', rerank: 'magic' });
    for (const bad of [{ queryVector: [0.5, 0.25] }, { queryVector: [] }, { query: 'a', topK: 0 }, {
      query: 'a',
      topK: 1001,
    }, { query: 'a', threshold: -1 }, { query: 'a', mmrLambda: 2 }, { query: 'a', algorithm: 'magic' }])
      await refused('invalid_argument', 'searchVectors', bad);
  },

  async 'vectors of clients are written, read and searched'({ ok, refused, collection }) {
    await ok('setCollectionConfig', { vectors: { a: { dimensions: 2 }, t: { kind: 'multi', dimensions: 2 } } });
    await ok('getCollectionConfig');
    const first = { key: 'one', lang: 'en', contentMd: 'One apple.' };
    await ok('addDocument', { ...first, vectors: { a: [1, 0.5], t: [[1, 0], [0, 1]] } });
    await ok('addDocuments', {
      documents: [{ ...first, key: 'two', vectors: { a: [{ vector: 'AACAPwAAAAA=', start: 1, end: 1 }] } }, {
        ...first,
        key: 'bad',
        vectors: { a: [1] },
      }],
    });
    await ok('ingestDocuments', { documents: [{ ...first, key: 'three', vectors: { t: [[1, 1]] } }] });
    await ok('updateDocument', { key: 'three', lang: 'en', vectors: { a: [0.25, 1] } });
    for (const key of ['one', 'two', 'three']) await ok('getDocument', { key, lang: 'en', includeVectors: true });
    await ok('searchDocuments', { includeVectors: true });
    await ok('searchFullText', { query: 'apple', includeVectors: true });
    const nearest = { vectorField: 'a', queryVector: [1, 0.25], includeVectors: true };
    await ok('searchVectors', nearest);
    await ok('searchVectors', { ...nearest, retrievalMode: 'chunk' });
    await ok('searchVectors', { vectorField: 't', queryVectors: [[1, 0], [0.5, 1]], includeVectors: true });
    await ok('searchVectors', {
      vectorFields: [{ field: 'a', vector: [1, 0], weight: 0.5 }, { field: 't', vectors: [[1, 1]] }],
      includeVectors: true,
    });
    await ok('searchHybrid', { query: 'apple', ...nearest });
    await ok('searchHybrid', { query: 'apple', vectorField: 't', queryVectors: [[1, 0]], includeVectors: true });
    await ok('findSimilar', { key: 'one', vectorField: 'a', includeVectors: true, partial: true });
    await ok('searchAcrossCollections', { vectorField: 'a', queryVector: [1, 0.25], targetCollections: [collection] });
    await refused('invalid_argument', 'addDocument', { ...first, vectors: { a: [1, 2, 3] } });
    await refused('invalid_argument', 'addDocument', { ...first, vectors: { b: [1, 2] } });
    await refused('invalid_argument', 'searchVectors', { vectorField: 'b', queryVector: [1, 2] });
    await refused('invalid_argument', 'searchVectors', { vectorField: 'a', queryVector: [1] });
    await ok('setCollectionConfig', { vectors: { t: null } });
    await ok('getCollectionConfig');
  },

  async 'sparse vectors of clients are written, read and searched'({ ok, refused }) {
    await ok('setCollectionConfig', { vectors: { s: { kind: 'sparse' }, a: { dimensions: 2 } } });
    await ok('getCollectionConfig');
    const first = { key: 'one', lang: 'en', contentMd: 'One apple.' };
    await ok('addDocument', { ...first, vectors: { s: { indices: [4_294_967_295, 7], values: [0.5, 2] } } });
    await ok('addDocuments', {
      documents: [{ ...first, key: 'two', vectors: { s: { indices: [7], values: [1] }, a: [1, 0] } }],
    });
    await ok('getDocument', { key: 'one', lang: 'en', includeVectors: true });
    const nearest = { vectorField: 's', querySparse: { indices: [7, 9], values: [2, 1] }, includeVectors: true };
    await ok('searchVectors', nearest);
    await ok('searchVectors', {
      vectorFields: [{ field: 's', sparse: { indices: [7], values: [1] }, weight: 0.5 }, {
        field: 'a',
        vector: [1, 0],
      }],
      includeVectors: true,
    });
    await ok('searchHybrid', { query: 'apple', ...nearest });
    await refused('invalid_argument', 'addDocument', { ...first, vectors: { s: { indices: [1, 1], values: [1, 2] } } });
    await refused('invalid_argument', 'searchVectors', { vectorField: 'a', querySparse: nearest.querySparse });
  },

  async 'fragments are escaped where a request asks for it, and only there'({ ok }) {
    await ok('addDocument', { key: 'markup', lang: 'en', contentMd: 'A `List<String>` & <b>bold</b> "apples".' });
    // By words alone, because the document may have vectors by the time of a later call.
    for (const [operation, more] of [['searchFullText', {}], ['searchHybrid', { alpha: 0 }]] as const) {
      for (const highlightEscape of [undefined, 'none', 'html'])
        await ok(operation, { query: 'apples', highlight: true, highlightEscape, ...more });
    }
  },

  async 'words and meaning are blended, spread over collections, and compared'(calls) {
    const { ok, refused, collection } = calls;
    await withVectors(calls);
    for (const more of [{}, { alpha: 0 }, { alpha: 0.25, facetBy: ['kind'] }, { strategy: 'rrf', rrfK: 10, topK: 2 }, {
      geo: { lat: 52.5, lng: 13.375, radiusMeters: 5000 },
      sort: 'distance',
    }, { highlight: true, highlightTag: '<b>', highlightEscape: 'html', maxHighlights: 1, fragmentSize: 40 }, {
      totals: 'exact',
      highlight: true,
    }, { totals: 'bounded', facetBy: ['kind'] }, {
      algorithm: 'bm25f',
      fuzzy: 1,
      boost: { 'kind:animal': 2 },
      rangeMeta: [{ field: 'year', gte: 2020, lt: '2022' }],
      includeContent: false,
    }, {
      filterMeta: { kind: ['fruit'] },
      fields: ['year'],
    }, { filter: { text: 'year <= 2020' }, langs: ['en'], limit: 1 }, {
      offset: 1,
      limit: 1,
      matchingStrategy: 'all',
      partial: false,
      rerank: 'none',
    }, { prefix: 'last', fuzzy: 'auto' }]) {
      await ok('searchHybrid', { query: 'apples on trees', ...more });
    }
    await walk(calls, 'searchHybrid', { query: 'apples on trees' });
    await walk(calls, 'searchHybrid', { query: 'apples on trees', sort: 'kind:asc, score', includeContent: true });
    await walk(calls, 'searchHybrid', {
      query: 'trees',
      sort: 'distance',
      geo: { lat: 50, lng: 8, radiusMeters: 1e6 },
    });
    await ok('searchHybrid', {
      query: 'apples on trees',
      vectorAlgorithm: 'sq',
      distanceMetric: 'euclidean',
      threshold: 0.25,
      disableStem: true,
      disableSynonyms: true,
      facetBy: ['kind'],
      facetMaxValues: 1,
    });
    await ok('searchHybrid', {
      query: 'apples on trees',
      retrievalMode: 'window',
      windowSize: 1,
      oversample: 1.5,
      contextTokenBudget: 20,
    });
    await ok('searchHybrid', { query: 'apples on trees', sort: 'year:desc', retrievalMode: 'chunk', fuzzy: 'auto' });
    await refused('missing_fields', 'searchHybrid');
    for (const bad of [{ sort: 'distance' }, { alpha: 2 }, { topK: 0 }, { strategy: 'luck' }, {
      geo: { lat: 91, lng: 0, radiusMeters: 1 },
    }]) await refused('invalid_argument', 'searchHybrid', { query: 'apples', ...bad });
    const targets = { targetCollections: [collection, `${collection}-none`] };
    await ok('searchAcrossCollections', {
      sourceCollection: collection,
      sourceDocID: 'apples',
      ...targets,
      includeContent: true,
    });
    await ok('searchAcrossCollections', {
      query: 'whales',
      ...targets,
      topK: 1,
      limit: 1,
      filterMeta: { kind: ['animal'] },
    });
    await ok('searchAcrossCollections', { query: 'whales', ...targets, topK: 1, fields: ['kind', 'contentMd'] });
    await ok('searchAcrossCollections', {
      query: 'whales',
      ...targets,
      filter: { text: 'kind != animal' },
      langs: ['en'],
      rangeMeta: [{ field: 'year', gte: 2020, lt: '2022' }],
      boost: { 'kind:green': 2 },
    });
    await ok('searchAcrossCollections', {
      queryVector: VECTOR,
      ...targets,
      offset: 1,
      threshold: 0,
      algorithm: 'sq',
      distanceMetric: 'euclidean',
    });
    await refused('not_found', 'searchAcrossCollections', {
      sourceCollection: collection,
      sourceDocID: 'none',
      ...targets,
    });
    await ok('findSimilar', { key: 'apples', includeContent: true });
    await ok('findSimilar', {
      key: 'apples',
      lang: 'en',
      topK: 1,
      offset: 1,
      threshold: 0,
      filterMeta: { kind: ['fruit', 'animal'] },
      filter: { text: 'NOT kind = copy' },
      langs: ['en'],
      rangeMeta: [{ field: 'year', gte: 2020, lt: '2022' }],
      boost: { 'kind:animal': 2 },
      facetBy: ['kind', 'none'],
      facetMaxValues: 1,
    });
    await ok('findSimilar', {
      key: 'whales',
      limit: 2,
      geo: { lat: 52.5, lng: 13.375, radiusMeters: 5000 },
      algorithm: 'sq',
      distanceMetric: 'euclidean',
      fields: ['kind'],
      contextTokenBudget: 100,
    });
    await walk(calls, 'findSimilar', { key: 'apples', distanceMetric: 'euclidean' });
    await ok('findSimilar', { key: 'apples', sort: 'year:asc' });
    await ok('findSimilar', { key: 'apples', mmr: true, mmrLambda: 0.25, limit: 2 });
    await refused('not_found', 'findSimilar', { key: 'none' });
    await refused('missing_fields', 'findSimilar');
    for (const bad of [{ topK: 0 }, { topK: 2, limit: 1 }, { threshold: -1 }])
      await refused('invalid_argument', 'findSimilar', { key: 'apples', ...bad });
    await ok('classifyDocument', { key: 'whales', labels: ['red apples', 'blue whales'], topK: 1 });
    await ok('classifyDocument', {
      collection: undefined,
      text: 'red apples',
      labels: ['red apples', 'blue whales'],
      multi: true,
      threshold: -1,
    });
    await refused('not_found', 'classifyDocument', { key: 'none', labels: ['a'] });
    await ok('findDuplicates', { includeContent: true });
    await ok('findDuplicates', { mode: 'exact', maxDocs: 3 });
    await refused('invalid_argument', 'findDuplicates', { maxDocs: 0 });
  },

  async 'a code graph is walked'({ ok, refused }) {
    await ok('addDocuments', {
      documents: [{
        key: 'src/a.ts',
        lang: 'ts',
        contentMd: "import { b } from './b.ts';\n\nexport const a = () => b();\n",
      }, { key: 'src/b.ts', lang: 'ts', contentMd: 'export const b = () => 1;\n' }],
    });
    await ok('queryCodeGraph', { key: 'src/a.ts' });
    await ok('queryCodeGraph', { key: 'src/b.ts', direction: 'in', depth: 2, maxDegree: 5, lines: true });
    await refused('not_found', 'queryCodeGraph', { key: 'src/none.ts' });
    await refused('missing_fields', 'queryCodeGraph');
    await refused('invalid_argument', 'queryCodeGraph', { key: 'src/a.ts', direction: 'up' });
  },
};
