// How full-text search ranks each kind of query, with and without reranking, in process: names of pages and what users
// type to find them, keywords, questions in the page's words and in others, short and long ones, and other collections.
// `tfidf`, the default, is to be as good as the better of the others for each kind.
import { collections, knownSet, type QuestionSet, valueOf } from './meaning/sets.ts';
import { IndexInProcess } from './relevance/in-process.ts';
import { knownItems } from './relevance/known-items.ts';
import { CORPUS_HINT } from './support/corpus.ts';
import { progress } from './support/progress.ts';
import { missing, type Section } from './support/table.ts';

const ALGORITHMS = ['tfidf', 'bm25', 'bm25f'] as const;
/** Some documents are taken out of the rankings of long queries. */
const DEPTH = 50;

export async function benchRanking(): Promise<Section[]> {
  const found = await collections();
  if (found.length === 0) return [missing('Ranking', `it needs the public texts: ${CORPUS_HINT}`)];
  const header: string[] = [''];
  const rows = new Map<string, string[]>();
  for (const { name, documents, sets } of found) {
    progress(`ranking ${name}`);
    const index = new IndexInProcess(documents);
    const all = [...name === 'mdn' ? await known() : [], ...sets.map((set) => asked(set))];
    header.push(...all.map(({ set }) => `${set.name} (${set.queries.length}), ${set.measure}`));
    for (const algorithm of ALGORITHMS) {
      for (const rerank of [true, false]) {
        const row = `${algorithm}${rerank ? '' : ', rerank: false'}`;
        const values = all.map(({ set, others }) => {
          const rankings = index.rankings(set.queries, algorithm, DEPTH, rerank);
          const halves = [rankings, new Map([...rankings].filter(([id]) => others.has(id)))];
          return halves.map((some) => valueOf(set, some).toFixed(3)).join('; ');
        });
        rows.set(row, [...rows.get(row) ?? [], ...values]);
      }
    }
  }
  return [{
    title: 'Ranking of each kind of query by each algorithm',
    header,
    rows: [...rows].map(([row, values]) => [row, ...values]),
    notes: ['All queries of a set, whose number is in brackets; then the half that fitting does not see.'],
  }];
}

/** A set, and the ids of its queries that fitting does not see. */
interface Asked {
  readonly set: QuestionSet;
  readonly others: ReadonlySet<string>;
}

function asked(set: QuestionSet, isOther: (i: number) => boolean = (i) => i % 2 === 1): Asked {
  return { set, others: new Set(set.queries.filter((_, i) => isOther(i)).map(({ id }) => id)) };
}

async function known(): Promise<Asked[]> {
  const found = await knownItems();
  return found === undefined ? [] : [asked(knownSet(found), (i) => found.items[i]!.half === 'test')];
}
