import { type Command, Option } from 'commander';
import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { exportDocuments } from '../../../generated/docs/sdk/sdk.gen.ts';
import { collectFilter } from './shared/arguments.ts';
import { CommandError, InterruptedError, runCommand } from './shared/command-error.ts';
import { addClientOptions, type ClientOptions, openClient } from './shared/connection.ts';
import { type Io, processIo, untilInterrupted, writeLines } from './shared/io.ts';
import { formatBytes, plural } from './shared/output.ts';
import { answered, ServiceFailure } from './shared/service-failure.ts';

interface ExportArguments extends ClientOptions {
  readonly collection: string;
  readonly format?: 'ndjson' | 'zip';
  readonly filter?: Record<string, string[]>;
  readonly vectors?: boolean;
  readonly output?: string;
  readonly force?: boolean;
  readonly quiet?: boolean;
}

const EXAMPLES = `
NDJSON holds one document a line and is what \`quire import\` reads back. A ZIP holds one
markdown file a document, {key}.{lang}.md, with the metadata as front matter.

Examples:
  $ quire export --collection blog > blog.ndjson
  $ quire export --collection blog -o blog.zip
  $ quire export --collection mdn --filter page-type=guide --filter status=experimental -o guides.ndjson
  $ quire export --collection blog | gzip > blog.ndjson.gz
  $ quire export --collection blog --vectors | quire import - --collection blog-copy
`;

/** Adds `quire export` to the program. */
export function registerExport(program: Command, io: Io = processIo): void {
  const command = program.command('export').summary('write the documents of a collection to a file or standard output')
    .description('Export the documents of a collection from a running document service, ordered by id.').requiredOption(
      '-c, --collection <name>',
      'collection to export',
    ).addOption(
      new Option('--format <format>', 'format; the default is zip for a file ending in .zip, else ndjson').choices([
        'ndjson',
        'zip',
      ]),
    ).option('--filter <key=value>',
      'only documents with this metadata; repeat a key for alternatives, other keys must match too', collectFilter)
    .option('--vectors', 'with the vectors that clients supplied, in NDJSON').option('-o, --output <file>',
      'file to write; the default is standard output').option('--force', 'replace the file if it exists').option(
      '-q, --quiet',
      'show errors only',
    );
  addClientOptions(command).addHelpText('after', EXAMPLES).action(async (options: ExportArguments) => {
    await runCommand('export', io, () => untilInterrupted((signal) => runExport(options, io, signal)));
  });
}

/**
 * Streams the export to its destination; only the current chunk is in memory. A file is complete or absent: a partial
 * file is removed after an interruption or a lost connection, and with `force` the old file stays until the new one is
 * complete.
 */
async function runExport(given: ExportArguments, io: Io, signal: AbortSignal): Promise<void> {
  const { collection, output, force = false } = given;
  const format = given.format ?? (output?.toLowerCase().endsWith('.zip') ? 'zip' : 'ndjson');
  if (output === undefined && format === 'zip' && io.stdout.isTTY)
    throw new CommandError('a ZIP would garble the terminal: name a file with -o FILE');
  if (output !== undefined && !force && (await exists(output)))
    throw new CommandError(`${output} exists: use --force to replace it`);

  const bytes = await openExport(given, format, signal);
  const meter = new Meter();
  if (output === undefined) await toStandardOutput(bytes, meter, io, signal);
  else await withProgress(meter, format, given.quiet === true ? undefined : io,
      () => toFile(bytes, meter, output, force, signal));
  if (meter.bytes === 0) writeLines(io.stderr, [`collection ${collection} has no such documents: the export is empty`]);
  else if (output !== undefined && given.quiet !== true) {
    const amount = format === 'ndjson' ? `${plural(meter.lines, 'document')}, ` : '';
    writeLines(io.stderr, [`wrote ${output} (${amount}${formatBytes(meter.bytes)})`]);
  }
}

async function openExport(given: ExportArguments, format: 'ndjson' | 'zip', signal: AbortSignal): Promise<Readable> {
  const { url, sdk } = openClient(given);
  const body = {
    collection: given.collection,
    format,
    filterMeta: given.filter,
    ...(given.vectors && { includeVectors: true }),
  };
  const { data } = await answered(url, exportDocuments({ client: sdk, body, parseAs: 'stream', signal }));
  // The SDK's type is that of a parsed response; an empty response may have no body.
  const stream = data as unknown as ReadableStream<Uint8Array> | null;
  return stream === null ? Readable.from([]) : Readable.fromWeb(stream);
}

const REPORT_EVERY_MS = 3000;

/** Reports every few seconds how much was written; the total size is not known. */
async function withProgress(meter: Meter, format: 'ndjson' | 'zip', io: Io | undefined,
  work: () => Promise<void>): Promise<void>
{
  const report = (): void =>
    writeLines(io!.stderr, [
      `${format === 'ndjson' ? `${plural(meter.lines, 'document')}, ` : ''}${formatBytes(meter.bytes)} so far`,
    ]);
  const timer = io === undefined ? undefined : setInterval(report, REPORT_EVERY_MS);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
}

async function toStandardOutput(bytes: Readable, meter: Meter, io: Io, signal: AbortSignal): Promise<void> {
  try {
    await pipeline(bytes, meter, io.stdout, { end: false, signal });
  } catch (error) {
    // A closed pipe ends the export.
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw brokenOff(error, signal);
  }
}

async function toFile(bytes: Readable, meter: Meter, file: string, force: boolean, signal: AbortSignal): Promise<void> {
  const target = force ? `${file}.part` : file;
  try {
    // `wx` fails if the file was created in the meantime.
    await pipeline(bytes, meter, createWriteStream(target, { flags: force ? 'w' : 'wx' }), { signal });
    if (force) await rename(target, file);
  } catch (error) {
    const { code, syscall, message } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw new CommandError(`${file} exists: use --force to replace it`);
    if (syscall === 'open') throw new CommandError(`cannot write ${file}: ${message}`, { cause: error });
    await rm(target, { force: true });
    throw brokenOff(error, signal);
  }
}

function brokenOff(error: unknown, signal: AbortSignal): Error {
  if (signal.aborted) return new InterruptedError();
  const { code, message } = error as NodeJS.ErrnoException;
  // A failure after the first byte aborts the stream (contract, section 4); a full disk has an error code.
  if (code !== undefined && /^E[A-Z]+$/.test(code))
    return new CommandError(`cannot write: ${message}`, { cause: error });
  return new ServiceFailure(`the export broke off: ${message}`, undefined, undefined, { cause: error });
}

/** Passes bytes on and counts them, and the lines that they complete. */
class Meter extends Transform {
  bytes = 0;
  lines = 0;

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: (error: null, chunk: Buffer) => void): void {
    this.bytes += chunk.length;
    for (let at = chunk.indexOf(0x0a); at >= 0; at = chunk.indexOf(0x0a, at + 1)) this.lines++;
    done(null, chunk);
  }
}

const exists = (file: string): Promise<boolean> => stat(file).then(() => true, () => false);
