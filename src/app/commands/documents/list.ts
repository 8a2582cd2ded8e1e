import { type Command, Option } from 'commander';
import type { ProjectedDocument, SearchDocumentsRequest } from '../../../../generated/docs/sdk/types.gen.ts';
import { collectFilter, commaList, wholeNumber } from '../shared/arguments.ts';
import { addClientOptions } from '../shared/client.ts';
import { runCommand } from '../shared/command-error.ts';
import type { ClientOptions } from '../shared/connection.ts';
import { documentTable } from '../shared/document-table.ts';
import { formatCount, plural } from '../shared/format.ts';
import { type Io, writeLines } from '../shared/io.ts';
import { addOutputOptions, note, type OutputOptions, widthOf, writeJson } from '../shared/output.ts';
import { openService } from '../shared/service.ts';

interface Options extends ClientOptions, OutputOptions {
  readonly filter?: Record<string, string[]>;
  readonly sort?: 'addedAt' | 'updatedAt' | 'key';
  readonly asc?: boolean;
  readonly fields?: string[];
  readonly limit: number;
  readonly all?: boolean;
}

/** The columns of the table if no fields are requested. */
const TABLE_FIELDS = ['title', 'updatedAt', 'tags', 'category'];
const PAGE = 1000;

/** `quire list`: the documents of a collection. */
export function registerList(program: Command, io: Io): void {
  const command = program.command('list').summary('list the documents of a collection').description(
    'List the documents of a collection, page after page.',
  ).argument('<collection>', 'collection to list').option('--filter <key=value>',
    'only documents with this metadata; repeat a key for alternatives, other keys must match too', collectFilter)
    .addOption(
      new Option('--sort <field>', 'what to sort by, newest or last first; without it by key, ascending').choices([
        'addedAt',
        'updatedAt',
        'key',
      ]),
    ).option('--asc', 'sort ascending').option('--fields <names>',
      'what to show of each document, as for `quire search`', commaList).option('--limit <n>', 'most documents to list',
      wholeNumber(1, Number.MAX_SAFE_INTEGER), 100).option('--all', 'list all documents');
  addClientOptions(addOutputOptions(command, 'list')).addHelpText('after',
    '\nExamples:\n  $ quire list blog --sort updatedAt --limit 10\n  $ quire list blog --all --ndjson --fields ' +
      'title | jq -r .key').action((collection: string, options: Options) =>
      runCommand('list', io, () => list(collection, options, io)));
}

async function list(collection: string, options: Options, io: Io): Promise<void> {
  const { filter, sort, asc, fields, json, ndjson } = options;
  const most = options.all === true ? Infinity : options.limit;
  const wanted = fields ?? (json === true || ndjson === true ? undefined : TABLE_FIELDS);
  const input: SearchDocumentsRequest = {
    // Requests one more than is shown, to find out whether there are more.
    collection,
    limit: Math.min(PAGE, most + 1),
    ...(filter !== undefined && { filterMeta: filter }),
    ...(sort !== undefined && { sort }),
    ...(asc !== undefined && { asc }),
    ...(wanted !== undefined && { fields: wanted }),
  };
  const found: ProjectedDocument[] = [];
  let [count, more] = [0, false];
  for await (const page of openService(options).pages('searchDocuments', { ...input })) {
    const some = page.slice(0, most - count) as ProjectedDocument[];
    [count, more] = [count + some.length, some.length < page.length];
    if (ndjson === true) writeLines(io.stdout, some.map((each) => JSON.stringify(each)));
    else found.push(...some);
    if (more) break;
  }
  if (json === true) return writeJson(io, found);
  if (ndjson === true) return;
  if (count > 0) writeLines(io.stdout, documentTable(found, fields, widthOf(io.stdout)));
  note(io, options, [
    count === 0
      ? 'there are no such documents'
      : more
      ? `the first ${formatCount(count)}; --limit lists more, --all everything`
      : plural(count, 'document'),
  ]);
}
