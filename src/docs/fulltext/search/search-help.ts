import { matchDocuments } from './match-documents.ts';
import { resolveRequest, type SearchInput, type SearchRequest } from './request.ts';
import type { SearchDeps } from './search-full-text.ts';
import { otherSpellings } from './spelling.ts';

/** Suggestions for a query that finds nothing. */
export interface SearchHelp {
  /** Queries that find something, in the order of their distance. */
  readonly suggestions: readonly string[];
  /** Stop words that were not searched for. */
  readonly droppedWords: readonly string[];
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
  return { suggestions, droppedWords: [...request.plan.readings[0]?.dropped ?? []] };
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
