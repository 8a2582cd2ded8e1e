import { Worker } from 'node:worker_threads';
import { workerFile } from '../../lib/worker-file.ts';

export interface Verdict {
  readonly ok: boolean;
  /** One sentence each; empty when `ok`. */
  readonly problems: readonly string[];
  /** The newest migration the file has seen; undefined when it has no `schema_version`. */
  readonly formatVersion: number | undefined;
}

export interface VerifyOptions {
  /** Newest format this build knows. When given, a file without any, or with a newer breaking one, is a problem. */
  readonly knownFormat?: number;
}

/**
 * Checks a database file away from the event loop, without touching it or anything beside it: that
 * it is SQLite, intact (`integrity_check`, `foreign_key_check`), of a known format, and that its
 * change feed has no gap. A write-ahead log beside the file is not read: a backup is one file.
 * Whatever is wrong is told in the verdict; rejects only if the check itself cannot run.
 */
export function verifyDatabaseFile(file: string, options: VerifyOptions = {}): Promise<Verdict> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(workerFile(import.meta.url, 'verify-thread'), { workerData: { file, ...options } });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error(`the check of ${file} ended without a verdict`)));
  });
}
