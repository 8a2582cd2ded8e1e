// Whether people who search in their language find what they mean: queries in other forms than those of short documents
// in twenty languages (languages/README.md), by the rules of the language and by those of English, in process, compared
// with peers on the same documents.
import { type LanguageSet, languageSets } from './languages/sets.ts';
import { IndexInProcess } from './relevance/in-process.ts';
import { mrr10 } from './relevance/measures.ts';
import { CONTENDERS_FOR_PAGES, ranksOf } from './relevance/peers.ts';
import type { Rankings } from './relevance/quire.ts';
import { progress } from './support/progress.ts';
import type { Section } from './support/table.ts';

const DEPTH = 10;
/** Peers have the documents of all languages in one index; those of another language than the query are left out. */
const DEPTH_OF_PEERS = 100;

export async function benchLanguages(folder: string): Promise<Section[]> {
  const sets = languageSets();
  const notes = [
    'Peers have one index of all languages, by their defaults; documents of another language than that of ' +
    'the query are left out of their results.',
  ];
  const columns: { readonly name: string; readonly rankings: Rankings }[] = [{
    name: 'Quire',
    rankings: ranksByIndex(sets, (lang) => lang),
  }, { name: 'Quire, no `lang`', rankings: ranksByIndex(sets, () => undefined) }];
  for (const contender of CONTENDERS_FOR_PAGES) {
    progress(`${contender.name}: ranking`);
    const rankings = await ranksOf(contender, folder, {
      documents: sets.flatMap(({ lang, documents }) =>
        documents.map(({ key, text }) => ({ id: `${lang}/${key}`, title: '', text }))
      ),
      queries: sets.flatMap(({ lang, queries }) =>
        queries.map(({ query }, i) => ({ id: `${lang}/${i}`, text: query }))
      ),
    }, DEPTH_OF_PEERS);
    if (typeof rankings === 'string') notes.push(`${contender.name}: ${rankings}`);
    else columns.push({ name: contender.name, rankings });
  }
  return [{
    title: 'Languages: queries that find a document among the first ten, and MRR@10',
    header: ['', 'queries', ...columns.map(({ name }) => name)],
    rows: sets.map((
      set,
    ) => [set.lang, String(set.queries.length), ...columns.map(({ rankings }) => figureOf(set, rankings))]),
    notes,
  }];
}

/** The rankings of an index for each language. Texts without a language are of the server's, English. */
function ranksByIndex(sets: readonly LanguageSet[], langOf: (lang: string) => string | undefined): Rankings {
  return new Map(sets.flatMap(({ lang, documents, queries }) => {
    const index = new IndexInProcess(documents.map(({ key, text }) => ({ id: `${lang}/${key}`, title: '', text })),
      langOf(lang));
    return queries.map(({ query }, i): [string, string[]] => [`${lang}/${i}`, index.rank(query, 'tfidf', DEPTH)]);
  }));
}

function figureOf({ lang, queries }: LanguageSet, rankings: Rankings): string {
  const found = queries.map(({ finds }, i) => ({
    ranking: (rankings.get(`${lang}/${i}`) ?? []).filter((id) => id.startsWith(`${lang}/`)).slice(0, DEPTH),
    expected: new Set(finds.map((key) => `${lang}/${key}`)),
  }));
  const hits = found.filter(({ ranking, expected }) => ranking.some((id) => expected.has(id)));
  return `${hits.length} ${mrr10(found).toFixed(3)}`;
}
