import type { Command } from 'commander';
import { deleteCaches, listCaches } from '../../../../generated/runs/sdk/sdk.gen.ts';
import type { Cache, ListCachesResponse } from '../../../../generated/runs/sdk/types.gen.ts';
import { formatByteSize } from '../../../lib/byte-size.ts';
import { CommandError, runCommand } from '../shared/command-error.ts';
import { formatMoment } from '../shared/format.ts';
import { type Io, writeLines } from '../shared/io.ts';
import { renderTable } from '../shared/table.ts';
import { addRunsClientOptions, openRunsClient, type RunsClientOptions } from './client.ts';

interface ListOptions extends RunsClientOptions {
  readonly prefix?: string;
  readonly json?: boolean;
}

interface DeleteOptions extends RunsClientOptions {
  readonly prefix?: string;
  readonly all?: boolean;
}

const COLUMNS = [{ heading: 'key', minimum: 16 }, { heading: 'size', minimum: 10 }, { heading: 'saved', minimum: 16 }, {
  heading: 'used',
  minimum: 16,
}, { heading: 'hits', minimum: 4 }];

/** Caches of one response. */
const PAGE = 100;

const EXAMPLES = `
Examples:
  $ quire runs caches list alpha
  $ quire runs caches delete alpha npm-5b9f2c71
  $ quire runs caches delete alpha --prefix npm-
`;

/** `quire runs caches`: the caches of steps that the service keeps for all ships. */
export function registerCaches(runs: Command, io: Io): void {
  const caches = runs.command('caches').description(
    'list or delete the caches of steps that the service keeps for all ships',
  ).addHelpText('after', EXAMPLES);
  addRunsClientOptions(
    caches.command('list').description('list the caches of a project, newest first').argument('<project>',
      'id of the project'),
  ).option('--prefix <text>', 'only those whose keys begin with it').option('--json', 'write JSON instead of text')
    .action((project: string, options: ListOptions) =>
      runCommand('runs caches list', io, () => list(project, options, io))
    );
  addRunsClientOptions(
    caches.command('delete').description('delete a cache of a project, or several').argument('<project>',
      'id of the project').argument('[key]', 'key of one cache'),
  ).option('--prefix <text>', 'all whose keys begin with it').option('--all', 'all caches of the project').action((
    project: string,
    key: string | undefined,
    options: DeleteOptions,
  ) => runCommand('runs caches delete', io, () => remove(project, key, options, io)));
}

async function list(id: string, { prefix, json, ...options }: ListOptions, io: Io): Promise<void> {
  const client = openRunsClient(options);
  const caches: Cache[] = [];
  let before: string | null = null;
  do {
    const query: { limit: number; prefix?: string; before?: string } = {
      limit: PAGE,
      ...(prefix !== undefined && { prefix }),
      ...(before !== null && { before }),
    };
    const page: ListCachesResponse = await client.ask(() => listCaches({ client: client.sdk, path: { id }, query }));
    caches.push(...page.data);
    before = page.next_cursor;
  } while (before !== null);
  if (json) return void io.stdout.write(`${JSON.stringify(caches, null, 2)}\n`);
  const rows = caches.map((
    { key, size, created_at: created, used_at: used, hits },
  ) => [key, formatByteSize(size), formatMoment(created), formatMoment(used), String(hits)]);
  if (rows.length > 0)
    writeLines(io.stdout, renderTable(COLUMNS, rows, io.stdout.isTTY ? io.stdout.columns : undefined));
  else writeLines(io.stderr, ['the service keeps no such caches (caches.store)']);
}

async function remove(id: string, key: string | undefined, { prefix, all, ...options }: DeleteOptions,
  io: Io): Promise<void>
{
  if ([key !== undefined, prefix !== undefined, all === true].filter(Boolean).length !== 1)
    throw new CommandError('say what to delete: a key, --prefix or --all');
  const client = openRunsClient(options);
  const query = key === undefined ? { prefix: prefix ?? '' } : { key };
  const { data: { deleted, bytes } } = await client.askOnce(deleteCaches({ client: client.sdk, path: { id }, query }));
  writeLines(io.stdout, [
    `${deleted} ${deleted === 1 ? 'cache' : 'caches'} of ${id} deleted, ${formatByteSize(bytes)}`,
  ]);
}
