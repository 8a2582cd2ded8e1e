import { expect } from 'vitest';
import type { DocsServer } from '../docs-server.ts';
import type { HttpClient } from '../http-client.ts';
import { skipOrdinals } from '../ordinals.ts';
import { type Choices, randomDocument, randomRequest, type TestDocument, VECTOR_FIELDS } from './requests.ts';

/** Ordinals of one partition that follow each other. */
const IN_A_ROW = 1024;
const NAMES = ['one', 'many'] as const;

/** A collection with one partition, `one`, and one with several, `many`, which have the same documents. */
export class OneAndMany {
  readonly #sql: DocsServer['sql'];
  readonly #http: HttpClient;
  readonly #partitions: number;

  constructor(server: DocsServer, http: HttpClient, partitions: number) {
    this.#sql = server.sql;
    this.#http = http;
    this.#partitions = partitions;
  }

  /** Makes the collections, in which some documents are replaced and some deleted. */
  async fill(random: Choices): Promise<void> {
    const documents = Array.from({ length: 600 }, (_, i) => randomDocument(random, i));
    await this.#ask('/v1/collection-config', { collection: 'one', vectors: VECTOR_FIELDS }, 'PUT');
    await this.#ask('/v1/collection-config', {
      collection: 'many',
      vectors: VECTOR_FIELDS,
      partitions: this.#partitions,
    }, 'PUT');
    await this.#add(documents.slice(0, 500));
    await this.#add(documents.slice(500));
    for (const collection of NAMES) {
      for (const { key, lang } of documents.slice(100, 140)) await this.#ask('/v1/delete', { collection, key, lang });
      for (const { key, lang } of documents.slice(200, 220))
        await this.#ask('/v1/update', { collection, key, lang, contentMd: 'words of an update' }, 'PATCH');
    }
  }

  /** Adds documents to both; those of the divided one are spread over its partitions. */
  async #add(documents: readonly TestDocument[]): Promise<void> {
    const each = Math.ceil(documents.length / this.#partitions);
    const { ord } = (await this.#sql.get<{ ord: number }>('SELECT coalesce(max(ord), 0) AS ord FROM documents'))!;
    let next = (Math.floor(ord / IN_A_ROW) + 1) * IN_A_ROW;
    for (const collection of NAMES) {
      for (let i = 0; i < documents.length; i += each) {
        await skipOrdinals(this.#sql, next);
        next += IN_A_ROW;
        await this.#ask('/v1/add-batch', { collection, documents: documents.slice(i, i + each) });
      }
    }
  }

  async #ask(path: string, body: object, method = 'POST'): Promise<void> {
    const answer = await this.#http.post(path, body, method);
    expect(answer.status, `${path} ${JSON.stringify(body)}: ${answer.text}`).toBe(200);
  }
}

/** Expects the same answers of both collections to random searches; `told` says how they were made. */
export async function expectSameAnswers(http: HttpClient, random: Choices, requests: number,
  told: string): Promise<void>
{
  for (let i = 0; i < requests; i++) {
    const { path, body } = randomRequest(random);
    const [one, many] = await Promise.all(NAMES.map((collection) => http.post(path, { collection, ...body })));
    const request = `request ${i} of ${told}: ${path} ${JSON.stringify(body)}`;
    expect(one!.status, `${request}: ${one!.text}`).toBe(200);
    const expected = comparable(one!.json());
    expect([many!.status, rounded(comparable(many!.json()), expected)], request).toEqual([200, expected]);
  }
}

/** Expects the same completions of words. */
export async function expectSameCompletions(http: HttpClient): Promise<void> {
  for (const q of ['se', 'wor', 'd', 'sé', 'Ha', '検']) {
    const [one, many] = await Promise.all(
      NAMES.map((collection) =>
        http.get(`/v1/autocomplete?collection=${collection}&q=${encodeURIComponent(q)}&topN=8`)
      ),
    );
    expect(comparable(many!.json()), q).toEqual(comparable(one!.json()));
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
