import type { Operations } from '../../../generated/runs/operations.ts';
import { ServiceError } from '../../errors/index.ts';
import { type Download, type Handlers, Reply } from '../../operations/index.ts';
import type { Sql } from '../../storage/index.ts';
import type { ContentStore } from '../contents/index.ts';
import type { Queue } from '../queue/port.ts';
import { findByName, listOfAttempt } from './artifact-rows.ts';

export type ArtifactHandlers = Required<Pick<Handlers<Operations>, 'listRunArtifacts' | 'getRunArtifact'>>;

interface ArtifactHandlerOptions {
  readonly sql: Sql;
  readonly queue: Pick<Queue, 'get'>;
  readonly store: ContentStore;
}

/** A step may have written anything, so browsers must not run it as a page of this server. */
const SANDBOX = {
  'Content-Security-Policy': "sandbox; default-src 'none'",
  'Accept-Ranges': 'bytes',
  'Cache-Control': 'private, no-transform',
};

export function createArtifactHandlers(options: ArtifactHandlerOptions): ArtifactHandlers {
  const { sql, store } = options;
  return {
    async listRunArtifacts({ id, attempt: given }) {
      const files = await listOfAttempt(sql, id, await attemptOf(options, id, given));
      return { data: files.map(({ createdAt: created_at, ...file }) => ({ ...file, created_at })) };
    },
    async getRunArtifact({ id, name, attempt: given, range: header }) {
      const attempt = await attemptOf(options, id, given);
      const missing = (): ServiceError =>
        new ServiceError('not_found',
          `attempt ${attempt} of the run has no artefact ${name.slice(0, 200).toWellFormed()}`);
      const found = await findByName(sql, id, attempt, name);
      if (found === undefined) throw missing();
      const range = byteRange(header, found.size);
      // It may just have expired.
      const content = await store.read(found.sha256, found.size, range);
      if (content === undefined) throw missing();
      const download: Download = {
        contentType: 'application/octet-stream',
        fileName: name.split('/').at(-1)!,
        content,
      };
      const headers = { ...SANDBOX, ETag: `"${found.sha256}"` };
      if (range === undefined) return new Reply(download, headers);
      return new Reply(download, { ...headers, 'Content-Range': `bytes ${range.start}-${range.end}/${found.size}` },
        206);
    },
  };
}

/** Throws `run_not_found` or `invalid_attempt`. */
async function attemptOf({ queue }: ArtifactHandlerOptions, id: string, given: number | undefined): Promise<number> {
  const run = /^[0-9a-f]{32}$/.test(id) ? await queue.get(id) : undefined;
  if (run === undefined) throw new ServiceError('run_not_found', 'there is no such run');
  const attempt = given ?? run.attempt;
  if (attempt < 1 || attempt > run.attempt)
    throw new ServiceError('invalid_attempt', `attempt must be from 1 to ${run.attempt}, got ${attempt}`);
  return attempt;
}

interface ByteRange {
  readonly start: number;
  /** Inclusive. */
  readonly end: number;
}

const ONE_RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/;

/**
 * The bytes of a file that a `Range` header selects (RFC 9110, section 14.1.2). Undefined for the whole file, for
 * several ranges, and for a range outside the file: a server may ignore the header then.
 */
export function byteRange(header: string | undefined, size: number): ByteRange | undefined {
  const [, first, last] = ONE_RANGE.exec(header?.trim() ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  return start <= end ? { start, end } : undefined;
}
