import { analyzerFor, defaultStopWords } from '../../src/text/languages/index.ts';
import type { Kind } from '../peers/index.ts';
import type { Asked } from '../peers/queries-file.ts';
import { linesOf, seeded } from '../support/corpus.ts';
import type { Texts } from './texts.ts';

/** Number of queries of each kind. */
const QUERIES = 200;
/** Number of documents from which frequencies are estimated. */
const SAMPLE = 4000;
/** Fractions of the documents that have a word of the queries. */
const RARE = 0.003;
const FREQUENT = 0.08;
/** Total postings of the three words of a heavy query, by the number of documents. */
const HEAVY = 0.15;

type Random = () => number;

/**
 * Drawn from the texts, identical for the same texts. Words contain only the letters a to z, so that no tokenizer
 * splits them.
 */
export async function drawQueries(texts: Texts): Promise<Asked[]> {
  const sample = await sampleOf(texts);
  const shares = sharesOf(sample);
  const random = seeded(7);
  const usual = (word: string) => between(shares.get(word) ?? 0, RARE, FREQUENT);
  const words = [...shares.keys()].filter(usual).sort();
  const together = () => draw(() => distinct(pick(sample, random).filter(usual), 3, random));
  const any = () => pick(words, random);
  const long = words.filter((word) => word.length > 5);
  const kinds: Record<Exclude<Kind, 'pair' | 'heavy' | 'heavyForms'>, () => string[]> = {
    term: () => [any()],
    or: together,
    and: together,
    phrase: () => draw(() => pairIn(pick(sample, random), usual, random)),
    prefix: () => [pick(long, random).slice(0, 4)],
    infix: () => [pick(long, random).slice(1, 5)],
    fuzzy: () => [pick(long, random)],
  };
  const drawn = Object.entries(kinds).flatMap(([kind, one]) =>
    Array.from({ length: QUERIES }, () => ({ kind: kind as Kind, words: one() }))
  );
  const frequent = mainWords(sample, shares);
  const heavy = Array.from({ length: QUERIES / 10 }, () => heavyWords(frequent, random));
  return [...drawn, ...pairsOf(drawn),
    ...(['heavy', 'heavyForms'] as const).flatMap((kind) => heavy.map((list) => ({ kind, words: list })))];
}

/** Two of three words that occur in one document. */
function pairsOf(drawn: readonly Asked[]): Asked[] {
  return drawn.filter(({ kind }) => kind === 'and').map(({ words }) => ({ kind: 'pair', words: words.slice(0, 2) }));
}

/** Distinct words for which the peers should find the same matches. */
export function wordsToCount(queries: readonly Asked[]): Asked[] {
  return [...new Set(queries.filter(({ kind }) => kind === 'term').map(({ words }) => words[0]!))].slice(0, 100).map((
    word,
  ) => ({ kind: 'term', words: [word] }));
}

async function sampleOf({ file, documents }: Texts): Promise<string[][]> {
  const stops = defaultStopWords('en');
  const step = Math.max(1, Math.floor(documents / SAMPLE));
  const sample: string[][] = [];
  let line = 0;
  for await (const text of linesOf(file)) {
    if (line++ % step !== 0) continue;
    // Words that are adjacent in the text are adjacent in the list: a word that does not count is empty.
    const words = (text.toLowerCase().match(/[\p{L}\p{N}_'’.-]+/gu) ?? []).map((word) => word.replace(/[.]$/, '')).map((
      word,
    ) => (/^[a-z]{4,12}$/.test(word) && !stops.has(word) ? word : ''));
    if (words.some((word) => word !== '')) sample.push(words);
  }
  return sample;
}

/** Fractions of the documents that have a word, or one with the same stem. */
function sharesOf(sample: readonly (readonly string[])[], same = (word: string) => word): Map<string, number> {
  const counts = new Map<string, number>();
  for (const words of sample)
    for (const word of new Set(words.map(same))) counts.set(word, (counts.get(word) ?? 0) + 1);
  counts.delete('');
  return new Map([...counts].map(([word, count]) => [word, count / sample.length]));
}

const english = analyzerFor('en', { stemming: true, stopWords: 'none' });
const stems = new Map<string, string>([['', '']]);

function stemOf(word: string): string {
  let stem = stems.get(word);
  if (stem === undefined) stems.set(word, stem = english.term(word)!);
  return stem;
}

/** Three words with two thirds, a quarter and the rest of the postings of a heavy query, as closely as possible. */
function heavyWords(candidates: readonly { readonly word: string; readonly share: number }[],
  random: Random): string[]
{
  const chosen: string[] = [];
  for (const part of [0.66, 0.25, 0.09]) {
    const away = ({ share }: { share: number }) => Math.abs(share - part * HEAVY);
    const near = candidates.filter(({ word }) => !chosen.includes(word)).sort((a, b) => away(a) - away(b)).slice(0, 8);
    chosen.push(pick(near, random).word);
  }
  return chosen;
}

/** Words that occur in most documents with their stem, with the fraction of documents that have the stem. */
function mainWords(sample: readonly (readonly string[])[],
  shares: ReadonlyMap<string, number>): { word: string; share: number }[]
{
  const byStem = sharesOf(sample, stemOf);
  return [...shares].map(([word, own]) => ({ word, own, share: byStem.get(stemOf(word)) ?? 0 })).filter((
    { own, share },
  ) => own > 0.001 && own > 0.6 * share).sort((a, b) => (a.word < b.word ? -1 : 1));
}

/** Two adjacent words. */
function pairIn(words: readonly string[], usual: (word: string) => boolean, random: Random): string[] | undefined {
  const starts = words.flatMap((word,
    i) => (usual(word) && usual(words[i + 1] ?? '') && words[i + 1] !== word ? [i] : [])
  );
  if (starts.length === 0) return undefined;
  const start = pick(starts, random);
  return words.slice(start, start + 2);
}

function distinct(words: readonly string[], count: number, random: Random): string[] | undefined {
  const all = [...new Set(words)];
  if (all.length < count) return undefined;
  return Array.from({ length: count }, () => all.splice(Math.floor(random() * all.length), 1)[0]!);
}

/** Repeats until there is a result. */
function draw<T>(attempt: () => T | undefined): T {
  for (let tries = 0; tries < 10_000; tries++) {
    const drawn = attempt();
    if (drawn !== undefined) return drawn;
  }
  throw new Error('the texts have too few words to draw queries from');
}

function pick<T>(from: readonly T[], random: Random): T {
  return from[Math.floor(random() * from.length)]!;
}

function between(value: number, least: number, most: number): boolean {
  return value >= least && value <= most;
}
