import type { Operations } from '../../../generated/docs/operations.ts';
import { ServiceError } from '../../errors/index.ts';
import { Pace } from '../../lib/pace.ts';
import { isSystemCollection } from '../../lib/system-collection.ts';
import type { Context, Handlers, InputOf, OutputOf } from '../../operations/index.ts';
import type { Candidate } from '../../search/spelling/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { MAX_SUGGESTIONS, resolveWords, respelled, respellings, unknownWords, type WordsDeps,
  type WordsRequest } from '../fulltext/index.ts';
import { filledCollections } from '../stored-collections.ts';
import { Dictionaries } from './dictionaries.ts';
import { Speller } from './speller.ts';
import { Vocabularies } from './vocabularies.ts';
import { withCaseOf, wordsOfText } from './words-of-text.ts';

type Suggestion = OutputOf<Operations, 'suggestSpelling'>['tokenSuggestions'][number];

/** Spelling (contract section 4; decisions section 4.10). */
export interface Spell {
  readonly handlers: Required<
    Pick<Handlers<Operations>,
      'suggestSpelling' | 'cleanSpelling' | 'listDictionary' | 'addDictionaryWords' | 'deleteDictionaryWords'>
  >;
  /** Reads the dictionaries; before the first use, and again when the database was replaced. */
  load(): Promise<void>;
  /** Bytes of memory of the words of a collection; undefined when there are none. */
  bytesOf(collection: string): number | undefined;
  /**
   * Full-text search that corrects the queries of collections which enable it, and suggests other queries for those
   * that find nothing.
   */
  correcting(search: SearchHandler, config: (collection: string) => SpellConfig | undefined): SearchHandler;
  /** As above for hybrid search, without suggestions; `wordsOf` returns its full-text request. */
  correctingHybrid(search: HybridHandler, wordsOf: (input: HybridInput) => WordsRequest,
    config: (collection: string) => SpellConfig | undefined): HybridHandler;
}

type SearchInput = InputOf<Operations, 'searchFullText'>;
type HybridHandler = Required<Handlers<Operations>>['searchHybrid'];
type HybridInput = InputOf<Operations, 'searchHybrid'>;
type SearchHandler = Required<Handlers<Operations>>['searchFullText'];

/** The spelling settings of a collection's configuration. */
interface SpellConfig {
  readonly spellCorrect?: boolean | undefined;
  readonly spellLang?: string | undefined;
}

export interface SpellAreas {
  readonly words: WordsDeps;
}

const DEFAULT_MAX_BYTES = 128 * 2 ** 20;
/** The confidence of a correction depends on the next one. */
const LEAST_CANDIDATES = 2;

export function createSpell(env: Pick<DocsEnvironment, 'sql' | 'feed' | 'settings'>, { words }: SpellAreas): Spell {
  const { enabled = false, maxBytes = DEFAULT_MAX_BYTES } = env.settings.spell ?? {};
  const dictionaries = new Dictionaries(env);
  const vocabularies = new Vocabularies(words.view, maxBytes);
  const speller = async ({ collection, lang }: { readonly collection?: string; readonly lang: string },
    { signal }: Pick<Context, 'signal'>): Promise<Speller> =>
    Speller.open({ vocabularies, dictionaries },
      collection === undefined ? await allCollections(env.sql) : [collection], lang, signal);
  const handlers: Spell['handlers'] = {
    suggestSpelling: async (input, context) => suggest(await speller(input, context), input, context),
    cleanSpelling: async (input, context) => clean(await speller(input, context), input.text, context),
    async listDictionary({ collection, lang }) {
      const entries = dictionaries.entriesOf({ collection, lang });
      return { collection: collection ?? '', lang, words: entries.map(({ word }) => word), entries };
    },
    async addDictionaryWords({ collection, lang, words: added, frequency }) {
      return { status: 'ok', added: await dictionaries.add({ collection, lang }, plainWords(added), frequency) };
    },
    async deleteDictionaryWords({ collection, lang, words: removed }) {
      return { status: 'ok', removed: await dictionaries.remove({ collection, lang }, plainWords(removed)) };
    },
  };
  return {
    handlers: enabled ? handlers : disabled(handlers),
    load: () => dictionaries.load(),
    bytesOf: (collection) => vocabularies.bytesOf(collection),
    correcting: (search, configOf) => async (input, context) => {
      const { spellCorrect = false, spellLang } = configOf(input.collection) ?? {};
      if (!enabled) return search(input, context);
      const open = () =>
        speller({ collection: input.collection, lang: spellLang || input.lang || words.settings.defaultLang }, context);
      const corrected = spellCorrect ? correctQuery(words, await open(), resolveWords(words, input)) : input.query;
      if (corrected === input.query)
        return withSuggestions(await search(input, context),
          async () => suggestedQueries(words, await open(), input, (query) => search(query, context)));
      const answer = await search({ ...input, query: corrected }, context);
      return { ...answer, spellCorrected: { original: input.query, corrected } } as typeof answer;
    },
    correctingHybrid: (search, wordsOf, configOf) => async (input, context) => {
      const { spellCorrect = false, spellLang } = configOf(input.collection) ?? {};
      if (!enabled || !spellCorrect) return search(input, context);
      const lang = spellLang || input.langs?.[0] || words.settings.defaultLang;
      const corrected = correctQuery(words, await speller({ collection: input.collection, lang }, context),
        wordsOf(input));
      if (corrected === input.query) return search(input, context);
      const answer = await search({ ...input, query: corrected }, context);
      return { ...answer, spellCorrected: { original: input.query, corrected } } as typeof answer;
    },
  };
}

/** The query with the likeliest corrections of words that no document has; unchanged if it has operators. */
function correctQuery(words: WordsDeps, speller: Speller, request: WordsRequest): string {
  const corrections = unknownWords(words, request).flatMap((node) => {
    const word = speller.correct(node.form, 1)?.[0]?.word;
    return word === undefined ? [] : [{ node, word }];
  });
  return corrections.length === 0 ? request.query : respelled(Buffer.from(request.query), corrections);
}

type Found = OutputOf<Operations, 'searchFullText'>;
type Answer = Awaited<ReturnType<SearchHandler>>;

/**
 * Queries that are likeliest by words and frequencies come before those of full-text search, which are nearest by
 * edits.
 */
async function withSuggestions(answer: Answer, suggest: () => Promise<string[]>): Promise<Answer> {
  if (!('results' in answer) || answer.results.length > 0 || (answer.totalMatches ?? 0) > 0) return answer;
  const suggestions = [...new Set([...await suggest(), ...(answer.suggestions ?? [])])].slice(0, MAX_SUGGESTIONS);
  return suggestions.length === 0 ? answer : { ...answer, suggestions };
}

/** Other spellings of a query, each of which finds something under the same filters. */
async function suggestedQueries(words: WordsDeps, speller: Speller,
  { cursor: _cursor, facetBy: _facets, ...input }: SearchInput,
  search: (input: SearchInput) => Promise<Answer> | Answer): Promise<string[]>
{
  const corrections = unknownWords(words, resolveWords(words, input)).map((node) => ({
    node,
    words: (speller.correct(node.form, MAX_SUGGESTIONS) ?? []).map(({ word }) => word),
  }));
  const found: string[] = [];
  for (const query of respellings(Buffer.from(input.query),
    corrections.filter((correction) => correction.words.length > 0)))
  {
    const { results } = await search({
      ...input,
      query,
      limit: 1,
      offset: 0,
      includeContent: false,
      highlight: false,
    }) as Found;
    if (results.length > 0) found.push(query);
  }
  return found;
}

/** `POST /v1/spell-suggest`. */
async function suggest(speller: Speller, { text, maxSuggestions }: InputOf<Operations, 'suggestSpelling'>,
  { signal }: Pick<Context, 'signal'>): Promise<OutputOf<Operations, 'suggestSpelling'>>
{
  const tokenSuggestions: Suggestion[] = [];
  const { text: suggestedText } = await replaceWords(text, signal, (original) => {
    const token = plainWord(original);
    const candidates = speller.correct(token, Math.max(maxSuggestions, LEAST_CANDIDATES));
    if (candidates === undefined) return undefined;
    const [best] = candidates;
    tokenSuggestions.push({
      token,
      original,
      corrected: best?.word ?? token,
      confidence: confidenceOf(token, candidates),
      suggestions: candidates.slice(0, maxSuggestions).map(({ word }) => word),
    });
    return best?.word;
  });
  return { originalText: text, suggestedText, tokenSuggestions };
}

/** `POST /v1/spell-cleanup`. */
async function clean(speller: Speller, text: string,
  { signal }: Pick<Context, 'signal'>): Promise<OutputOf<Operations, 'cleanSpelling'>>
{
  const { text: cleaned, replaced } = await replaceWords(text, signal,
    (original) => speller.correct(plainWord(original), 1)?.[0]?.word);
  return { original: text, cleaned, correctionsApplied: replaced };
}

/** A text with some words replaced, with their capitals. For undefined, a word is unchanged. Pauses between steps. */
async function replaceWords(text: string, signal: AbortSignal,
  otherFor: (word: string) => string | undefined): Promise<{ readonly text: string; readonly replaced: number }>
{
  const pace = new Pace();
  const parts: string[] = [];
  let from = 0;
  let replaced = 0;
  for (const { start, end, text: word } of wordsOfText(text)) {
    const other = otherFor(word);
    await pace.rest();
    signal.throwIfAborted();
    if (other === undefined) continue;
    parts.push(text.slice(from, start), withCaseOf(word, other));
    from = end;
    replaced += 1;
  }
  return { text: [...parts, text.slice(from)].join(''), replaced };
}

/**
 * Depends on the distance and on how much more frequent the best correction is than the next (decisions section 4.10);
 * two decimals.
 */
function confidenceOf(word: string, [best, next]: readonly Candidate[]): number {
  if (best === undefined) return 0;
  const share = best.frequency / (best.frequency + (next?.frequency ?? 0));
  return Math.round(Math.max(0, 1 - best.edits / word.length) * share * 100) / 100;
}

function plainWord(word: string): string {
  return word.normalize('NFC').toLowerCase();
}

function plainWords(words: readonly string[]): string[] {
  return [...new Set(words.map(plainWord))];
}

async function allCollections(sql: DocsEnvironment['sql']): Promise<string[]> {
  return (await filledCollections(sql)).map(({ name }) => name).filter((name) => !isSystemCollection(name));
}

/** Every operation reports that the feature is off. */
function disabled<H extends object>(handlers: H): H {
  const refuse = async (): Promise<never> => {
    throw new ServiceError('invalid_argument', 'spell correction is disabled');
  };
  return Object.fromEntries(Object.keys(handlers).map((id) => [id, refuse])) as H;
}
