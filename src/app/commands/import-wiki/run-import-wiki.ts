import { type Command, Option } from 'commander';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { importWiki } from '../../../../generated/docs/sdk/sdk.gen.ts';
import type { ImportWikiResponse } from '../../../../generated/docs/sdk/types.gen.ts';
import { WikiDumpError } from '../../../convert/wiki/index.ts';
import { unpackDump } from '../../../docs/ingest/index.ts';
import { type Clock, systemClock } from '../../../lib/clock.ts';
import { showProgress } from '../import/progress.ts';
import { wholeNumber } from '../shared/arguments.ts';
import { CommandError, INTERRUPTED, runCommand } from '../shared/command-error.ts';
import { addClientOptions, type ClientOptions, openClient, type ServiceClient } from '../shared/connection.ts';
import { type Io, processIo, untilInterrupted, writeLines } from '../shared/io.ts';
import { formatCount, formatRate, plural } from '../shared/output.ts';
import { answered, DEFAULT_RETRIES, withRetries } from '../shared/service-failure.ts';
import { type DumpPart, splitDump } from './split-dump.ts';

/** The progress of an import, from which the next one continues. */
export interface Reached {
  /** Number of pages of the dump that the service has acknowledged, and the id of the last one. */
  readonly pages: number;
  readonly lastId: string;
}

/** Must be equal for an import to continue. */
export interface ImportKey {
  readonly size: number;
  readonly url: string;
  readonly collection: string;
  readonly lang: string;
  readonly namespaces: string;
  readonly skipRedirects: boolean;
}

/** The file with the progress: beside the dump or, if that folder is not writable, in the user's state folder. */
export class ProgressFile {
  readonly #paths: readonly string[];
  readonly #key: ImportKey;

  constructor(dump: string, key: ImportKey, environment: Readonly<Record<string, string | undefined>> = process.env) {
    const state = environment['XDG_STATE_HOME'] || join(environment['HOME'] || homedir(), '.local', 'state');
    const name = createHash('sha256').update(resolve(dump)).digest('hex').slice(0, 16);
    this.#paths = [`${dump}.quire-import`,
      join(state, 'quire', `${basename(dump).slice(0, 100)}-${name}.quire-import`)];
    this.#key = key;
  }

  /** Returns undefined if there is none, or if it belongs to another import. */
  async read(): Promise<Reached | undefined> {
    for (const path of this.#paths) {
      const kept = parse(await readFile(path, 'utf8').catch(() => ''));
      if (kept !== undefined &&
        Object.entries(this.#key).every(([name, value]) => kept.key[name as keyof ImportKey] === value))
        return { pages: kept.pages, lastId: kept.lastId };
    }
    return undefined;
  }

  /** Rejects if it cannot be written at either place. */
  async write(reached: Reached): Promise<void> {
    const text = `${JSON.stringify({ ...reached, key: this.#key })}\n`;
    await replace(this.#paths[0]!, text).catch(() => replace(this.#paths[1]!, text));
  }

  async remove(): Promise<void> {
    for (const path of this.#paths) await rm(path, { force: true }).catch(() => undefined);
  }
}

async function replace(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path);
}

function parse(text: string): (Reached & { readonly key: ImportKey }) | undefined {
  try {
    const value = JSON.parse(text) as Partial<Reached> & { readonly key?: ImportKey };
    return Number.isSafeInteger(value.pages) && typeof value.lastId === 'string' && typeof value.key === 'object'
      ? (value as Reached & { key: ImportKey })
      : undefined;
  } catch {
    return undefined;
  }
}

/** The arguments and options of `quire import-wiki`. */
export interface ImportWikiArguments extends ClientOptions {
  readonly dump: string;
  readonly collection: string;
  readonly lang: string;
  readonly namespaces: string;
  readonly skipRedirects?: boolean;
  readonly skipFts?: boolean;
  readonly profile?: 'default' | 'fast';
  readonly batch: number;
  readonly restart?: boolean;
  readonly quiet?: boolean;
}

export interface ImportWikiContext {
  readonly io: Io;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** A request ends after this many bytes of XML; at most this much is sent again after an interruption. */
const PART_BYTES = 32 * 1024 * 1024;

/**
 * Sends a dump part by part and stores how much of it the service has acknowledged, so that the same command continues
 * there after an interruption. The exit code is 1 if a page failed, and 130 if the import was interrupted.
 * @throws {CommandError} if there is nothing to read, or the dump is damaged.
 * @throws {ServiceFailure} if a part was rejected, or the service cannot be reached any more.
 */
export async function runImportWiki(given: ImportWikiArguments,
  { io, clock, signal }: ImportWikiContext): Promise<void>
{
  const client = openClient(given);
  const { size } = await stat(given.dump).catch((error: unknown) => {
    throw new CommandError(
      `cannot read ${given.dump}: ${
        (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'no such file' : (error as Error).message
      }`,
    );
  });
  const { collection, lang, namespaces, skipRedirects = false } = given;
  const kept = new ProgressFile(given.dump, { size, url: client.url, collection, lang, namespaces, skipRedirects });
  const before = given.restart === true ? undefined : await kept.read();
  if (before !== undefined && given.quiet !== true)
    writeLines(io.stderr, [
      `going on behind page ${formatCount(before.pages)} (id ${before.lastId}); --restart starts over`,
    ]);
  const started = clock.now();
  const tally = { imported: 0, skipped: 0, failed: 0, pages: before?.pages ?? 0 };
  let read = 0;
  const progress = showProgress({ unit: 'bytes', total: size }, io.stderr, clock, given.quiet ?? false);
  try {
    for await (const part of ahead(readParts(given, before, signal, (bytes) => (read += bytes)))) {
      const answer = await withRetries(() => send(client, part, given), { ...DEFAULT_RETRIES, signal });
      tally.imported += answer.imported;
      tally.skipped += answer.skipped;
      tally.failed += answer.failed;
      tally.pages = part.reached;
      await kept.write({ pages: part.reached, lastId: part.lastId }).catch((error: unknown) => {
        throw new CommandError(`how far the import has come cannot be kept: ${(error as Error).message}`);
      });
      progress.stop();
      writeLines(io.stderr, answer.errors.map((line) => `failed: ${line}`));
      progress.update(read, tally.pages);
      if (signal.aborted) break;
    }
    if (!signal.aborted) await kept.remove();
  } finally {
    progress.stop();
  }
  report(tally, given, (clock.now() - started) / 1000, { io, isInterrupted: signal.aborted });
}

async function* readParts({ dump, batch }: ImportWikiArguments, before: Reached | undefined, signal: AbortSignal,
  onRead: (bytes: number) => void): AsyncGenerator<DumpPart>
{
  const onSkipped = (id: string): void => {
    if (id !== before?.lastId)
      throw new CommandError(
        `page ${before?.pages} of ${dump} has id ${id} now, and had ${before?.lastId}; start over with --restart`,
      );
  };
  try {
    yield* splitDump(unpackDump(fileBytes(dump, signal, onRead)), {
      maxPages: batch,
      maxBytes: PART_BYTES,
      skip: before?.pages ?? 0,
      onSkipped,
    });
  } catch (error) {
    if (signal.aborted) return;
    throw error instanceof WikiDumpError ? new CommandError(error.message, { cause: error }) : error;
  }
}

async function* fileBytes(path: string, signal: AbortSignal,
  onRead: (bytes: number) => void): AsyncGenerator<Uint8Array>
{
  for await (const bytes of createReadStream(path, { signal, highWaterMark: 256 * 1024 })) {
    onRead((bytes as Buffer).length);
    yield bytes as Buffer;
  }
}

/** Reads the next part while the previous one is being sent. */
async function* ahead<T>(parts: AsyncGenerator<T>): AsyncGenerator<T> {
  let next = parts.next();
  try {
    for (;;) {
      const { done, value } = await next;
      if (done === true) return;
      next = parts.next();
      // The promise is awaited later; until then its rejection must not count as unhandled.
      next.catch(() => undefined);
      yield value;
    }
  } finally {
    await next.catch(() => undefined);
    await parts.return(undefined);
  }
}

async function send({ url, sdk }: ServiceClient, { xml, pages }: DumpPart,
  given: ImportWikiArguments): Promise<ImportWikiResponse>
{
  const { collection, lang, namespaces, skipRedirects, skipFts, profile } = given;
  const query = {
    collection,
    lang,
    namespaces,
    batchSize: Math.min(pages, 500),
    skipRedirects: skipRedirects || undefined,
    skipFts: skipFts || undefined,
    profile: profile || undefined,
  };
  const call = importWiki({
    client: sdk,
    query,
    body: xml as never,
    bodySerializer: (body: unknown) => body,
    headers: { 'Content-Type': 'application/octet-stream' },
  });
  return (await answered(url, call)).data;
}

function report(tally: { imported: number; skipped: number; failed: number; pages: number },
  { collection, quiet }: ImportWikiArguments, seconds: number,
  { io, isInterrupted }: { io: Io; isInterrupted: boolean }): void
{
  const { imported, skipped, failed } = tally;
  if (quiet !== true) {
    writeLines(io.stdout, [
      `${isInterrupted ? 'stopped after' : 'imported'} ${plural(imported, 'page')} into collection ${collection} in ${
        seconds.toFixed(1)
      } s`,
      `  skipped ${formatCount(skipped)}, failed ${formatCount(failed)}, ${
        formatRate(imported + skipped + failed, seconds)
      } pages/s`,
    ]);
  }
  if (isInterrupted) {
    writeLines(io.stderr, [
      `quire import-wiki: interrupted behind page ${formatCount(tally.pages)}; the same command goes on there`,
    ]);
    io.setExitCode(INTERRUPTED);
  } else if (failed > 0) io.setExitCode(1);
}

const EXAMPLES = `
DUMP is an export of a MediaWiki: XML, also packed with bzip2 or gzip. It may have any size.

How far the service has acknowledged the dump is kept in a small file beside it (or in the
user's folder for such things); the same command goes on there after an interruption.

Examples:
  $ quire import-wiki enwiki-latest-pages-articles.xml.bz2 --collection wiki --lang en
  $ quire import-wiki dump.xml --collection wiki --lang de --namespaces 0,14 --skip-redirects
  $ quire import-wiki dump.xml.bz2 --collection wiki --lang en --profile fast --skip-fts
`;

/** Adds `quire import-wiki` to the program. */
export function registerImportWiki(program: Command, io: Io = processIo): void {
  const command = program.command('import-wiki').summary('import a dump of a wiki into a collection').description(
    'Import the pages of a MediaWiki dump as markdown into a collection of a running document service.',
  ).argument('<dump>', 'the dump, such as dump.xml.bz2').requiredOption('-c, --collection <name>',
    'collection to import into').requiredOption('-l, --lang <code>', 'language of the pages').option(
      '--namespaces <ids>',
      'ids of the namespaces to import, separated by commas',
      '0',
    ).option('--skip-redirects', 'leave out pages that only redirect').option('--skip-fts',
      'leave the pages out of the full-text index until it is rebuilt').option('--batch <n>',
      'pages in a request, which also ends at 32 MiB of XML', wholeNumber(1, 10_000), 2000).addOption(
      new Option('--profile <name>', 'ingest profile; fast skips duplicates, revisions and webhooks').choices([
        'default',
        'fast',
      ]),
    ).option('--restart', 'begin at the first page, whatever an earlier import has reached').option('-q, --quiet',
      'show errors only');
  addClientOptions(command).addHelpText('after', EXAMPLES).action(
    async (dump: string, options: Omit<ImportWikiArguments, 'dump'> & ClientOptions) => {
      await runCommand('import-wiki', io, () =>
        untilInterrupted((signal) => runImportWiki({ ...options, dump }, { io, signal, clock: systemClock })));
    },
  );
}
