import { readFile, stat } from 'node:fs/promises';
import { RunsConfigError } from './parse.ts';

const MAX_BYTES = 1_048_576;
const TIMEOUT_MS = 30_000;

interface SourceText {
  readonly text: string;
  /** True for a URL: the service cannot save changes of the configuration. */
  readonly readOnly: boolean;
  /** Version of the text, if a web server sent one. */
  readonly etag?: string;
}

interface SourceOptions {
  /** `RUNS_CONFIG_BEARER`: the bearer token for requests to a URL. */
  readonly bearer?: string | undefined;
  /** The version that is already loaded. */
  readonly etag?: string | undefined;
  /** For tests; default: the `fetch` of the runtime. */
  readonly fetch?: typeof fetch | undefined;
}

/**
 * Reads the text of a configuration from a path or an http(s) URL, at most 1 MiB of UTF-8 (run-queue decisions, section
 * 3). Undefined if the URL answers that `etag` is still current. Throws a `RunsConfigError`, which never shows the
 * token.
 */
export async function readSource(source: string, options: SourceOptions = {}): Promise<SourceText | undefined> {
  try {
    return isUrl(source) ? await readUrl(source, options) : { text: await readText(source), readOnly: false };
  } catch (error) {
    if (error instanceof RunsConfigError) throw error;
    throw new RunsConfigError([`${shown(source)}: the configuration cannot be read: ${reason(error)}`]);
  }
}

export function isUrl(source: string): boolean {
  return /^https?:\/\//i.test(source);
}

async function readText(path: string): Promise<string> {
  if ((await stat(path)).size > MAX_BYTES) throw tooLarge(path);
  return decode(path, await readFile(path));
}

async function readUrl(url: string,
  { bearer, etag, fetch: ask = fetch }: SourceOptions): Promise<SourceText | undefined>
{
  const response = await ask(url, {
    headers: {
      accept: 'application/yaml, text/yaml, text/plain, */*',
      ...(bearer ? { authorization: `Bearer ${bearer}` } : {}),
      ...(etag ? { 'if-none-match': etag } : {}),
    },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (response.status === 304 && etag !== undefined) return undefined;
  if (!response.ok) {
    await response.body?.cancel();
    throw new RunsConfigError([`${shown(url)}: the server returned ${response.status}`]);
  }
  const version = response.headers.get('etag');
  const text = decode(url, await readAtMost(url, response));
  return { text, readOnly: true, etag: version || undefined };
}

/** Counts bytes while it reads: the length in the header may be missing or wrong. */
async function readAtMost(url: string, response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > MAX_BYTES) throw tooLarge(url);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function decode(source: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new RunsConfigError([`${shown(source)}: the configuration is not UTF-8`]);
  }
}

const tooLarge = (source: string): RunsConfigError =>
  new RunsConfigError([`${shown(source)}: the configuration is larger than ${MAX_BYTES} bytes`]);

/** A URL without user, password and query, because each may be a credential. */
function shown(source: string): string {
  if (!isUrl(source) || !URL.canParse(source)) return source;
  const { origin, pathname } = new URL(source);
  return `${origin}${pathname}`;
}

// Errors of fetch have their reason in `cause`.
function reason(error: unknown): string {
  const { message, code, cause } = error as NodeJS.ErrnoException;
  return code === undefined && cause instanceof Error ? reason(cause) : (typeof code === 'string' ? code : message);
}
