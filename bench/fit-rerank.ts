// Fits the weights of reranking (src/search/inverted/rerank-weights.ts): `node fit-rerank.ts` prints them, `--write`
// writes the file. It uses the fitting half of the known items of MDN, and every other query of the judged collections;
// no test half. The objective is the mean of MRR@10 on the former and nDCG@10 on the latter, minus a small penalty for
// large weights; it is climbed weight by weight.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FEATURES, type FeatureWeights, POWER } from '../src/search/inverted/index.ts';
import { type Candidate, IndexInProcess } from './relevance/in-process.ts';
import { judgedCollection } from './relevance/judged.ts';
import { knownItems } from './relevance/known-items.ts';
import { mrr10, qualityOf } from './relevance/measures.ts';
import { seeded } from './support/corpus.ts';

const ALGORITHM = 'tfidf';
const STEPS = [0.05, 0.2, 0.5, 1, 2];
const ROUNDS = 6;
const MOST = 10;
/** The number of starting points of the climb, drawn with a seed; the best result counts. */
const STARTS = 10;
const SEED = 7;
/** The penalty of a weight of 1. */
const PENALTY = 0.0005;

/** A set of queries with the candidates of each, and the quality of its rankings. */
interface Part {
  readonly name: string;
  readonly share: number;
  readonly candidates: readonly (readonly Candidate[])[];
  value(rankings: readonly (readonly string[])[]): number;
}

const parts = [...await known(), ...await judged('cranfield', 0.25), ...await judged('med', 0.25)];
console.error('without', describe(FEATURES.map(() => 0)));
const random = seeded(SEED);
const ends = Array.from({ length: STARTS }, () => climbFrom(FEATURES.map(() => Math.round(random() * 20) / 10)));
const best = ends.reduce((one, other) => (aim(other) > aim(one) ? other : one));
const rounded = best.map((weight) => Math.round(weight * 100) / 100);
console.error('fitted', describe(rounded));
const fitted = Object.fromEntries(FEATURES.map((name, i) => [name, rounded[i]!])) as FeatureWeights;
if (process.argv.includes('--write'))
  await writeFile(join(import.meta.dirname, '../src/search/inverted/rerank-weights.ts'), moduleOf(fitted));
else console.log(fitted);

async function known(): Promise<Part[]> {
  const found = await knownItems();
  if (found === undefined) throw new Error('the pages of MDN are needed');
  const index = new IndexInProcess(found.pages);
  const items = found.items.filter(({ half }) => half === 'fitting');
  return [{
    name: 'known items',
    share: 0.5,
    candidates: items.map(({ query }) => index.candidates(query, ALGORITHM)),
    value: (rankings) => mrr10(items.map(({ expected }, i) => ({ expected, ranking: rankings[i]! }))),
  }];
}

async function judged(name: string, share: number): Promise<Part[]> {
  const collection = await judgedCollection(name);
  if (collection === undefined) throw new Error(`the collection ${name} is needed`);
  const index = new IndexInProcess(collection.documents);
  const queries = collection.queries.filter((_, i) => i % 2 === 0);
  const relevance = new Map(queries.map(({ id }) => [id, collection.relevance.get(id)!]));
  return [{
    name,
    share,
    candidates: queries.map(({ text }) => index.candidates(text, ALGORITHM)),
    value: (rankings) => qualityOf(new Map(queries.map(({ id }, i) => [id, rankings[i]!])), relevance).ndcg10,
  }];
}

function climbFrom(start: readonly number[]): readonly number[] {
  let weights = start;
  for (let round = 0; round < ROUNDS; round++) {
    const before = aim(weights);
    for (const i of FEATURES.keys()) weights = climb(weights, i);
    if (aim(weights) - before < 1e-5) break;
  }
  return weights;
}

/** Moves a weight up and down in steps while that helps. */
function climb(from: readonly number[], i: number): readonly number[] {
  let best = from;
  let reached = aim(best);
  for (const step of STEPS.flatMap((size) => [size, -size])) {
    for (;;) {
      const next = best.with(i, Math.min(MOST, Math.max(0, best[i]! + step)));
      const value = aim(next);
      if (value <= reached + 1e-7) break;
      best = next;
      reached = value;
    }
  }
  return best;
}

function aim(of: readonly number[]): number {
  return parts.reduce((sum, part) => sum + part.share * valueOf(part, of), 0) -
    PENALTY * of.reduce((sum, weight) => sum + weight, 0);
}

function valueOf({ candidates, value }: Part, of: readonly number[]): number {
  return value(candidates.map((list) =>
    list.map(({ id, score, features }, i) => ({
      id,
      i,
      score: score * features.reduce((sum, feature, f) => sum + feature * of[f]!, 1) ** POWER,
    })).sort((a, b) => b.score - a.score || a.i - b.i).map(({ id }) => id)
  ));
}

function describe(of: readonly number[]): string {
  return `${parts.map((part) => `${part.name} ${valueOf(part, of).toFixed(4)}`).join(', ')}: ${
    FEATURES.map((name, i) => `${name} ${of[i]!.toFixed(2)}`).join(', ')
  }`;
}

function moduleOf(of: FeatureWeights): string {
  return ["import type { FeatureWeights } from './rerank.ts';", '', '/**',
    ' * Weights of the features by which the best documents are reranked. Fitted, not chosen: `node fit-rerank.ts ' +
    '--write` in bench/ writes this',
    ' * file, from half of the known items drawn from MDN and half of the queries of Cranfield and MED.', ' */',
    `export const RERANK_WEIGHTS: FeatureWeights = { ${
      Object.entries(of).map(([name, weight]) => `${name}: ${weight}`).join(', ')
    } };`, ''].join('\n');
}
