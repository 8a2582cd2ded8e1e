import { Option, type Command } from 'commander';
import { getStats, searchDocuments } from '../../../generated/docs/sdk/sdk.gen.ts';
import type { ProjectedDocument, SearchDocumentsRequest } from '../../../generated/docs/sdk/types.gen.ts';
import { collectFilter, commaList, wholeNumber } from './shared/arguments.ts';
import { addClientOptions, openClient, type ClientOptions, type ServiceClient } from './shared/client.ts';
import { CommandError, runCommand } from './shared/command-error.ts';
import { documentTable } from './shared/document-table.ts';
import { formatCount, plural } from './shared/format.ts';
import { processIo, writeLines, type Io } from './shared/io.ts';
import { answered } from './shared/service-failure.ts';

interface SearchArguments extends ClientOptions {
  readonly collection?: string;
  readonly filter?: Record<string, string[]>;
  readonly sort?: 'addedAt' | 'updatedAt' | 'key';
  readonly asc?: boolean;
  readonly limit: number;
  readonly offset: number;
  readonly fields?: string[];
  readonly json?: boolean;
}

/** What the table shows when no fields are asked for. */
const TABLE_FIELDS = ['title', 'updatedAt', 'tags', 'category'];

const EXAMPLES = `
Without --collection, the service's only collection is searched.

Examples:
  $ quire search --collection mdn --filter page-type=guide
  $ quire search --collection mdn --filter status=experimental --filter status=deprecated
  $ quire search --collection blog --sort updatedAt --limit 10
  $ quire search --collection mdn --fields title,page-type,sidebar
  $ quire search --collection blog --filter tags=news --json
`;

/** Adds `quire search` to the program. */
export function registerSearch(program: Command, io: Io = processIo): void {
  const command = program
    .command('search')
    .summary('find documents by their metadata')
    .description('Find documents of a running document service by their metadata, and list them.')
    .option('-c, --collection <name>', 'collection to search')
    .option('--filter <key=value>', 'only documents with this metadata; repeat a key for alternatives, other keys must match too', collectFilter)
    .addOption(new Option('--sort <field>', 'what to sort by, newest or last first; without it by key, ascending').choices(['addedAt', 'updatedAt', 'key']))
    .option('--asc', 'sort ascending')
    .option('--limit <n>', 'most documents to list', wholeNumber(0, 10_000), 50)
    .option('--offset <n>', 'matches to skip', wholeNumber(0, Number.MAX_SAFE_INTEGER), 0)
    .option('--fields <names>', 'what to show of each document: metadata keys, addedAt, updatedAt, expiresAt, contentMd; separated by commas', commaList)
    .option('--json', 'write a JSON array instead of a table');
  addClientOptions(command)
    .addHelpText('after', EXAMPLES)
    .action(async (options: SearchArguments) => {
      await runCommand('search', io, () => runSearch(options, io));
    });
}

async function runSearch(given: SearchArguments, io: Io): Promise<void> {
  const client = openClient(given);
  const collection = given.collection ?? (await onlyCollection(client));
  const { data: documents, response } = await answered(client.url, searchDocuments({ client: client.sdk, body: requestOf(given, collection) }));
  if (given.json) {
    io.stdout.write(`${JSON.stringify(documents, null, 2)}\n`);
    return;
  }
  if (documents.length > 0) writeLines(io.stdout, documentTable(documents, given.fields, io.stdout.isTTY ? io.stdout.columns : undefined));
  // The count accompanies the table, so that a pipe gets nothing but documents.
  writeLines(io.stderr, [countLine(documents, given.offset, Number(response.headers.get('X-Total-Count') ?? documents.length))]);
}

function requestOf({ filter, sort, asc, limit, offset, fields, json }: SearchArguments, collection: string): SearchDocumentsRequest {
  const wanted = fields ?? (json ? undefined : TABLE_FIELDS);
  return {
    collection,
    limit,
    offset,
    ...(filter === undefined ? {} : { filterMeta: filter }),
    ...(sort === undefined ? {} : { sort }),
    ...(asc === undefined ? {} : { asc }),
    ...(wanted === undefined ? {} : { fields: wanted }),
  };
}

/** The collection to take when none is named: there must be exactly one. */
async function onlyCollection({ url, sdk }: ServiceClient): Promise<string> {
  const { data } = await answered(url, getStats({ client: sdk }));
  const names = data.collections.map(({ name }) => name);
  if (names.length === 1) return names[0]!;
  throw new CommandError(names.length === 0 ? 'the service holds no collection yet: see `quire import --help`' : `which collection? give one with --collection: ${names.join(', ')}`);
}

function countLine(documents: readonly ProjectedDocument[], offset: number, total: number): string {
  if (documents.length === 0) return total === 0 ? 'no documents match' : `${plural(total, 'document')} match; none listed from ${formatCount(offset)} on`;
  if (documents.length === total) return `${plural(total, 'document')}`;
  return `${formatCount(offset + 1)} to ${formatCount(offset + documents.length)} of ${plural(total, 'document')}`;
}
