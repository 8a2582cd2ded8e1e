import type { Command } from 'commander';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { getRunArtifact, listRunArtifacts } from '../../../../generated/runs/sdk/sdk.gen.ts';
import type { RunArtifact } from '../../../../generated/runs/sdk/types.gen.ts';
import { formatByteSize } from '../../../lib/byte-size.ts';
import { wholeNumber } from '../shared/arguments.ts';
import { CommandError, runCommand } from '../shared/command-error.ts';
import { type Io, writeLines } from '../shared/io.ts';
import { addRunsClientOptions, openRunsClient, type RunsClient, type RunsClientOptions } from './client.ts';
import { findRun } from './find.ts';

interface Options extends RunsClientOptions {
  readonly attempt?: number;
  readonly download?: string;
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  $ quire runs artifacts 6284
  $ quire runs artifacts 6284 --download ./out
`;

export function registerArtifacts(runs: Command, io: Io): void {
  const command = runs.command('artifacts').description('list the files that a run has left, or download them')
    .argument('<id>', 'id of the run, or its beginning or end').option('--attempt <n>',
      'those of this attempt; without it of the current one', wholeNumber(1, 1_000_000)).option('--download <folder>',
      'write them below this folder').option('--json', 'write JSON');
  addRunsClientOptions(command).addHelpText('after', EXAMPLES).action(async (id: string, options: Options) => {
    await runCommand('runs artifacts', io, () => artifacts(id, options, io));
  });
}

async function artifacts(text: string, options: Options, io: Io): Promise<void> {
  const client = openRunsClient(options);
  const id = await findRun(client, text);
  const query = options.attempt === undefined ? {} : { attempt: options.attempt };
  const { data: files } = await client.ask(() => listRunArtifacts({ client: client.sdk, path: { id }, query }));
  if (options.download !== undefined) { for (const file of files) await download(client, id, file, options.download); }
  if (options.json) io.stdout.write(`${JSON.stringify(files, null, 2)}\n`);
  else writeLines(io.stdout,
      files.map(({ name, size, step }) =>
        `${options.download === undefined ? name : join(options.download, name)}  ${formatByteSize(size)}  [${step}]`
      ));
  if (files.length === 0) writeLines(io.stderr, ['the run has left no files']);
}

/** The file is complete under its name, or absent. */
async function download(client: RunsClient, id: string, { name, attempt }: RunArtifact, folder: string): Promise<void> {
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
    await pipeline(Readable.fromWeb(body as never), createWriteStream(partial));
    await rename(partial, target);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}
