import { type Command, Option } from 'commander';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { getHealth } from '../../../../generated/docs/sdk/sdk.gen.ts';
import { CONVERTIBLE_LIST } from '../../../convert/index.ts';
import { type Clock, systemClock, unixSeconds } from '../../../lib/clock.ts';
import { commaList, wholeNumber } from '../shared/arguments.ts';
import { CommandError, INTERRUPTED, isForUser, runCommand } from '../shared/command-error.ts';
import { addClientOptions, type ClientOptions, openClient, type ServiceClient } from '../shared/connection.ts';
import { type Io, processIo, untilInterrupted, writeLines } from '../shared/io.ts';
import { answered, DEFAULT_RETRIES, ServiceFailure } from '../shared/service-failure.ts';
import { type Batch, type BatchResult, importDocuments, type ImportResult, MAX_BATCH_BYTES,
  sendBatch } from './import-documents.ts';
import { showProgress } from './progress.ts';
import { fileSource, type FolderOptions, folderSource, isTakenName } from './read-folder.ts';
import { ndjsonSource, type RowOptions } from './read-ndjson.ts';
import type { Source } from './source.ts';
import { passedOverLines, problemLines, stopLines, summaryLines } from './tally.ts';

const NDJSON = /\.(?:ndjson|jsonl)(?:\.gz)?$/i;

/**
 * Opens the source that an argument names: a folder of files, a single file, an NDJSON file (also gzip), or `-` for
 * NDJSON on standard input.
 * @throws {CommandError} if nothing with that name exists, or if it is none of these.
 */
export async function openSource(argument: string, stdin: Readable,
  options: RowOptions & FolderOptions): Promise<Source>
{
  if (argument === '-') return ndjsonSource({ name: 'standard input', size: undefined, open: () => stdin }, options);
  const found = await stat(argument).catch((error: unknown) => {
    throw new CommandError(
      `cannot read ${argument}: ${
        (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'no such file or folder' : (error as Error).message
      }`,
    );
  });
  if (found.isDirectory()) return folderSource(argument, options);
  if (isTakenName(argument)) return fileSource(argument, options.lang);
  if (!NDJSON.test(argument)) {
    throw new CommandError(
      `cannot tell what ${argument} is: expected a folder, or a file ending in ${CONVERTIBLE_LIST}, .ndjson, ` +
        '.jsonl, .ndjson.gz or .jsonl.gz',
    );
  }
  // A named pipe has no size.
  const size = found.isFile() ? found.size : undefined;
  return ndjsonSource({ name: argument, size, open: () => createReadStream(argument) }, options);
}

/** The arguments and options of `quire import`. */
export interface ImportArguments extends ClientOptions {
  readonly source: string;
  readonly collection: string;
  readonly lang: string;
  readonly concurrency: number;
  readonly batch: number;
  readonly profile?: 'default' | 'fast';
  readonly only?: readonly string[];
  readonly revisions: boolean;
  readonly dryRun?: boolean;
  readonly quiet?: boolean;
}

export interface ImportContext {
  readonly io: Io;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Imports and prints a summary. The exit code is 1 if a document failed or the import ended early by itself, and 130 if
 * it was interrupted.
 * @throws {CommandError} if there is nothing to read.
 * @throws {ServiceFailure} if the service cannot be reached at the start.
 */
export async function runImport(given: ImportArguments, context: ImportContext): Promise<ImportResult> {
  const { io, clock, signal } = context;
  const client = openClient(given);
  const source = await openSource(given.source, io.stdin, {
    lang: given.lang,
    only: given.only,
    now: unixSeconds(clock),
  });
  if (!given.dryRun) await expectService(client);

  const started = clock.now();
  const progress = showProgress(source, io.stderr, clock, given.quiet ?? false);
  try {
    const result = await importDocuments(source, {
      send: given.dryRun ? count : (batch) => sendBatch(client, batch, { ...given, saveRevisions: given.revisions }),
      concurrency: given.concurrency,
      limits: { maxDocuments: given.batch, maxBytes: MAX_BATCH_BYTES },
      retries: DEFAULT_RETRIES,
      signal,
      onProgress: (position, documents) => progress.update(position, documents),
    });
    progress.stop();
    if (result.stoppedBy instanceof Error && !isForUser(result.stoppedBy)) throw result.stoppedBy;
    report(result, given, (clock.now() - started) / 1000, io, source.passedOver ?? []);
    return result;
  } finally {
    progress.stop();
  }
}

/** Any response will do: the first batch will show whether the service is healthy enough. */
async function expectService({ url, sdk }: ServiceClient): Promise<void> {
  try {
    await answered(url, getHealth({ client: sdk }));
  } catch (error) {
    if (!(error instanceof ServiceFailure) || error.status === undefined) throw error;
  }
}

/** Replaces sending in a dry run. */
async function count(batch: Batch): Promise<BatchResult> {
  return {
    added: batch.documents.length,
    updated: 0,
    skipped: 0,
    failed: 0,
    sanitized: 0,
    embeddingDropped: 0,
    reasons: [],
  };
}

function report(result: ImportResult, given: ImportArguments, seconds: number, io: Io,
  passedOver: readonly string[]): void
{
  const { tally, stoppedBy } = result;
  writeLines(io.stderr, problemLines(tally));
  if (!given.quiet) {
    writeLines(io.stdout, [...summaryLines(result, { ...given, dryRun: given.dryRun ?? false, seconds }),
      ...passedOverLines(passedOver)]);
  }
  writeLines(io.stderr, stopLines(result));
  if (stoppedBy === 'signal') io.setExitCode(INTERRUPTED);
  else if (stoppedBy !== undefined || tally.failed > 0) io.setExitCode(1);
}

const EXAMPLES = `
SOURCE is a folder of files, one such file, a file of NDJSON (.ndjson, .jsonl, also .gz), or -
for NDJSON on standard input. Files are markdown (.md .markdown .mdown .mkd .mdx), or of a kind that
the service converts: .txt .text .html .htm .xhtml .xht .pdf .docx .odt .rtf .yaml .yml .log .lex .tex
.latex. Files without an extension are taken if they are text, or one of these by their content.
Files of other kinds are passed over, counted and named.

A file's key is its path, that of markdown without its ending; its front matter becomes metadata, and a field
\`lang\` there wins over --lang. A line of NDJSON is an exported document
{"key", "lang", "meta", "contentMd", "vectors"} or a parsed file {"path", "lang", "frontmatter", "body"}.

Examples:
  $ quire import docs/ --collection handbook
  $ quire import files/ --collection archive --only md,pdf,docx
  $ quire import pages.ndjson.gz --collection mdn --concurrency 8
  $ quire import pages.ndjson --collection mdn --profile fast
  $ quire export --collection blog | quire import - --collection blog-copy
  $ quire import docs/ --collection handbook --dry-run

Batches may overtake each other. When the source holds the same document twice and the
later one must win, use --concurrency 1.
`;

/** Parses `md,.PDF` to extensions in lower case without their dots. */
export function endings(text: string): string[] {
  return commaList(text).map((each) => each.replace(/^\./, '').toLowerCase());
}

/** Adds `quire import` to the program. */
export function registerImport(program: Command, io: Io = processIo): void {
  const command = program.command('import').summary('import files or NDJSON into a collection').description(
    'Import a folder of files, or NDJSON, into a collection of a running document service.',
  ).argument('<source>', 'folder, file, or - for standard input').requiredOption('-c, --collection <name>',
    'collection to import into').option('-l, --lang <code>', 'language of documents that name none', 'en').option(
      '--concurrency <n>',
      'requests under way at once',
      wholeNumber(1, 64),
      4,
    ).option('--batch <n>', 'documents in a request, which also ends at 4 MiB of text', wholeNumber(1, 10_000), 200)
    .addOption(
      new Option('--profile <name>',
        'store through /v1/ingest with this profile; fast skips duplicates, revisions and webhooks').choices(['default',
          'fast']),
    ).option('--only <endings>', 'kinds of files to take from a folder, such as md,pdf', endings).option(
      '--no-revisions',
      'keep the imported versions out of the history',
    ).option('--dry-run', 'read and count, but send nothing').option('-q, --quiet', 'show errors only');
  addClientOptions(command).addHelpText('after', EXAMPLES).action(
    async (source: string, options: Omit<ImportArguments, 'source'> & ClientOptions) => {
      await runCommand('import', io, () =>
        untilInterrupted((signal) => runImport({ ...options, source }, { io, signal, clock: systemClock })));
    },
  );
}
