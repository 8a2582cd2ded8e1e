import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { corpusFolder, linesOf } from '../support/corpus.ts';

export interface JudgedDocument {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

/** A collection with human judgements: relevance by document, by query. */
export interface Judged {
  readonly name: string;
  readonly documents: readonly JudgedDocument[];
  readonly queries: readonly { readonly id: string; readonly text: string }[];
  readonly relevance: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

/** A folder of `corpus.ndjson.gz`, `queries.ndjson` and `qrels.tsv`; undefined if it is not available. */
export async function judgedCollection(name: string): Promise<Judged | undefined> {
  const folder = corpusFolder(join('ir', name));
  if (folder === undefined) return undefined;
  const relevance = new Map<string, Map<string, number>>();
  for (const line of readFileSync(join(folder, 'qrels.tsv'), 'utf8').trim().split('\n')) {
    const [query, document, value] = line.split('\t') as [string, string, string];
    const known = relevance.get(query) ?? new Map<string, number>();
    relevance.set(query, known.set(document, Math.max(0, Number(value))));
  }
  return {
    name,
    documents: await rowsOf<JudgedDocument>(join(folder, 'corpus.ndjson.gz'),
      ({ id, title, text }) => ({ id, title: title ?? '', text: text ?? '' })),
    queries: await rowsOf(join(folder, 'queries.ndjson'), ({ id, text }) => ({ id, text })),
    relevance,
  };
}

async function rowsOf<T extends object>(file: string, pick: (row: T) => T): Promise<T[]> {
  const rows: T[] = [];
  for await (const line of linesOf(file)) if (line !== '') rows.push(pick(JSON.parse(line) as T));
  return rows;
}

/** Published figures for a collection, by the name of the engine; empty if none are available. */
export function baselinesOf(
  name: string,
): Readonly<Record<string, { ndcg10: number; map: number; recall100: number }>> {
  const folder = corpusFolder('ir');
  if (folder === undefined) return {};
  try {
    const all = JSON.parse(readFileSync(join(folder, 'baseline.json'), 'utf8')) as Record<string,
      ReturnType<typeof baselinesOf>>;
    return all[name] ?? {};
  } catch {
    return {};
  }
}
