// Fits the weights of reranking (src/search/inverted/rerank-weights.ts), those of names and those of questions: `node
// fit-rerank.ts` prints them, `--write` writes the file. It uses the fitting half of the known items of MDN, and every
// other query of the other sets; no test half. The objective is the mean of MRR@10 or nDCG@10 of the sets by their
// shares, minus a small penalty for large weights; it is climbed weight by weight, from the weights of today. Random
// ones end at others whose objectives differ by less than 0.005, which is noise: `npm run bench -- ranking` tells
// which of them serve each kind of query.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FEATURES, type FeatureWeights, POWER, type RerankWeights } from '../src/search/inverted/index.ts';
import { RERANK_WEIGHTS } from '../src/search/inverted/rerank-weights.ts';
import { collections, knownSet, type QuestionSet, valueOf } from './meaning/sets.ts';
import { type Candidate, IndexInProcess } from './relevance/in-process.ts';
import { knownItems } from './relevance/known-items.ts';

type Kind = keyof RerankWeights;

const ALGORITHM = 'tfidf';
/** What each set counts, of those of its queries that are of the kind. */
const SHARES: Readonly<Record<Kind, Readonly<Record<string, number>>>> = {
  names: {
    'MDN, known items': 0.85,
    'MDN, direct': 0.05,
    'MDN, asked, keywords': 0.08,
    'MDN, asked, direct': 0.01,
    'MDN, asked, paraphrase': 0.01,
  },
  questions: {
    'MDN, known items': 0.12,
    'MDN, paraphrase': 0.12,
    'MDN, asked, keywords': 0.05,
    'MDN, asked, direct': 0.2,
    'MDN, asked, paraphrase': 0.15,
    'med': 0.12,
    'cranfield': 0.12,
    'memory sessions': 0.12,
  },
};
const DEPTH = 10;
const STEPS = [0.05, 0.2, 0.5, 1, 2];
const ROUNDS = 6;
const MOST = 10;
/** The penalty of a weight of 1; there are fewer questions than names. */
const PENALTY: Readonly<Record<Kind, number>> = { names: 0.0005, questions: 0.002 };

/** Queries of a set with the candidates of each. */
interface Part {
  readonly set: QuestionSet;
  readonly share: number;
  readonly ids: readonly string[];
  readonly candidates: readonly (readonly Candidate[])[];
}

const parts: Readonly<Record<Kind, Part[]>> = { names: [], questions: [] };
for (const { name, documents, sets } of await collections()) {
  const index = new IndexInProcess(documents);
  const known = name === 'mdn' ? await knownItems() : undefined;
  if (known !== undefined) {
    const set = knownSet(known);
    take(index, set, set.queries.filter((_, i) => known.items[i]!.half === 'fitting'));
  }
  for (const set of sets) take(index, set, set.queries.filter((_, i) => i % 2 === 0));
}
const fitted = { names: fit('names'), questions: fit('questions') };
if (process.argv.includes('--write'))
  await writeFile(join(import.meta.dirname, '../src/search/inverted/rerank-weights.ts'), moduleOf(fitted));
else console.log(fitted);

function take(index: IndexInProcess, set: QuestionSet, queries: QuestionSet['queries']): void {
  for (const kind of ['names', 'questions'] as const) {
    const share = SHARES[kind][set.name];
    const own = queries.filter(({ text }) => index.kindOf(text) === kind);
    if (share === undefined || own.length === 0) continue;
    parts[kind].push({
      set,
      share,
      ids: own.map(({ id }) => id),
      candidates: own.map(({ text }) => index.candidates(text, ALGORITHM)),
    });
  }
}

function fit(kind: Kind): FeatureWeights {
  console.error(kind, 'without', describe(kind, FEATURES.map(() => 0)));
  const best = climbFrom(kind, FEATURES.map((name) => RERANK_WEIGHTS[kind][name]));
  const rounded = best.map((weight) => Math.round(weight * 100) / 100);
  console.error(kind, 'fitted', describe(kind, rounded));
  return Object.fromEntries(FEATURES.map((name, i) => [name, rounded[i]!])) as FeatureWeights;
}

function climbFrom(kind: Kind, start: readonly number[]): readonly number[] {
  let weights = start;
  for (let round = 0; round < ROUNDS; round++) {
    const before = aim(kind, weights);
    for (const i of FEATURES.keys()) weights = climb(kind, weights, i);
    if (aim(kind, weights) - before < 1e-5) break;
  }
  return weights;
}

/** Moves a weight up and down in steps while that helps. */
function climb(kind: Kind, from: readonly number[], i: number): readonly number[] {
  let best = from;
  let reached = aim(kind, best);
  for (const step of STEPS.flatMap((size) => [size, -size])) {
    for (;;) {
      const next = best.with(i, Math.min(MOST, Math.max(0, best[i]! + step)));
      const value = aim(kind, next);
      if (value <= reached + 1e-7) break;
      best = next;
      reached = value;
    }
  }
  return best;
}

function aim(kind: Kind, of: readonly number[]): number {
  return parts[kind].reduce((sum, part) => sum + part.share * qualityWith(part, of), 0) -
    PENALTY[kind] * of.reduce((sum, weight) => sum + weight, 0);
}

function qualityWith({ set, ids, candidates }: Part, of: readonly number[]): number {
  return valueOf(set, new Map(candidates.map((list, i) => [ids[i]!, ranked(list, of)])));
}

/** The ten best candidates, which is what the measures look at. */
function ranked(list: readonly Candidate[], of: readonly number[]): string[] {
  const best: { readonly id: string; readonly score: number }[] = [];
  for (const { id, score, features } of list) {
    let sum = 1;
    for (let f = 0; f < of.length; f++) sum += features[f]! * of[f]!;
    const own = score * sum ** POWER;
    if (best.length === DEPTH && own <= best[DEPTH - 1]!.score) continue;
    const place = best.findIndex((other) => other.score < own);
    best.splice(place < 0 ? best.length : place, 0, { id, score: own });
    best.length = Math.min(DEPTH, best.length);
  }
  return best.map(({ id }) => id);
}

function describe(kind: Kind, of: readonly number[]): string {
  return `${parts[kind].map((part) => `${part.set.name} ${qualityWith(part, of).toFixed(4)}`).join(', ')}: ${
    FEATURES.map((name, i) => `${name} ${of[i]!.toFixed(2)}`).join(', ')
  }`;
}

function moduleOf(of: RerankWeights): string {
  return ["import type { RerankWeights } from './rerank.ts';", '', '/**',
    ' * Weights of the features by which the best documents are reranked. Fitted, not chosen: `node fit-rerank.ts ' +
    '--write` in',
    ' * bench/ writes this file, from half of the known items and questions about MDN, and half of the queries of ' +
    'Cranfield,',
    ' * MED and dialogues. Of weights between which these do not decide, those are here by which ' +
    '`tfidf` ranks each kind', ' * of query as well as the other algorithms (`npm run bench -- ranking`).', ' */',
    'export const RERANK_WEIGHTS: RerankWeights = {',
    ...(['names', 'questions'] as const).flatMap((
      kind,
    ) => [`  ${kind}: {`, ...FEATURES.map((name) => `    ${name}: ${of[kind][name]},`), '  },']), '};', ''].join('\n');
}
