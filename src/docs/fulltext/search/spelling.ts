import { Pace } from '../../../lib/pace.ts';
import { gathered, Guesses, readEach } from '../../../search/parts/index.ts';
import type { TermNode } from '../../../text/query/index.ts';
import { findResults, ONE_SIDE } from '../../search/index.ts';
import type { Spelling } from '../../spell/index.ts';
import type { ReadableText } from '../view/text-index.ts';
import { withCompounds } from './compounds-found.ts';
import type { Reading } from './query-plan.ts';
import { type RequestContext, resolveRequest, type SearchInput, type SearchRequest } from './request.ts';
import type { SearchDeps } from './search-full-text.ts';
import { wordsRetriever } from './words-retriever.ts';

export interface SpellingDeps extends Pick<RequestContext, 'view' | 'collections' | 'settings'> {
  /** Absent if spelling is off. */
  readonly spelling?: Spelling | undefined;
}

type Request = Pick<SearchRequest, 'collection' | 'query' | 'plan' | 'sought' | 'fields'>;

/** A word of a query with its possible corrections, the likeliest first. */
interface Correction {
  readonly node: TermNode;
  readonly words: readonly string[];
}

/** Maximum number of words of a query that are checked for spelling, because each reads a part of the dictionary. */
const MAX_WORDS = 8;

/** An input whose query is corrected if its collection wants that, with its request. */
export interface Corrected<Input, Request> {
  readonly input: Input;
  readonly request: Request;
  /** What the answer says about it: nothing if the query is as it was given. */
  readonly note: { readonly spellCorrected?: { readonly original: string; readonly corrected: string } };
}

interface Correcting<R> {
  /** The lexical part of a request. */
  readonly wordsOf: (request: R) => Request;
  /** As the input names it. */
  readonly lang: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * Corrects words that no document has by the likeliest others; not those of a query with operators. `resolve` makes the
 * request of an input.
 */
export async function correctSpelling<I extends { readonly query: string }, R>(deps: SpellingDeps, input: I,
  resolve: (input: I) => R, { wordsOf, lang, signal }: Correcting<R>): Promise<Corrected<I, R>>
{
  const resolved = (each: I): Promise<R> => withCompounds(deps.view, () => resolve(each), wordsOf);
  const request = await resolved(input);
  const words = wordsOf(request);
  if (deps.spelling === undefined || deps.collections.configOf(words.collection)?.spellCorrect !== true)
    return { input, request, note: {} };
  const { query: original } = input;
  const [corrected = original] = respellings(words.query, await likelyCorrections(deps, words, lang, 1, signal));
  if (corrected === original) return { input, request, note: {} };
  const respelled = { ...input, query: corrected };
  return { input: respelled, request: await resolved(respelled), note: { spellCorrected: { original, corrected } } };
}

/**
 * A query with the words that no document has replaced by others, at most `limit` for each: first by those that are
 * likeliest by words and frequencies, then by those of the index that are nearest by edits.
 */
async function otherSpellings(deps: SpellingDeps, request: Request, lang: string | undefined, limit: number,
  signal: AbortSignal): Promise<Iterable<string>>
{
  const likely = await likelyCorrections(deps, request, lang, limit, signal);
  const nearest = await gathered(() => nearestCorrections(deps, request, limit));
  return new Set([likely, nearest].flatMap((corrections) => respellings(request.query, corrections)));
}

/** By the words of the index that are nearest by edits. */
async function nearestCorrections(deps: SpellingDeps, request: Request, limit: number): Promise<Correction[]> {
  const nearest: Correction[] = [];
  const pace = new Pace();
  const guesses = new Guesses();
  for (const node of unknownWords(deps, request)) {
    const index = deps.view.indexOf(request.collection);
    nearest.push({ node, words: guesses.guess(() => index?.spelledLike(node.form, limit) ?? [], []) });
    await pace.rest();
  }
  guesses.check();
  return nearest;
}

async function likelyCorrections(deps: SpellingDeps, request: Request, lang: string | undefined, limit: number,
  signal: AbortSignal): Promise<Correction[]>
{
  const { collections, settings, spelling } = deps;
  const { collection } = request;
  const unknown = spelling === undefined ? [] : await gathered(() => unknownWords(deps, request));
  if (unknown.length === 0) return [];
  const source = { collection, lang: collections.configOf(collection)?.spellLang || lang || settings.defaultLang };
  const words = await spelling!.corrections(unknown.map(({ form }) => form), source, limit, signal);
  return unknown.map((node, i) => ({ node, words: words[i]! }));
}

/** The words of a query without operators that no document has in any inflection, in their order, up to a maximum. */
function unknownWords({ view }: SpellingDeps, { collection, plan, fields }: Request): readonly TermNode[] {
  const [main] = plan.readings;
  const index = view.indexOf(collection);
  if (main === undefined || index === undefined || plan.mode !== 'simple') return [];
  const nodes = [...main.own];
  const unknown = readEach(nodes, (node) => isUnknown(index, main, node, fields));
  return nodes.filter((_, i) => unknown[i]).slice(0, MAX_WORDS);
}

function isUnknown(index: ReadableText, { classes, analyzer }: Reading, { form, start, end }: TermNode,
  fields: Request['fields']): boolean
{
  return index.search({
    readings: [{ classes, analyzer, root: { kind: 'term', form, start, end } }],
    algorithm: 'tfidf',
    limit: 0,
    fields,
  }).total === 0;
}

/**
 * The query with the likeliest correction for each word that has any, then with alternatives for the last of them; none
 * without corrections.
 */
function respellings(query: string, all: readonly Correction[]): string[] {
  const corrections = all.filter(({ words }) => words.length > 0);
  const last = corrections.at(-1);
  if (last === undefined) return [];
  const nearest = corrections.map(({ node, words: [first] }) => ({ node, word: first! }));
  const others = last.words.slice(1).map((word) => [...nearest.slice(0, -1), { node: last.node, word }]);
  return [nearest, ...others].map((words) => replaced(Buffer.from(query), words));
}

/** A query with some words replaced. Ranges are bytes of the query, in ascending order. */
function replaced(query: Buffer,
  words: readonly { readonly node: Pick<TermNode, 'start' | 'end'>; readonly word: string }[]): string
{
  const parts: (Buffer | string)[] = [];
  let from = 0;
  for (const { node: { start, end }, word } of words) {
    parts.push(query.subarray(from, start), word);
    from = end;
  }
  return [...parts, query.subarray(from)].map(String).join('');
}

/** Suggestions for a query that finds nothing; absent where there are none. */
export interface SearchHelp {
  /** Queries that find something, in the order of their distance. */
  readonly suggestions?: string[];
  /** Stop words that were not searched for. */
  readonly droppedWords?: string[];
}

const MAX_SUGGESTIONS = 3;

/**
 * Suggests other spellings if a query of words finds nothing; each suggestion finds something under the same filters.
 */
export async function helpFor(deps: SearchDeps, input: SearchInput, request: SearchRequest,
  signal: AbortSignal): Promise<SearchHelp>
{
  const suggestions: string[] = [];
  for (const candidate of await otherSpellings(deps, request, input.lang, MAX_SUGGESTIONS, signal)) {
    if (await finds(deps, { ...input, query: candidate }, signal)) suggestions.push(candidate);
    if (suggestions.length === MAX_SUGGESTIONS) break;
  }
  const droppedWords = [...request.plan.readings[0]?.dropped ?? []];
  return {
    ...(suggestions.length > 0 && { suggestions }),
    ...(droppedWords.length > 0 && { droppedWords }),
  };
}

async function finds(deps: SearchDeps,
  { topK: _, facetBy: _facets, sort: _sort, cursor: _cursor, ...input }: SearchInput,
  signal: AbortSignal): Promise<boolean>
{
  const request = await gathered(() => resolveRequest(deps, { ...input, limit: 1, offset: 0 }));
  const { results } = await findResults(deps, {
    ...request,
    ...ONE_SIDE,
    candidates: 1,
    diversity: undefined,
    isCounted: false,
  }, {
    sides: { words: wordsRetriever(deps, request, { isWhole: true }) },
    rules: [],
    signal,
  }, { withBodies: false, mostBytes: 0 });
  return results.length > 0;
}
