import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { drawQueries } from '../fulltext/draw-queries.ts';
import { type Texts, writeSynthetic } from '../fulltext/texts.ts';
import { type Ask, toQuery } from '../peers/filters/index.ts';

/** Keys of the metadata; their values are evenly distributed and unrelated to the text. */
const KEYS = ['half', 'twentieth', 'thousandth', 'common', 'day', 'price'] as const;
export const PAIRS_PER_DOCUMENT = KEYS.length;

const DAYS = 365;
const PRICES = 10_000;
/** Queries of a kind, with different values. */
const QUESTIONS = 100;

/** The queries over metadata; `words` is the baseline for searches with words. */
export const KINDS = {
  words: '3 words, any',
  half: '3 words, a filter passing 50 %',
  twentieth: '3 words, a filter passing 5 %',
  thousandth: '3 words, a filter passing 0.1 %',
  facet: '3 words, a facet of 20 values',
  range: '3 words, a range of dates passing 50 %',
  filter: 'a filter passing 50 % alone',
  sorted: 'a filter passing 90 %, sorted by a number',
  deep: 'the same from three quarters of the documents on',
  terms: 'counts of 20 values under a filter passing 50 %',
  histogram: 'counts of 365 days under a filter passing 50 %',
} as const;
export type FilterKind = keyof typeof KINDS;
/** Queries without words, for which all peers must find the same. */
export const EXACT_KINDS: readonly FilterKind[] = ['filter', 'sorted', 'deep', 'terms', 'histogram'];

export interface Question {
  readonly kind: FilterKind;
  readonly ask: Ask;
}

/** Texts, metadata and queries, as files for the peers. */
export interface FilterCollection {
  readonly texts: Texts;
  readonly meta: string;
  readonly queries: string;
  readonly questions: readonly Question[];
}

export async function writeCollection(folder: string, documents: number, words: number): Promise<FilterCollection> {
  const texts = await writeSynthetic(join(folder, 'texts.txt'), documents, words);
  const meta = join(folder, 'meta.tsv');
  await writeMeta(meta, texts.documents);
  const drawn = (await drawQueries(texts)).filter(({ kind }) => kind === 'or').map((query) => query.words).slice(0,
    QUESTIONS);
  const questions = (Object.keys(KINDS) as FilterKind[]).flatMap((kind) =>
    drawn.map((three, n): Question => ({ kind, ask: askOf(kind, n, three, texts.documents) }))
  );
  const queries = join(folder, 'questions.tsv');
  await writeFile(queries, questions.map(({ kind, ask }) => `${kind}\t${toQuery(ask)}\n`).join(''));
  return { texts, meta, queries, questions };
}

function askOf(kind: FilterKind, n: number, words: readonly string[], documents: number): Ask {
  const half = ['half', String(n % 2)] as const;
  const common = ['common', '1'] as const;
  const asks: Record<FilterKind, () => Ask> = {
    words: () => ({ words }),
    half: () => ({ words, filter: half }),
    twentieth: () => ({ words, filter: ['twentieth', String(n % 20)] }),
    thousandth: () => ({ words, filter: ['thousandth', String((n * 7) % 1000)] }),
    facet: () => ({ words, facet: 'twentieth' }),
    range: () => ({ words, days: [dayOf((n * 13) % 182), dayOf((n * 13) % 182 + 181)] }),
    filter: () => ({ filter: half }),
    sorted: () => ({ filter: common, sort: 'price' }),
    deep: () => ({ filter: common, sort: 'price', offset: Math.floor(documents * 0.75) + n }),
    terms: () => ({ filter: half, facet: 'twentieth' }),
    histogram: () => ({ filter: half, histogram: 'day' }),
  };
  return asks[kind]();
}

/** Values by key of the document with this number. */
export function metaOf(number: number): Record<(typeof KEYS)[number], string> {
  return {
    half: String(number % 2),
    twentieth: String(number % 20),
    thousandth: String(number % 1000),
    common: number % 10 === 3 ? '0' : '1',
    day: dayOf((number * 7919) % DAYS),
    price: String((number * 7907) % PRICES),
  };
}

function dayOf(number: number): string {
  return new Date(Date.UTC(2025, 0, 1 + number)).toISOString().slice(0, 10);
}

async function writeMeta(file: string, documents: number): Promise<void> {
  const stream = createWriteStream(file);
  stream.write(`${KEYS.join('\t')}\n`);
  for (let number = 0; number < documents; number++) {
    const meta = metaOf(number);
    if (!stream.write(`${KEYS.map((key) => meta[key]).join('\t')}\n`)) await once(stream, 'drain');
  }
  stream.end();
  await once(stream, 'finish');
}
