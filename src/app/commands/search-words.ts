import { searchFullText } from '../../../generated/docs/sdk/sdk.gen.ts';
import type { FullTextResult, SearchFullTextRequest,
  SearchFullTextResponse } from '../../../generated/docs/sdk/types.gen.ts';
import type { ServiceClient } from './shared/client.ts';
import { formatCount, plural } from './shared/format.ts';
import { type Io, writeLines } from './shared/io.ts';
import { isColoured, note } from './shared/output.ts';
import { answered } from './shared/service-failure.ts';
import { plainLine } from './shared/table.ts';

/** The full-text query of a search. */
export interface WordSearch {
  readonly collection: string;
  readonly query: string;
  readonly limit: number;
  readonly offset: number;
  readonly filter?: Record<string, string[]> | undefined;
  readonly where?: string | undefined;
  readonly fuzzy?: '0' | '1' | '2' | 'auto' | undefined;
  readonly match?: 'any' | 'all' | 'most' | undefined;
  readonly lang?: string | undefined;
  readonly fields?: readonly string[] | undefined;
  readonly json?: boolean | undefined;
  readonly quiet?: boolean;
  readonly color?: boolean;
}

/**
 * Marks each match in a fragment. A private-use character does not occur in ordinary text, and serves as its own
 * closing tag.
 */
const MARK = '\ue000';
const BOLD = '\u001b[1m';
const PLAIN = '\u001b[22m';
const INDENT = '   ';

/**
 * Prints the documents that a full-text search finds, best first, each with its title, its key and passages around the
 * matches.
 */
export async function searchByWords(client: ServiceClient, search: WordSearch, io: Io): Promise<void> {
  const { data } = await answered(client.url, searchFullText({ client: client.sdk, body: requestOf(search) }));
  if (search.json) {
    io.stdout.write(`${JSON.stringify(data.results, null, 2)}\n`);
    return;
  }
  const emphasise = isColoured(io.stdout, search) ? bold : plain;
  writeLines(io.stdout, data.results.flatMap((result, i) => linesOf(result, search.offset + i + 1, emphasise)));
  note(io, search, [countLine(data, search.offset), ...suggestionLine(data)]);
}

function requestOf(
  { collection, query, limit, offset, filter, where, fuzzy, match, lang, fields, json }: WordSearch,
): SearchFullTextRequest {
  return {
    collection,
    query,
    limit,
    offset,
    highlight: true,
    ...(json ? {} : { highlightTag: MARK, maxHighlights: 2 }),
    ...(filter === undefined ? {} : { filterMeta: filter }),
    ...(where === undefined ? {} : { filter: where }),
    ...(fuzzy === undefined ? {} : { fuzzy: fuzzy === 'auto' ? fuzzy : (Number(fuzzy) as 0 | 1 | 2) }),
    ...(match === undefined ? {} : { matchingStrategy: match }),
    ...(lang === undefined ? {} : { lang }),
    ...(fields !== undefined ? { fields: [...fields] } : json ? {} : { fields: ['title'] }),
  };
}

/** The title if there is one, the key, and the passages; an empty line follows. */
function linesOf({ document, highlights = [] }: FullTextResult, rank: number,
  emphasise: (text: string) => string): string[]
{
  const { key, lang, meta = {} } = document;
  const title = plainLine(meta['title']?.[0] ?? '');
  const name = `${plainLine(key)} (${lang})`;
  const head = title === ''
    ? `${rank}. ${emphasise(`${MARK}${name}${MARK}`)}`
    : `${rank}. ${emphasise(`${MARK}${title}${MARK}`)}  ${name}`;
  // A passage of the title would repeat the title.
  const passages = highlights.filter(({ field }) => field === 'content' || title === '');
  return [head, ...passages.map(({ fragment }) => `${INDENT}${emphasise(plainLine(fragment))}`), ''];
}

/** Marks come in pairs: the text between the first and the second is a match. */
function bold(text: string): string {
  return text.split(MARK).map((part, i) => (i % 2 === 1 ? `${BOLD}${part}${PLAIN}` : part)).join('');
}

function plain(text: string): string {
  return text.replaceAll(MARK, '');
}

function countLine({ results, total }: SearchFullTextResponse, offset: number): string {
  if (results.length === 0)
    return total === 0
      ? 'no documents match'
      : `${plural(total, 'document')} match; none listed from ${formatCount(offset)} on`;
  return results.length === total
    ? plural(total, 'document')
    : `${formatCount(offset + 1)} to ${formatCount(offset + results.length)} of ${plural(total, 'document')}`;
}

/** The spellings that would have found something; the service sends them only if nothing was found. */
function suggestionLine({ suggestions = [] }: SearchFullTextResponse): string[] {
  return suggestions.length === 0 ? [] : [`did you mean: ${suggestions.map(plainLine).join(', ')}`];
}
