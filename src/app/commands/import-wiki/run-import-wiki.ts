import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { importWiki } from '../../../../generated/docs/sdk/sdk.gen.ts';
import type { ImportWikiResponse } from '../../../../generated/docs/sdk/types.gen.ts';
import { WikiDumpError } from '../../../convert/wiki/index.ts';
import { unpackDump } from '../../../docs/ingest/index.ts';
import { type Clock, systemTimer } from '../../../lib/clock.ts';
import { showProgress } from '../import/progress.ts';
import { type ClientOptions, openClient, type ServiceClient } from '../shared/client.ts';
import { CommandError, INTERRUPTED } from '../shared/command-error.ts';
import { formatCount, formatRate, plural } from '../shared/format.ts';
import { type Io, writeLines } from '../shared/io.ts';
import { DEFAULT_RETRIES, type RetryPolicy, withRetries } from '../shared/retry.ts';
import { answered } from '../shared/service-failure.ts';
import { ProgressFile, type Reached } from './progress-file.ts';
import { type DumpPart, splitDump } from './split-dump.ts';

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
  readonly retries?: Omit<RetryPolicy, 'signal'>;
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
  { io, clock, signal, retries = { ...DEFAULT_RETRIES, timer: systemTimer } }: ImportWikiContext): Promise<void>
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
      const answer = await withRetries(() => send(client, part, given), { ...retries, signal });
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
    ...(skipRedirects && { skipRedirects }),
    ...(skipFts && { skipFts }),
    ...(profile && { profile }),
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
