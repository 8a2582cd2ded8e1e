// How soon full-text search finds a page that somebody looks for by name: the mean reciprocal rank of the queries of
// `relevance/known-items.ts` by each algorithm, in process, beside peers on the same pages. Weights are fitted on the other half.
import { IndexInProcess } from './relevance/in-process.ts';
import { type KnownItem, knownItems, QUERY_FORMS } from './relevance/known-items.ts';
import { mrr10 } from './relevance/measures.ts';
import { CONTENDERS_FOR_PAGES, ranksOf } from './relevance/peers.ts';
import { ALGORITHMS, type Rankings } from './relevance/quire.ts';
import { CORPUS_HINT } from './support/corpus.ts';
import { progress } from './support/progress.ts';
import { missing, type Section } from './support/table.ts';

const DEPTH = 10;

export async function benchKnownItems(folder: string): Promise<Section[]> {
  const known = await knownItems();
  if (known === undefined) return [missing('Known items', `it needs the folder docs-mdn: ${CORPUS_HINT}`)];
  const { pages, items } = known;
  const queries = items.map(({ query }, i) => ({ id: String(i), text: query }));
  const rows: string[][] = [];
  const notes: string[] = [];
  const add = (name: string, found: Rankings | string): void => {
    if (typeof found === 'string') notes.push(`${name}: ${found}`);
    else rows.push([name, ...figuresOf(items, found)]);
  };
  progress('Quire: ranking');
  const index = new IndexInProcess(pages);
  for (const algorithm of ALGORITHMS.filter((name) => name !== 'pmisparse')) add(`Quire ${algorithm}`, index.rankings(queries, algorithm, DEPTH));
  for (const contender of CONTENDERS_FOR_PAGES) {
    progress(`${contender.name}: ranking`);
    add(contender.name, await ranksOf(contender, folder, { documents: pages, queries }, DEPTH));
  }
  return [{
    title: `Known items: ${pages.length} pages of MDN, ${items.length} queries, MRR@10`,
    header: ['', 'test half', 'fitting half', ...QUERY_FORMS.map((form) => `test: ${form}`)],
    rows, notes: [...notes, 'The forms of queries are told in bench/relevance/known-items.ts.'],
  }];
}

function figuresOf(items: readonly KnownItem[], rankings: Rankings): string[] {
  const figure = (wanted: (item: KnownItem) => boolean): string => mrr10(items.flatMap((item, i) => (wanted(item) ? [{ ranking: rankings.get(String(i)) ?? [], expected: item.expected }] : []))).toFixed(3);
  return [figure(({ half }) => half === 'test'), figure(({ half }) => half === 'fitting'), ...QUERY_FORMS.map((form) => figure((item) => item.form === form && item.half === 'test'))];
}
