import type { Command } from 'commander';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { deleteCaches, getRunArtifact, listCaches, listRunArtifacts } from '../../../../generated/runs/sdk/sdk.gen.ts';
import type { RunArtifact } from '../../../../generated/runs/sdk/types.gen.ts';
import { formatByteSize } from '../../../lib/byte-size.ts';
import { wholeNumber } from '../shared/arguments.ts';
import { CommandError, runCommand } from '../shared/command-error.ts';
import { type Io, writeLines } from '../shared/io.ts';
import { formatMoment, writeJson, writeTable } from '../shared/output.ts';
import { addRunsClientOptions, listed, openRunsClient, type RunsClient, type RunsClientOptions } from './client.ts';
import { findRun } from './find.ts';

interface ArtifactOptions extends RunsClientOptions {
  readonly attempt?: number;
  readonly download?: string;
  readonly json?: boolean;
}

const ARTIFACT_EXAMPLES = `
Examples:
  $ quire runs artifacts 6284
  $ quire runs artifacts 6284 --download ./out
`;

export function registerArtifacts(runs: Command, io: Io): void {
  const command = runs.command('artifacts').description('list the files that a run has left, or download them')
    .argument('<id>', 'id of the run, or its beginning or end').option('--attempt <n>',
      'those of this attempt; without it of the current one', wholeNumber(1, 1_000_000)).option('--download <folder>',
      'write them below this folder').option('--json', 'write JSON');
  addRunsClientOptions(command).addHelpText('after', ARTIFACT_EXAMPLES).action(
    async (id: string, options: ArtifactOptions) => {
      await runCommand('runs artifacts', io, () => artifacts(id, options, io));
    },
  );
}

async function artifacts(text: string, options: ArtifactOptions, io: Io): Promise<void> {
  const client = openRunsClient(options);
  const id = await findRun(client, text);
  const query = options.attempt === undefined ? {} : { attempt: options.attempt };
  const { data: files } = await client.ask(() => listRunArtifacts({ client: client.sdk, path: { id }, query }));
  if (options.download !== undefined) { for (const file of files) await download(client, id, file, options.download); }
  if (options.json) writeJson(io, files);
  else writeLines(io.stdout,
      files.map(({ name, size, step }) =>
        `${options.download === undefined ? name : join(options.download, name)}  ${formatByteSize(size)}  [${step}]`
      ));
  if (files.length === 0) writeLines(io.stderr, ['the run has left no files']);
}

/** The file is complete under its name, or absent. */
async function download(client: RunsClient, id: string, { name, attempt, executable }: RunArtifact,
  folder: string): Promise<void>
{
  const target = resolve(folder, name);
  if (!target.startsWith(`${resolve(folder)}${sep}`))
    throw new CommandError(`the server names the file ${name}, which leads out of ${folder}`);
  await mkdir(dirname(target), { recursive: true });
  const partial = `${target}.part`;
  try {
    // Streamed, because it may be larger than memory.
    const body = await client.ask(() =>
      getRunArtifact({ client: client.sdk, path: { id, name }, query: { attempt }, parseAs: 'stream' })
    ) as unknown as ReadableStream<Uint8Array>;
    await pipeline(Readable.fromWeb(body as never), createWriteStream(partial, { mode: executable ? 0o777 : 0o666 }));
    await rename(partial, target);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

interface CacheOptions extends RunsClientOptions {
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

const CACHE_EXAMPLES = `
Examples:
  $ quire runs caches list alpha
  $ quire runs caches delete alpha npm-5b9f2c71
  $ quire runs caches delete alpha --prefix npm-
`;

/** `quire runs caches`: the caches of steps that the service keeps for all ships. */
export function registerCaches(runs: Command, io: Io): void {
  const caches = runs.command('caches').description(
    'list or delete the caches of steps that the service keeps for all ships',
  ).addHelpText('after', CACHE_EXAMPLES);
  addRunsClientOptions(
    caches.command('list').description('list the caches of a project, newest first').argument('<project>',
      'id of the project'),
  ).option('--prefix <text>', 'only those whose keys begin with it').option('--json', 'write JSON instead of text')
    .action((project: string, options: CacheOptions) =>
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

async function list(id: string, { prefix, json, ...options }: CacheOptions, io: Io): Promise<void> {
  const client = openRunsClient(options);
  const { items } = await listed((page) =>
    client.ask(() => listCaches({ client: client.sdk, path: { id }, query: { ...page, prefix } }))
  );
  if (json) return writeJson(io, items);
  const rows = items.map((
    { key, size, created_at: created, used_at: used, hits },
  ) => [key, formatByteSize(size), formatMoment(created), formatMoment(used), String(hits)]);
  writeTable(io, COLUMNS, rows, 'the service keeps no such caches (caches.store)');
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
