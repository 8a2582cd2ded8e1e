// How well full-text search ranks: two collections with human relevance judgements (Cranfield: aerodynamics, MED:
// medicine), each algorithm through `/v1/fts`, compared with the BM25 of peers on the same texts. Queries are sentences
// and are sent unchanged. Then long queries with repeated terms: with and without their repetitions, by Quire and by
// Lucene.
import { lucene10 } from './peers/index.ts';
import { baselinesOf, type Judged, judgedCollection } from './relevance/judged.ts';
import { type LongQueries, longQueriesOf } from './relevance/long-queries.ts';
import { type Quality, qualityOf } from './relevance/measures.ts';
import { CONTENDERS, ranksOf } from './relevance/peers.ts';
import { ALGORITHMS, type Rankings, ranksOfQuire } from './relevance/quire.ts';
import { CORPUS_HINT } from './support/corpus.ts';
import { progress } from './support/progress.ts';
import { missing, type Section } from './support/table.ts';

const COLLECTIONS = ['cranfield', 'med'];
/** The collection with titles from which its long queries are made (see `longQueriesOf`). */
const LONG = 'cranfield';
/** Number of documents that are ranked: nearly all that match any word of a sentence. */
const DEPTH = 1000;

export async function benchRelevance(folder: string): Promise<Section[]> {
  const found = await Promise.all(COLLECTIONS.map(async (name) => ({ name, judged: await judgedCollection(name) })));
  const collections = found.flatMap(({ judged }) => judged ?? []);
  const source = collections.find(({ name }) => name === LONG);
  const long = source && longQueriesOf(source);
  progress('Quire: ranking');
  const asked = [...collections, ...(long ? [long.judged, { ...long.once, name: `${long.once.name}-once` }] : [])];
  const ours = collections.length === 0 ? undefined : await ranksOfQuire(folder, asked, DEPTH);
  const sections: Section[] = [];
  for (const { name, judged } of found) {
    if (judged === undefined)
      sections.push(missing(`Relevance, ${name}`, `it needs the folder ir/${name}: ${CORPUS_HINT}`));
    else sections.push(await sectionOf(folder, judged, ours!.get(name)!));
  }
  if (long)
    sections.push(await longSection(folder, long, ours!.get(long.judged.name)!, ours!.get(`${long.once.name}-once`)!));
  return sections;
}

async function sectionOf(folder: string, judged: Judged,
  ours: ReadonlyMap<string, Rankings | string>): Promise<Section>
{
  const table = new Table(judged);
  for (const algorithm of ALGORITHMS) table.add(`Quire ${algorithm}`, ours.get(algorithm)!);
  for (const contender of CONTENDERS) {
    progress(`${contender.name}: ranking ${judged.name}`);
    table.add(contender.name, await ranksOf(contender, folder, judged, DEPTH));
  }
  for (const [name, quality] of Object.entries(baselinesOf(judged.name)))
    table.rows.push(rowOf(`reference: ${name}`, quality));
  return {
    title: `Relevance, ${judged.name}: ${judged.documents.length} documents, ${judged.queries.length} queries`,
    header: HEADER,
    rows: table.rows,
    notes: [...table.notes,
      `MAP is that of rankings of ${DEPTH.toLocaleString('en-US')}; the references are of whole ones.`],
  };
}

/** The gain from counting terms as often as they occur in a query, for Quire and for Lucene. */
async function longSection(folder: string, { judged, once, residual }: LongQueries,
  ours: ReadonlyMap<string, Rankings | string>, oursOnce: ReadonlyMap<string, Rankings | string>): Promise<Section>
{
  const table = new Table(judged, residual);
  for (const algorithm of ALGORITHMS) {
    table.add(`Quire ${algorithm}`, ours.get(algorithm)!);
    table.add(`Quire ${algorithm}, each term once`, oursOnce.get(algorithm)!);
  }
  for (const contender of CONTENDERS.filter(({ peer }) => peer === lucene10)) {
    progress(`${contender.name}: ranking ${judged.name}`);
    table.add(contender.name, await ranksOf(contender, folder, judged, DEPTH));
    table.add(`${contender.name}, each term once`, await ranksOf(contender, folder, once, DEPTH));
  }
  const words = judged.queries.reduce((sum, { text }) => sum + text.split(/\s+/).length, 0) / judged.queries.length;
  return {
    title:
      `Relevance, long queries on ${LONG}: ${judged.documents.length} documents, ${judged.queries.length} queries of ${
        Math.round(words)
      } words on average`,
    header: HEADER,
    rows: table.rows,
    notes: [...table.notes,
      'Each query is joined with the titles of half its relevant documents, which are taken out of its rankings ' +
      'and judgements; "each term once" is the same query without what comes again in any inflection.'],
  };
}

const HEADER = ['', 'nDCG@10', 'MAP', 'MAP of the first 100', 'recall@100'];

class Table {
  readonly rows: string[][] = [];
  readonly notes: string[] = [];
  readonly #relevance: Judged['relevance'];
  readonly #counted: (rankings: Rankings) => Rankings;

  constructor({ relevance }: Judged, counted: (rankings: Rankings) => Rankings = (rankings) => rankings) {
    this.#relevance = relevance;
    this.#counted = counted;
  }

  add(name: string, found: Rankings | string): void {
    if (typeof found === 'string') {
      this.notes.push(`${name}: ${found}`);
      return;
    }
    const rankings = this.#counted(found);
    this.rows.push(rowOf(name, {
      ...qualityOf(rankings, this.#relevance),
      map100: qualityOf(first(rankings, 100), this.#relevance).map,
    }));
  }
}

function first(rankings: Rankings, count: number): Rankings {
  return new Map([...rankings].map(([query, ranking]) => [query, ranking.slice(0, count)]));
}

function rowOf(name: string, { ndcg10, map, map100, recall100 }: Quality & { map100?: number }): string[] {
  return [name, ...[ndcg10, map, map100, recall100].map((value) => value?.toFixed(4) ?? '-')];
}
