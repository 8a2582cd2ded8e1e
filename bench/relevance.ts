// How well full-text search ranks: two collections whose queries people have judged (Cranfield: aerodynamics, MED: medicine), each
// algorithm through `/v1/fts`, beside the BM25 of peers on the same texts. Queries are sentences and are sent as they are.
import { baselinesOf, type Judged, judgedCollection } from './relevance/judged.ts';
import { qualityOf, type Quality } from './relevance/measures.ts';
import { CONTENDERS, ranksOf } from './relevance/peers.ts';
import { ALGORITHMS, type Rankings, ranksOfQuire } from './relevance/quire.ts';
import { CORPUS_HINT } from './support/corpus.ts';
import { progress } from './support/progress.ts';
import { missing, type Section } from './support/table.ts';

const COLLECTIONS = ['cranfield', 'med'];
/** Documents that are ranked: nearly all that match anything of a sentence. */
const DEPTH = 1000;

export async function benchRelevance(folder: string): Promise<Section[]> {
  const found = await Promise.all(COLLECTIONS.map(async (name) => ({ name, judged: await judgedCollection(name) })));
  const collections = found.flatMap(({ judged }) => judged ?? []);
  progress('Quire: ranking');
  const ours = collections.length === 0 ? undefined : await ranksOfQuire(folder, collections, DEPTH);
  const sections: Section[] = [];
  for (const { name, judged } of found) {
    if (judged === undefined) sections.push(missing(`Relevance, ${name}`, `it needs the folder ir/${name}: ${CORPUS_HINT}`));
    else sections.push(await sectionOf(folder, judged, ours!.get(name)!));
  }
  return sections;
}

async function sectionOf(folder: string, judged: Judged, ours: ReadonlyMap<string, Rankings | string>): Promise<Section> {
  const rows: string[][] = [];
  const notes: string[] = [];
  const add = (name: string, rankings: Rankings | string) => {
    if (typeof rankings === 'string') notes.push(`${name}: ${rankings}`);
    else rows.push(rowOf(name, { ...qualityOf(rankings, judged.relevance), map100: qualityOf(first(rankings, 100), judged.relevance).map }));
  };
  for (const algorithm of ALGORITHMS) add(`Quire ${algorithm}`, ours.get(algorithm)!);
  for (const contender of CONTENDERS) {
    progress(`${contender.name}: ranking ${judged.name}`);
    add(contender.name, await ranksOf(contender, folder, judged, DEPTH));
  }
  for (const [name, quality] of Object.entries(baselinesOf(judged.name))) rows.push(rowOf(`reference: ${name}`, quality));
  return {
    title: `Relevance, ${judged.name}: ${judged.documents.length} documents, ${judged.queries.length} queries`,
    header: ['', 'nDCG@10', 'MAP', 'MAP of the first 100', 'recall@100'],
    rows,
    notes: [...notes, `MAP is that of rankings of ${DEPTH.toLocaleString('en-US')}; the references are of whole ones.`],
  };
}

function first(rankings: Rankings, count: number): Rankings {
  return new Map([...rankings].map(([query, ranking]) => [query, ranking.slice(0, count)]));
}

function rowOf(name: string, { ndcg10, map, map100, recall100 }: Quality & { map100?: number }): string[] {
  return [name, ...[ndcg10, map, map100, recall100].map((value) => value?.toFixed(4) ?? '-')];
}
