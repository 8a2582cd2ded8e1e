import { Pace } from '../../../lib/pace.ts';
import type { TermNode } from '../../../text/query/index.ts';
import type { TextIndex } from '../view/text-index.ts';
import { matchDocuments } from './match-documents.ts';
import type { Reading } from './query-plan.ts';
import { resolveRequest, type SearchInput, type SearchRequest } from './request.ts';
import type { SearchDeps } from './search-full-text.ts';

/** Suggestions for a query that finds nothing. */
export interface SearchHelp {
  /** Queries that find something, in the order of their distance. */
  readonly suggestions: readonly string[];
  /** Stop words that were not searched for. */
  readonly droppedWords: readonly string[];
}

export const MAX_SUGGESTIONS = 3;
/** Maximum number of words of a query that are checked for spelling, because each reads a part of the dictionary. */
const MAX_WORDS = 8;

/**
 * Suggests other spellings if a query of words finds nothing; each suggestion finds something under the same filters.
 */
export async function helpFor(deps: SearchDeps, input: SearchInput, { collection, query, plan, fields }: SearchRequest,
  signal: AbortSignal): Promise<SearchHelp>
{
  const [main] = plan.readings;
  const index = deps.view.indexOf(collection);
  if (main === undefined || index === undefined) return { suggestions: [], droppedWords: [] };
  const candidates = plan.mode === 'simple' ? await respelled(index, main, Buffer.from(query), fields) : [];
  const suggestions: string[] = [];
  for (const candidate of candidates)
    if (await finds(deps, { ...input, query: candidate }, signal)) suggestions.push(candidate);
  return { suggestions, droppedWords: [...main.dropped] };
}

/** The words of a query without operators that no document has in any inflection, in their order, up to a maximum. */
export function unknownWords(deps: Pick<SearchDeps, 'view'>,
  { collection, plan, fields }: SearchRequest): readonly TermNode[]
{
  const [main] = plan.readings;
  const index = deps.view.indexOf(collection);
  if (main === undefined || index === undefined || plan.mode !== 'simple') return [];
  return [...main.own].filter((node) => isUnknown(index, main, node, fields)).slice(0, MAX_WORDS);
}

/**
 * The query with the words that no document has replaced by similar ones: first the nearest for each, then an
 * alternative for one of them.
 */
async function respelled(index: TextIndex, reading: Reading, query: Buffer,
  fields: SearchRequest['fields']): Promise<string[]>
{
  const pace = new Pace();
  const unknown = [...reading.own].filter((node) => isUnknown(index, reading, node, fields)).slice(0, MAX_WORDS);
  const corrections: Correction[] = [];
  for (const node of unknown) {
    const words = index.spelledLike(node.form, MAX_SUGGESTIONS);
    if (words.length > 0) corrections.push({ node, words });
    await pace.rest();
  }
  return respellings(query, corrections);
}

/** A word of a query with its possible corrections, the likeliest first. */
export interface Correction {
  readonly node: TermNode;
  readonly words: readonly string[];
}

/**
 * The query with the likeliest correction for each of some words, then with alternatives for the last of them; none
 * without words.
 */
export function respellings(query: Buffer, corrections: readonly Correction[]): string[] {
  if (corrections.length === 0) return [];
  const nearest = corrections.map(({ node, words: [first] }) => ({ node, word: first! }));
  const [last] = corrections.slice(-1);
  const others = last!.words.slice(1).map((word) => [...nearest.slice(0, -1), { node: last!.node, word }]);
  return [nearest, ...others].map((words) => replaced(query, words));
}

function isUnknown(index: TextIndex, { classes, analyzer }: Reading, { form, start, end }: TermNode,
  fields: SearchRequest['fields']): boolean
{
  return index.search({
    readings: [{ classes, analyzer, root: { kind: 'term', form, start, end } }],
    algorithm: 'tfidf',
    limit: 0,
    ...(fields && { fields }),
  }).total === 0;
}

/** A query with some words replaced. Ranges are bytes of the query, in ascending order. */
export function replaced(query: Buffer,
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

async function finds(deps: SearchDeps, { topK: _, cursor: _cursor, ...input }: SearchInput,
  signal: AbortSignal): Promise<boolean>
{
  const request = resolveRequest(deps, { ...input, limit: 1, offset: 0 });
  const { total } = await matchDocuments(deps, request, {
    signal,
    hidden: [],
    pinned: [],
    content: { withBodies: false, mostBytes: 0 },
  });
  return total > 0;
}
