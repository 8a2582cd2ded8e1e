import { basename, dirname, join } from 'node:path';
import type { Operations } from '../../../../generated/docs/operations.ts';
import type { Handlers } from '../../../operations/index.ts';
import type { Collections } from '../../collections/index.ts';
import type { Curation } from '../../curation/index.ts';
import type { DocsEnvironment } from '../../environment.ts';
import type { FullText } from '../fulltext.ts';
import { documentAnalyzers } from '../view/analyzers.ts';
import { CheckpointFiles } from '../view/checkpoints.ts';
import { FullTextView } from '../view/fulltext-view.ts';
import { invertedIndexes } from '../view/inverted-text-index.ts';
import type { TextIndexes } from '../view/text-index.ts';
import { autocomplete } from './autocomplete.ts';
import { searchFullText, searchFullTextByQuery, type SearchDeps } from './search-full-text.ts';

type SearchHandlers = Required<Pick<Handlers<Operations>, 'searchFullText' | 'searchFullTextByQuery' | 'reindexFullText' | 'autocomplete'>>;

/** Searching by words, and the indexes that it needs. */
export interface FullTextSearch {
  readonly handlers: SearchHandlers;
  readonly view: Pick<FullTextView, 'start' | 'stop' | 'restart' | 'caughtUp' | 'settled'>;
}

export interface FullTextSearchAreas {
  readonly fullText: Pick<FullText, 'synonymsOf' | 'stopWordsOf'>;
  readonly collections: Pick<Collections, 'configOf'>;
  readonly curation: Pick<Curation, 'rulesOf'>;
  /** Tests may bring other indexes. */
  readonly indexes?: TextIndexes;
}

/** `synonymsOf`, `stopWordsOf`, `configOf` and `rulesOf` are asked at each search, so all must answer from memory. */
export function createFullTextSearch(environment: DocsEnvironment, { fullText, collections, curation, indexes = invertedIndexes() }: FullTextSearchAreas): FullTextSearch {
  const { sql, codec, clock, settings: { fullText: given = {} } } = environment;
  const settings = { defaultLang: given.defaultLang ?? 'en', stemming: given.stemming ?? true, synonyms: given.synonyms ?? true };
  const folder = checkpointFolder(environment);
  const view = new FullTextView(environment, {
    indexes,
    analyzerOf: documentAnalyzers(settings),
    mayKeep: (collection) => collections.configOf(collection)?.encrypted !== true,
    ...(folder !== undefined && { checkpoints: new CheckpointFiles(folder) }),
  });
  const deps: SearchDeps = { sql, codec, clock, settings, dictionaries: fullText, collections, curation, view };
  return {
    handlers: {
      searchFullText: (input) => searchFullText(deps, input),
      searchFullTextByQuery: async (input) => searchFullTextByQuery(deps, input),
      reindexFullText: async ({ collection }) => ({ reindexed: await view.reindex(collection), collection }),
      autocomplete: (input) => autocomplete(deps, input),
    },
    view,
  };
}

/** Beside the database, under its name; a database in memory has none. */
function checkpointFolder({ sql: { info } }: Pick<DocsEnvironment, 'sql'>): string | undefined {
  return info.driver === 'node:sqlite' && info.path !== ':memory:' ? join(dirname(info.path), `${basename(info.path)}.fts`) : undefined;
}
