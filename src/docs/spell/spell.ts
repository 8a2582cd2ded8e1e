import type { Operations } from '../../../generated/docs/operations.ts';
import { ServiceError } from '../../errors/index.ts';
import { Pace } from '../../lib/pace.ts';
import { isSystemCollection } from '../../lib/system-collection.ts';
import type { Context, Handlers, InputOf, OutputOf } from '../../operations/index.ts';
import type { Candidate } from '../../search/spelling/spelling-index.ts';
import type { DocsEnvironment } from '../environment.ts';
import type { FullTextView } from '../fulltext/index.ts';
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
  /** For searches; absent if spelling is off. */
  readonly spelling: Spelling | undefined;
}

/** The words that unknown words of a query may stand for. */
export interface Spelling {
  /** For each of some lowercased words, its likeliest corrections, at most `limit`. Throws `IndexLoading`. */
  corrections(words: readonly string[], source: { readonly collection: string; readonly lang: string }, limit: number,
    signal: AbortSignal): Promise<(readonly string[])[]>;
}

export interface SpellAreas {
  readonly view: Pick<FullTextView, 'indexOf'>;
}

const DEFAULT_MAX_BYTES = 128 * 2 ** 20;
/** The confidence of a correction depends on the next one. */
const LEAST_CANDIDATES = 2;

export function createSpell(env: Pick<DocsEnvironment, 'sql' | 'feed' | 'settings'>, { view }: SpellAreas): Spell {
  const { enabled = false, maxBytes = DEFAULT_MAX_BYTES } = env.settings.spell ?? {};
  const dictionaries = new Dictionaries(env);
  const vocabularies = new Vocabularies(view, maxBytes);
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
    spelling: enabled
      ? {
        async corrections(words, source, limit, signal) {
          const known = await speller(source, { signal });
          return words.map((word) => known.correct(word, limit)?.map((one) => one.word) ?? []);
        },
      }
      : undefined,
  };
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
