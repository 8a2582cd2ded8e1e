import type { Operations } from '../../../../generated/docs/operations.ts';
import type { Handlers } from '../../../operations/index.ts';
import { tokenTables } from '../../../text/token-tables.ts';
import type { Collections } from '../../collections/index.ts';
import type { Curation } from '../../curation/index.ts';
import type { Preparation } from '../../documents/index.ts';
import type { DocsEnvironment } from '../../environment.ts';
import { createSpell, type Spell } from '../../spell/index.ts';
import { type ServedView, viewOptions } from '../../view/index.ts';
import { createExpansion, type Expansion } from '../expansion/expansion.ts';
import type { NeighbourModelsOptions } from '../expansion/neighbour-models.ts';
import type { FullText } from '../fulltext.ts';
import { preparingSegments } from '../segments/segments.ts';
import { documentAnalyzers } from '../view/analyzers.ts';
import { CHECKPOINT_MAGIC, createFullTextView } from '../view/fulltext-view.ts';
import { invertedIndexes } from '../view/inverted-text-index.ts';
import type { TextIndexes } from '../view/text-index.ts';
import { autocomplete } from './autocomplete.ts';
import { type SearchDeps, searchFullText, searchFullTextByQuery } from './search-full-text.ts';

type SearchHandlers = Required<
  Pick<Handlers<Operations>, 'searchFullText' | 'searchFullTextByQuery' | 'reindexFullText' | 'autocomplete'>
>;

/** Full-text search, and the indexes that it needs. */
export interface FullTextSearch {
  readonly handlers: SearchHandlers;
  readonly view: ServedView;
  readonly views: readonly ServedView[];
  /** Prepares the documents of batches for the indexes. */
  readonly preparation: Preparation;
  /** For `pmisparse`, in all searches by words. */
  readonly expansion: Expansion;
  /** The dictionaries and vocabularies that correct queries. */
  readonly spell: Spell;
  /** The dependencies of searches, for areas that combine full-text search with other search. */
  readonly deps: SearchDeps;
}

export interface FullTextSearchAreas {
  readonly fullText: Pick<FullText, 'synonymsOf' | 'stopWordsOf'>;
  readonly collections: Pick<Collections, 'configOf'>;
  readonly curation: Pick<Curation, 'rulesOf'>;
  readonly columns: SearchDeps['columns'];
  readonly geo: SearchDeps['geo'];
  readonly vectors?: SearchDeps['vectors'];
  /** Tests may pass other indexes. */
  readonly indexes?: TextIndexes;
  readonly neighbours?: NeighbourModelsOptions;
}

/**
 * `synonymsOf`, `stopWordsOf`, `configOf` and `rulesOf` are called at each search, so they must all return from memory.
 */
export function createFullTextSearch(environment: DocsEnvironment,
  { fullText, collections, curation, columns, geo, vectors, indexes = invertedIndexes(), neighbours }:
    FullTextSearchAreas): FullTextSearch
{
  const { sql, codec, clock, settings: { fullText: given = {} } } = environment;
  const settings = {
    defaultLang: given.defaultLang ?? 'en',
    stemming: given.stemming ?? true,
    synonyms: given.synonyms ?? true,
    algorithm: given.algorithm ?? 'tfidf',
  };
  // Created at the start; otherwise the first document or query would block the event loop while it is created.
  tokenTables();
  const view = createFullTextView(environment, {
    indexes,
    analyzerOf: documentAnalyzers(settings),
    ...viewOptions(environment, collections, 'fts', CHECKPOINT_MAGIC),
    // The models learned from the documents exist as long as the index of their words.
    whenHalted: () => expansion.stop(),
  });
  const expansion = createExpansion(environment, fullText, neighbours);
  const spell = createSpell(environment, { view });
  const deps: SearchDeps = {
    sql,
    codec,
    clock,
    settings,
    dictionaries: fullText,
    collections,
    curation,
    expansion,
    view,
    columns,
    geo,
    spelling: spell.spelling,
    vectors,
  };
  return {
    preparation: preparingSegments({ fieldNames: (collection) => view.indexOf(collection)?.fieldNames ?? [] }),
    handlers: {
      searchFullText: (input, context) => searchFullText(deps, input, context),
      searchFullTextByQuery: async (input, context) => searchFullTextByQuery(deps, input, context),
      reindexFullText: async ({ collection }, { signal }) => ({
        reindexed: await view.reindex([collection], signal),
        collection,
      }),
      autocomplete: (input) => autocomplete(deps, input),
    },
    view,
    views: [view],
    expansion,
    spell,
    deps,
  };
}
