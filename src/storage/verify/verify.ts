import { askThread, workerFile } from '../../lib/thread-client.ts';

export interface Verdict {
  readonly ok: boolean;
  /** One sentence each; empty when `ok`. */
  readonly problems: readonly string[];
  /** The newest migration that was applied to the file; undefined when it has no `schema_version`. */
  readonly formatVersion: number | undefined;
}

export interface VerifyOptions {
  /**
   * Newest format that this build knows. When passed, a file without a format, or with a newer breaking one, is a
   * problem.
   */
  readonly knownFormat?: number;
}

export interface VerifyRequest extends VerifyOptions {
  readonly file: string;
}

/**
 * Checks a database file outside the event loop, without changing it or creating files beside it: that it is SQLite,
 * intact (`integrity_check`, `foreign_key_check`), of a known format, and that its change feed has no gap. A
 * write-ahead log beside the file is not read, because a backup is one file. All problems are reported in the verdict;
 * it rejects only if the check itself cannot run.
 */
export function verifyDatabaseFile(file: string, options: VerifyOptions = {}): Promise<Verdict> {
  return askThread<VerifyRequest, Verdict>(workerFile(import.meta.url, 'verify-thread'), { file, ...options }, {
    name: `the check of ${file}`,
  });
}
