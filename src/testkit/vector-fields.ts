import { expect } from 'vitest';
import { type DocsServer, startDocsServer } from './docs-server.ts';
import { HttpClient } from './http-client.ts';

/** The server of the running test file, and a client of it; from `start` to `stop`. */
export let server: DocsServer;
export let http: HttpClient;

export async function start(env: Record<string, string> = {}): Promise<void> {
  server = await startDocsServer({ env });
  http = new HttpClient(server.url);
}

export async function stop(): Promise<void> {
  http.close();
  await server.stop();
}

/** The answer's JSON; fails unless the status is 200. */
export async function ask<T = Record<string, unknown>>(path: string, body: object, method = 'POST'): Promise<T> {
  const answer = await http.post(path, body, method);
  expect(answer.status, `${path}: ${answer.text}`).toBe(200);
  return answer.json<T>();
}

export const refusal = async (path: string, body: object, method = 'POST'): Promise<string> => {
  const answer = await http.post(path, body, method);
  expect(answer.status, answer.text).toBe(400);
  return answer.json<{ error: string }>().error;
};

export const declare = (collection: string, vectors: object, more: object = {}) =>
  ask('/v1/collection-config', { collection, vectors, ...more }, 'PUT');
export const add = (collection: string, key: string, vectors?: object, contentMd = `body of ${key}`) =>
  ask('/v1/add', { collection, key, lang: 'en', contentMd, vectors });
export const vectorsOf = async (collection: string, key: string): Promise<unknown> =>
  (await ask('/v1/get', { collection, key, lang: 'en', includeVectors: true }))['vectors'];

export interface Found {
  readonly algorithm: string;
  readonly results: readonly {
    readonly document: { readonly key: string };
    readonly score: number;
    readonly chunkText?: string;
  }[];
}

export const search = (collection: string, query: object) => ask<Found>('/v1/vector-search', { collection, ...query });
export const keysOf = ({ results }: Found): string[] => results.map(({ document: { key } }) => key);
