import type { Operations } from '../../../generated/docs/operations.ts';
import type { Handlers } from '../../operations/index.ts';
import { LANGUAGES } from '../../text/languages/index.ts';
import type { ColumnsView } from '../columns/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import type { GeoView } from '../geo/index.ts';
import { aggregateDocuments } from './aggregate-documents.ts';
import { createStopWords, type StopWords } from './stop-words.ts';
import { createSynonyms, type Synonyms } from './synonyms.ts';

type FullTextHandlers = Required<
  Pick<Handlers<Operations>,
    'addSynonyms' | 'listSynonyms' | 'deleteSynonym' | 'listStopWords' | 'addStopWords' | 'deleteStopWords'
      | 'listFullTextLanguages' | 'aggregateDocuments'>
>;

/** Dictionaries, languages and counts of full-text search (contract section 4, "Full-text search"). */
export interface FullText extends Pick<Synonyms, 'synonymsOf'>, Pick<StopWords, 'stopWordsOf'> {
  readonly handlers: FullTextHandlers;
  /** Reads all dictionaries into memory; before the first use, and again when the database was replaced. */
  load(): Promise<void>;
}

export interface FullTextAreas {
  readonly columns: Pick<ColumnsView, 'indexOf'>;
  readonly geo: Pick<GeoView, 'indexOf'>;
}

/** The language of documents and queries that name none. */
const DEFAULT_LANG = 'en';

export function createFullText(environment: Pick<DocsEnvironment, 'sql' | 'feed' | 'clock' | 'settings'>,
  { columns, geo }: FullTextAreas): FullText
{
  const defaultLang = environment.settings.fullText?.defaultLang ?? DEFAULT_LANG;
  const synonyms = createSynonyms(environment);
  const stopWords = createStopWords(environment, defaultLang);
  return {
    handlers: {
      ...synonyms.handlers,
      ...stopWords.handlers,
      listFullTextLanguages: listFullTextLanguages(defaultLang),
      aggregateDocuments: aggregateDocuments({ clock: environment.clock, columns, geo }),
    },
    synonymsOf: synonyms.synonymsOf,
    stopWordsOf: stopWords.stopWordsOf,
    async load() {
      await synonyms.load();
      await stopWords.load();
    },
  };
}

type LanguagesHandler = Required<Pick<Handlers<Operations>, 'listFullTextLanguages'>>['listFullTextLanguages'];

/** `GET /v1/fts-languages`. */
function listFullTextLanguages(defaultLang: string): LanguagesHandler {
  return async () => ({ languages: LANGUAGES.map(({ code, name }) => ({ code, name })), defaultLang });
}
