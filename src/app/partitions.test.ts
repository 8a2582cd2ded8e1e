import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DocsServer, startDocsServer } from '../testkit/docs-server.ts';
import { HttpClient } from '../testkit/http-client.ts';
import { skipOrdinals } from '../testkit/ordinals.ts';
import { Choices, randomDocument, randomRequest, type TestDocument,
  VECTOR_FIELDS } from '../testkit/partitions/requests.ts';

// oxlint-disable-next-line node/no-process-env -- switches of the test, and no settings of the service
const { QUIRE_PARTITION_REQUESTS = '150', QUIRE_PARTITION_SEED = '45' } = process.env;
const PARTITIONS = 3;
/** Ordinals of one partition that follow each other. */
const IN_A_ROW = 1024;

let server: DocsServer;
let http: HttpClient;

const ask = async (path: string, body: object, method = 'POST'): Promise<Record<string, unknown>> => {
  const answer = await http.post(path, body, method);
  expect(answer.status, `${path} ${JSON.stringify(body)}: ${answer.text}`).toBe(200);
  return answer.json();
};

const both = ['one', 'many'] as const;

/** Adds documents to both collections; those of the divided one are spread over its partitions. */
async function add(documents: readonly TestDocument[]): Promise<void> {
  const each = Math.ceil(documents.length / PARTITIONS);
  const { ord } = (await server.sql.get<{ ord: number }>('SELECT coalesce(max(ord), 0) AS ord FROM documents'))!;
  let next = (Math.floor(ord / IN_A_ROW) + 1) * IN_A_ROW;
  for (const collection of both) {
    for (let i = 0; i < documents.length; i += each) {
      await skipOrdinals(server.sql, next);
      next += IN_A_ROW;
      await ask('/v1/add-batch', { collection, documents: documents.slice(i, i + each) });
    }
  }
}

/** An answer without what names the collection, and how long it took. */
function comparable(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer).replaceAll('"many', '"one'),
    (name, value: unknown) => ['cursor', 'nextCursor', 'durationMs', 'requestId'].includes(name) ? undefined : value);
}

/** The same, with numbers of `like` where they differ only because sums were added in another order. */
function rounded(value: unknown, like: unknown): unknown {
  if (typeof value === 'number' && typeof like === 'number')
    return Math.abs(value - like) <= Math.abs(like) * 2e-6 ? like : value;
  if (typeof value !== 'object' || value === null || typeof like !== 'object' || like === null) return value;
  const others = like as Record<string, unknown>;
  if (Array.isArray(value)) return value.map((each, i) => rounded(each, others[i]));
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, rounded(each, others[name])]));
}

describe('a collection in partitions', () => {
  const random = new Choices(Number(QUIRE_PARTITION_SEED));
  const documents = Array.from({ length: 600 }, (_, i) => randomDocument(random, i));

  beforeAll(async () => {
    server = await startDocsServer({ clock: { now: () => 1_766_400_000_000 } });
    http = new HttpClient(server.url);
    await ask('/v1/collection-config', { collection: 'one', vectors: VECTOR_FIELDS }, 'PUT');
    await ask('/v1/collection-config', { collection: 'many', vectors: VECTOR_FIELDS, partitions: PARTITIONS }, 'PUT');
    await add(documents.slice(0, 500));
    await add(documents.slice(500));
    for (const collection of both) {
      for (const { key, lang } of documents.slice(100, 140)) await ask('/v1/delete', { collection, key, lang });
      for (const { key, lang } of documents.slice(200, 220))
        await ask('/v1/update', { collection, key, lang, contentMd: 'words of an update' }, 'PATCH');
    }
  });
  afterAll(async () => {
    http.close();
    await server.stop();
  });

  it('answers every search as one without them does', async () => {
    for (let i = 0; i < Number(QUIRE_PARTITION_REQUESTS); i++) {
      const { path, body } = randomRequest(random);
      const [one, many] = await Promise.all(both.map((collection) => http.post(path, { collection, ...body })));
      const told = `request ${i} of seed ${QUIRE_PARTITION_SEED}: ${path} ${JSON.stringify(body)}`;
      expect(one!.status, `${told}: ${one!.text}`).toBe(200);
      const expected = comparable(one!.json());
      expect([many!.status, rounded(comparable(many!.json()), expected)], told).toEqual([200, expected]);
    }
  });

  it('completes words as one without them does', async () => {
    for (const q of ['se', 'wor', 'd', 'sé', 'Ha', '検']) {
      const [one, many] = await Promise.all(
        both.map((collection) =>
          http.get(`/v1/autocomplete?collection=${collection}&q=${encodeURIComponent(q)}&topN=8`)
        ),
      );
      expect(comparable(many!.json()), q).toEqual(comparable(one!.json()));
    }
  });
});
