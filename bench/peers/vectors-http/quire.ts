import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { startQuire } from '../../support/server.ts';
import { prepare } from '../../support/wire.ts';
import { drawOf, DRAWS, K } from '../vectors/job.ts';
import { base64Of, FIELDS, type HttpPeer, valuesOf } from './peer.ts';

const COLLECTION = 'rows';
const FIELD = 'v';
/** Small collections are scanned for good; a structure of a large one is not awaited for longer. */
const BUILD_SECONDS = 600;
/** Up to this many bytes, the rows are scanned, whatever a search asks for (`src/search/vector/README.md`). */
const SCANNED_BYTES = 1 << 20;

interface Answer {
  readonly algorithm: string;
  readonly results: readonly { readonly document: { readonly key: string } }[];
}

/** Documents with a short text, and a vector of their own in a field. */
export const quire: HttpPeer = {
  name: 'Quire',
  note: 'documents with a vector field of their own, written in batches and searched by `/v1/vector-search`; `flat` ' +
    'is its default, an exact scan',
  methods: ['hnsw', 'flat'],
  missing: () => undefined,
  async start(folder, dims) {
    const { url, pid, stop } = await startQuire(join(folder, 'quire.db'));
    const call = async (method: string, path: string, body: object): Promise<string> => {
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text.slice(0, 500)}`);
      return text;
    };
    await call('PUT', '/v1/collection-config', {
      collection: COLLECTION,
      vectors: { [FIELD]: { dimensions: dims, metric: 'cosine' } },
    });
    const bodyOf = (algorithm: string, query: Float32Array): object => ({
      collection: COLLECTION,
      vectorField: FIELD,
      queryVector: base64Of(query),
      topK: K,
      algorithm,
      fields: ['key'],
    });
    let last = new Float32Array(dims).fill(1);
    let count = 0;
    return {
      url,
      pid,
      async add(rows, first) {
        const documents = Array.from({ length: rows.length / dims }, (_, i) => {
          const { tenth, hundredth } = valuesOf(drawOf(first + i) / DRAWS);
          last = rows.slice(i * dims, (i + 1) * dims);
          return {
            key: String(first + i),
            lang: 'en',
            contentMd: `Row ${first + i}`,
            meta: { tenth: [String(tenth)], hundredth: [String(hundredth)] },
            vectors: { [FIELD]: base64Of(last) },
          };
        });
        await call('POST', '/v1/add-batch', { collection: COLLECTION, documents });
        count += documents.length;
      },
      async build() {
        const end = performance.now() + BUILD_SECONDS * 1000;
        for (;;) {
          const { algorithm } = JSON.parse(await call('POST', '/v1/vector-search', bodyOf('hnsw', last))) as Answer;
          if (algorithm === 'hnsw' || count * dims * 4 <= SCANNED_BYTES) return;
          if (performance.now() > end) throw new Error(`Quire's graph was not ready within ${BUILD_SECONDS} s`);
          await setTimeout(200);
        }
      },
      request: (method, query, share) =>
        prepare('/v1/vector-search', {
          ...bodyOf(method, query),
          ...(share !== 1 && { filter: `${FIELDS[share]} = 0` }),
        }),
      rowsOf: (body) => (JSON.parse(body) as Answer).results.map(({ document }) => Number(document.key)),
      stop,
    };
  },
};
