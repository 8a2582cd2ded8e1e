// How well full-text search finds a page that a user looks for by name: the mean reciprocal rank of the queries of
// `relevance/known-items.ts` by each algorithm, in process, compared with peers on the same pages. Weights are fitted
// on the other half.
import { IndexInProcess, type Leniency } from './relevance/in-process.ts';
import { type KnownItem, knownItems, QUERY_FORMS } from './relevance/known-items.ts';
import { mrr10 } from './relevance/measures.ts';
import { misspell, swapped } from './relevance/misspelt.ts';
import { CONTENDERS_FOR_PAGES, ranksOf } from './relevance/peers.ts';
import { ALGORITHMS, type Rankings } from './relevance/quire.ts';
import { CORPUS_HINT } from './support/corpus.ts';
import { progress } from './support/progress.ts';
import { missing, type Section } from './support/table.ts';

const DEPTH = 10;
const HEADER = ['', 'test half', 'fitting half', ...QUERY_FORMS.map((form) => `test: ${form}`)];

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
  for (const algorithm of ALGORITHMS.filter((name) => name !== 'pmisparse'))
    add(`Quire ${algorithm}`, index.rankings(queries, algorithm, DEPTH));
  const typos = typosOf(index, items.filter(({ half }) => half === 'test').map(({ query }) => query));
  const swaps = swapsOf(index, items);
  for (const contender of CONTENDERS_FOR_PAGES) {
    progress(`${contender.name}: ranking`);
    add(contender.name, await ranksOf(contender, folder, { documents: pages, queries }, DEPTH));
  }
  return [{
    title: `Known items: ${pages.length} pages of MDN, ${items.length} queries, MRR@10`,
    header: HEADER,
    rows,
    notes: [...notes, 'The forms of queries are told in bench/relevance/known-items.ts.'],
  }, typos, swaps];
}

/** The same queries as a search box sends them, with two letters swapped. */
function swapsOf(index: IndexInProcess, items: readonly KnownItem[]): Section {
  progress('Quire: queries with swapped letters');
  const figures = (leniency: Leniency): string[] => {
    const queries = items.map(({ query }, i) => ({ id: String(i), text: swapped(query) }));
    return figuresOf(items, index.rankings(queries, 'tfidf', DEPTH, true, leniency));
  };
  return {
    title: 'Known items with the first two letters of a word swapped, MRR@10',
    header: HEADER,
    rows: [['Quire tfidf', ...figures({})], ['Quire tfidf, as typed in a search box',
      ...figures({ fuzzy: 'auto', prefix: 'last' })]],
    notes: [
      'The first word of four letters or more has its first two swapped; a search box sends `fuzzy: auto` ' +
      'and `prefix: last`.',
    ],
  };
}

/** How often the first result of a query is among the first ten of the same query with one edit in a word. */
function typosOf(index: IndexInProcess, queries: readonly string[]): Section {
  progress('Quire: misspelt queries');
  const misspelt = misspell(queries);
  const found = (leniency: Leniency): string => {
    const hits = misspelt.map(({ right, wrong }) => ({
      first: index.rank(right, 'tfidf', 1)[0],
      ranking: index.rank(wrong, 'tfidf', DEPTH, true, leniency),
    })).filter(({ first }) => first !== undefined);
    return (hits.filter(({ first, ranking }) => ranking.includes(first!)).length / hits.length).toFixed(3);
  };
  return {
    title: `Misspelt queries: ${misspelt.length} of the test half with one edit in one word`,
    header: ['', 'recall@10 of what the right spelling finds first'],
    rows: [['Quire tfidf', found({})], ['Quire tfidf, fuzzy auto', found({ fuzzy: 'auto' })]],
  };
}

function figuresOf(items: readonly KnownItem[], rankings: Rankings): string[] {
  const figure = (wanted: (item: KnownItem) => boolean): string =>
    mrr10(
      items.flatMap((item,
        i) => (wanted(item) ? [{ ranking: rankings.get(String(i)) ?? [], expected: item.expected }] : [])
      ),
    ).toFixed(3);
  return [figure(({ half }) => half === 'test'), figure(({ half }) => half === 'fitting'),
    ...QUERY_FORMS.map((form) => figure((item) => item.form === form && item.half === 'test'))];
}
