import { type Command, Option } from 'commander';
import { getStats, searchDocuments, searchFullText } from '../../../generated/docs/sdk/sdk.gen.ts';
import type { FullTextResult, SearchDocumentsRequest, SearchFullTextRequest,
  SearchFullTextResponse } from '../../../generated/docs/sdk/types.gen.ts';
import { collectFilter, commaList, wholeNumber } from './shared/arguments.ts';
import { CommandError, runCommand } from './shared/command-error.ts';
import { addClientOptions, type ClientOptions, openClient, type ServiceClient } from './shared/connection.ts';
import { documentTable } from './shared/document-table.ts';
import { type Io, processIo, writeLines } from './shared/io.ts';
import { formatCount, isColoured, note, plainLine, plural, widthOf, writeJson } from './shared/output.ts';
import { answered } from './shared/service-failure.ts';

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
  const { data } = await answered(client.url, searchFullText({ client: client.sdk, body: wordRequestOf(search) }));
  if (search.json) return writeJson(io, data.results);
  const emphasise = isColoured(io.stdout, search) ? bold : plain;
  writeLines(io.stdout, data.results.flatMap((result, i) => linesOf(result, search.offset + i + 1, emphasise)));
  note(io, search, [countLine(data.results.length, search.offset, data.total), ...suggestionLine(data)]);
}

function wordRequestOf(
  { collection, query, limit, offset, filter, where, fuzzy, match, lang, fields, json }: WordSearch,
): SearchFullTextRequest {
  return {
    collection,
    query,
    limit,
    offset,
    highlight: true,
    ...(json ? {} : { highlightTag: MARK, maxHighlights: 2 }),
    filterMeta: filter,
    filter: where,
    fuzzy: fuzzy === undefined || fuzzy === 'auto' ? 'auto' : (Number(fuzzy) as 0 | 1 | 2),
    // Who asks for a number of edits knows the words.
    prefix: fuzzy === undefined ? 'last' : undefined,
    matchingStrategy: match,
    lang,
    fields: fields === undefined ? (json ? undefined : ['title']) : [...fields],
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

/** The spellings that would have found something; the service sends them only if nothing was found. */
function suggestionLine({ suggestions = [] }: SearchFullTextResponse): string[] {
  return suggestions.length === 0 ? [] : [`did you mean: ${suggestions.map(plainLine).join(', ')}`];
}

interface SearchArguments extends ClientOptions {
  readonly collection?: string;
  readonly filter?: Record<string, string[]>;
  readonly where?: string;
  readonly fuzzy?: '0' | '1' | '2' | 'auto';
  readonly match?: 'any' | 'all' | 'most';
  readonly sort?: 'addedAt' | 'updatedAt' | 'key';
  readonly asc?: boolean;
  readonly lang?: string;
  readonly limit?: number;
  readonly offset: number;
  readonly fields?: string[];
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly color?: boolean;
}

const LIMIT = 50;
/** Formats that take several lines for each document. */
const LIMIT_BY_WORDS = 10;

/** The columns of the table if no fields are requested. */
const TABLE_FIELDS = ['title', 'updatedAt', 'tags', 'category'];

const EXAMPLES = `
With words, the documents that have them are listed best first, each with passages around the matches; in a terminal the
matches are bold. Words may be written as for /v1/fts: "a phrase", one AND two, NOT that, pref*. Without words, all documents
that --filter and --where leave are listed. Without --collection, the service's only collection is searched. Finding
nothing is no failure: the status is 0.

Examples:
  $ quire search --collection mdn center a div
  $ quire search --collection mdn '"event loop" AND worker' --filter page-type=guide --limit 3
  $ quire search --collection mdn --fuzzy auto --match most asynch functon
  $ quire search --collection mdn --filter page-type=guide
  $ quire search --collection blog --where 'updatedAt >= 2026-01-01 AND tags IN [news, api]'
  $ quire search --collection mdn --filter status=experimental --filter status=deprecated
  $ quire search --collection blog --sort updatedAt --limit 10
  $ quire search --collection mdn --fields title,page-type,sidebar
  $ quire search --collection blog --filter tags=news --json
`;

/** Adds `quire search` to the program. */
export function registerSearch(program: Command, io: Io = processIo): void {
  const command = program.command('search').argument('[words...]', 'what to search for').summary(
    'find documents by words or metadata',
  ).description('Find documents of a running document service by words, by their metadata or by both, and list them.')
    .option('-c, --collection <name>', 'collection to search').option('--filter <key=value>',
      'only documents with this metadata; repeat a key for alternatives, other keys must match too', collectFilter)
    .option('--where <expression>',
      'only documents for which this holds, such as "year >= 2020 AND NOT status = draft" (docs/filters.md)').addOption(
      new Option('--fuzzy <edits>',
        'how many letters of a word may be wrong: 0, 1, 2, or auto, by its length, the default').choices(['0', '1', '2',
          'auto']),
    ).addOption(
      new Option('--match <words>', 'how many of the words a document must have; without it any of them').choices([
        'any',
        'all',
        'most',
      ]),
    ).addOption(
      new Option('--sort <field>', 'what to sort by, newest or last first; without it by key, ascending').choices([
        'addedAt',
        'updatedAt',
        'key',
      ]),
    ).option('--asc', 'sort ascending').option('--lang <lang>',
      'language of the words; without it, each document is searched in its own').option('--limit <n>',
      'most documents to list: 10 by words, else 50, unless set', wholeNumber(0, 10_000)).option('--offset <n>',
      'matches to skip', wholeNumber(0, Number.MAX_SAFE_INTEGER), 0).option('--fields <names>',
      'what to show of each document: metadata keys, addedAt, updatedAt, expiresAt, contentMd; separated by commas',
      commaList).option('--json', 'write a JSON array instead of a table').option('-q, --quiet',
      'do not say how many there are').option('--no-color', 'no bold text, as with NO_COLOR');
  addClientOptions(command).addHelpText('after', EXAMPLES).action(async (words: string[], options: SearchArguments) => {
    await runCommand('search', io, () => runSearch(words.join(' ').trim(), options, io));
  });
}

async function runSearch(query: string, given: SearchArguments, io: Io): Promise<void> {
  refuseMixture(query, given);
  const client = openClient(given);
  const collection = given.collection ?? (await onlyCollection(client));
  if (query !== '')
    return searchByWords(client, { ...given, collection, query, limit: given.limit ?? LIMIT_BY_WORDS }, io);
  const { data: documents, response } = await answered(client.url,
    searchDocuments({ client: client.sdk, body: requestOf(given, collection) }));
  if (given.json) return writeJson(io, documents);
  if (documents.length > 0)
    writeLines(io.stdout, documentTable(documents, given.fields, widthOf(io.stdout)));
  // The count is printed beside the table, not in it, so that a pipe receives only documents.
  note(io, given, [
    countLine(documents.length, given.offset, Number(response.headers.get('X-Total-Count') ?? documents.length)),
  ]);
}

/** Options that have no effect in combination are an error, because they would be silently ignored. */
function refuseMixture(query: string, { sort, asc, lang, limit, fuzzy, match }: SearchArguments): void {
  if (query === '' && lang !== undefined) throw new CommandError('--lang is the language of words, and there are none');
  if (query === '' && (fuzzy !== undefined || match !== undefined))
    throw new CommandError('--fuzzy and --match are for words, and there are none');
  if (query === '') return;
  if (sort !== undefined || asc !== undefined)
    throw new CommandError('words are listed best first: leave out --sort and --asc');
  if (limit === 0) throw new CommandError('--limit 0: by words, it is 1 to 10000');
}

function requestOf({ filter, where, sort, asc, limit = LIMIT, offset, fields, json }: SearchArguments,
  collection: string): SearchDocumentsRequest
{
  const wanted = fields ?? (json ? undefined : TABLE_FIELDS);
  return {
    collection,
    limit,
    offset,
    filterMeta: filter,
    filter: where,
    sort,
    asc,
    fields: wanted,
  };
}

/** The collection to use if none is named: there must be exactly one. */
async function onlyCollection({ url, sdk }: ServiceClient): Promise<string> {
  const { data } = await answered(url, getStats({ client: sdk }));
  const names = data.collections.map(({ name }) => name);
  if (names.length === 1) return names[0]!;
  throw new CommandError(
    names.length === 0
      ? 'the service holds no collection yet: see `quire import --help`'
      : `which collection? give one with --collection: ${names.join(', ')}`,
  );
}

function countLine(listed: number, offset: number, total: number): string {
  if (listed === 0)
    return total === 0
      ? 'no documents match'
      : `${plural(total, 'document')} match; none listed from ${formatCount(offset)} on`;
  if (listed === total) return plural(total, 'document');
  return `${formatCount(offset + 1)} to ${formatCount(offset + listed)} of ${plural(total, 'document')}`;
}
