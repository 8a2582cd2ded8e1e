import type { Operations } from '../../../generated/docs/operations.ts';
import { ServiceError } from '../../errors/index.ts';
import { Pace } from '../../lib/pace.ts';
import { isSystemCollection } from '../../lib/system-collection.ts';
import type { Context, Handlers, InputOf, OutputOf } from '../../operations/index.ts';
import { gathered, readEach } from '../../search/parts/index.ts';
import type { Candidate, SpellingIndex } from '../../search/spelling/spelling-index.ts';
import type { DocsEnvironment } from '../environment.ts';
import type { FullTextView } from '../fulltext/index.ts';
import { filledCollections } from '../stored-collections.ts';
import { Dictionaries, type DictionaryName } from './dictionaries.ts';
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

interface SpellAreas {
  readonly view: Pick<FullTextView, 'indexOf' | 'intoMemory'>;
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
  {
    const collections = collection === undefined ? await allCollections(env.sql) : [collection];
    await view.intoMemory(collections, signal);
    return Speller.open({ vocabularies, dictionaries }, collections, lang, signal);
  };
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
          await known.learn(words);
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
  const { text: suggestedText } = await replaceWords(text, signal, speller, (original) => {
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
  const { text: cleaned, replaced } = await replaceWords(text, signal, speller,
    (original) => speller.correct(plainWord(original), 1)?.[0]?.word);
  return { original: text, cleaned, correctionsApplied: replaced };
}

/** Number of words of a text of which it is looked up together whether they are known. */
const WORDS_AT_ONCE = 256;

function* inPieces<T>(items: Iterable<T>): Generator<readonly T[]> {
  let piece: T[] = [];
  for (const item of items) {
    if (piece.push(item) < WORDS_AT_ONCE) continue;
    yield piece;
    piece = [];
  }
  yield piece;
}

/** A text with some words replaced, with their capitals. For undefined, a word is unchanged. Pauses between steps. */
async function replaceWords(text: string, signal: AbortSignal, speller: Speller,
  otherFor: (word: string) => string | undefined): Promise<{ readonly text: string; readonly replaced: number }>
{
  const pace = new Pace();
  const parts: string[] = [];
  let from = 0;
  let replaced = 0;
  for (const words of inPieces(wordsOfText(text))) {
    await speller.learn(words.map((word) => plainWord(word.text)));
    for (const { start, end, text: word } of words) {
      const other = otherFor(word);
      await pace.rest();
      signal.throwIfAborted();
      if (other === undefined) continue;
      parts.push(text.slice(from, start), withCaseOf(word, other));
      from = end;
      replaced += 1;
    }
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

/** Minimum number of letters of a word for two edits: of a shorter one too little would remain. */
const TWO_EDITS_FROM = 4;

/** Looks up the words of some collections and of the dictionaries of a language, for one request. */
class Speller {
  readonly #vocabularies: Vocabularies;
  readonly #dictionaries: Dictionaries;
  readonly #collections: readonly string[];
  readonly #names: readonly DictionaryName[];
  readonly #sources: readonly SpellingIndex[];
  readonly #cache = new Map<string, readonly Candidate[] | undefined>();
  /** Whether words are known, of those that were looked up in advance. */
  readonly #known = new Map<string, boolean>();

  private constructor(vocabularies: Vocabularies, dictionaries: Dictionaries, collections: readonly string[],
    names: readonly DictionaryName[], sources: readonly SpellingIndex[])
  {
    this.#vocabularies = vocabularies;
    this.#dictionaries = dictionaries;
    this.#collections = collections;
    this.#names = names;
    this.#sources = sources;
  }

  /** Throws `IndexLoading`. */
  static async open(
    { vocabularies, dictionaries }: { readonly vocabularies: Vocabularies; readonly dictionaries: Dictionaries },
    collections: readonly string[],
    lang: string,
    signal: AbortSignal,
  ): Promise<Speller> {
    const names = [{ lang }, ...collections.map((collection) => ({ collection, lang }))];
    const sources: (SpellingIndex | undefined)[] = names.map((name) => dictionaries.spellingOf(name));
    for (const collection of collections) sources.push(await vocabularies.of(collection, signal));
    return new Speller(vocabularies, dictionaries, collections, names,
      sources.filter((source) => source !== undefined));
  }

  /** Looks up whether words are known, in all collections together. */
  async learn(words: readonly string[]): Promise<void> {
    const unseen = words.filter((word) => !this.#known.has(word) && !this.#cache.has(word));
    const known = await gathered(() => readEach(unseen, (word) => this.#isKnown(word)));
    for (const [i, word] of unseen.entries()) this.#known.set(word, known[i]!);
  }

  /**
   * The likeliest corrections of an unknown word, at most `limit`, likeliest first; undefined for a known one. Words
   * are lowercased.
   */
  correct(word: string, limit: number): readonly Candidate[] | undefined {
    if (this.#cache.has(word)) return this.#cache.get(word);
    const corrections = this.#known.get(word) ?? this.#isKnown(word) ? undefined : this.#near(word, limit);
    this.#cache.set(word, corrections);
    return corrections;
  }

  #isKnown(word: string): boolean {
    const isIn = (one: string): boolean =>
      this.#names.some((name) => this.#dictionaries.knows(name, one)) ||
      this.#collections.some((collection) => this.#vocabularies.knows(collection, one));
    // The index contains the parts of a word with an apostrophe.
    return isIn(word) || (/['’]/.test(word) && word.split(/['’]/).every((part) => part === '' || isIn(part)));
  }

  /** The frequency of a word in several sources is their sum. */
  #near(word: string, limit: number): Candidate[] {
    const found = new Map<string, Candidate>();
    for (const source of this.#sources) {
      for (const { word: other, edits, frequency } of source.near(word, {
        edits: word.length < TWO_EDITS_FROM ? 1 : 2,
        limit,
      })) {
        found.set(other, { word: other, edits, frequency: frequency + (found.get(other)?.frequency ?? 0) });
      }
    }
    const first = word[0];
    return [...found.values()].sort((a, b) =>
      a.edits - b.edits || b.frequency - a.frequency || Number(b.word[0] === first) - Number(a.word[0] === first) ||
      (a.word < b.word ? -1 : 1)
    ).slice(0, limit);
  }
}
