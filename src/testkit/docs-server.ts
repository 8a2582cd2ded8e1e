import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDocumentService } from '../app/docs-service.ts';
import type { Listeners } from '../app/protocols/index.ts';
import { type Environment, loadSettings } from '../app/settings/index.ts';
import type { Converter } from '../convert/index.ts';
import type { Clock } from '../lib/clock.ts';
import { silentLog } from '../lib/log.ts';
import { type DatabaseOptions, openPostgres, type Sql } from '../storage/index.ts';
import { DOCUMENT_MIGRATIONS } from '../storage/migrations/index.ts';
import { openMigrated } from './migrated-database.ts';

export interface DocsServerOptions {
  /** Settings in addition to the database and a free port of this machine. */
  readonly env?: Environment;
  readonly clock?: Clock;
  /** Cost of password hashes. */
  readonly passwordCost?: number;
  /** Overrides that of the settings. */
  readonly converter?: Converter;
  /** Makes disk writes fail on demand. */
  readonly faults?: DatabaseOptions['faults'];
}

/** The document service in the test's process, over a file in its own folder. */
export interface DocsServer {
  readonly url: string;
  /** Addresses of the other protocols. */
  readonly listeners: Listeners;
  /** Ids of the operations that have a handler. */
  readonly built: readonly string[];
  readonly sql: Sql;
  /**
   * Removed when the server stops. The database is `data/quire.db` in it, so that there are files outside the data
   * folder.
   */
  readonly folder: string;
  readonly database: string;
  /** Errors that the service logged, for the message of a test that failed. */
  readonly errors: readonly { readonly err?: unknown }[];
  /** Pids of the processes that answer reads in addition to this one. */
  readonly workerPids: () => readonly number[];
  stop(): Promise<void>;
}

/** Starts the service like `quire docs` and checks each of its responses against the specification. */
export async function startDocsServer(options: DocsServerOptions = {}): Promise<DocsServer> {
  const folder = await mkdtemp(join(tmpdir(), 'quire-docs-'));
  const database = join(folder, 'data', 'quire.db');
  // Most tests of MCP concern the tools of the operations.
  const { settings } = loadSettings({
    env: {
      SVC_MCP_TOOLSET: 'full',
      SVC_PATH: database,
      SVC_HTTP_ADDR: '127.0.0.1:0',
      SVC_GRPC_ADDR: '127.0.0.1:0',
      SVC_MCP_ADDR: '127.0.0.1:0',
      ...options.env,
    },
  });
  const errors: object[] = [];
  let sql: Sql | undefined;
  const service = await startDocumentService({
    settings,
    validateResponses: true,
    log: { ...silentLog, error: (fields) => void errors.push(fields) },
    ...(options.clock ? { clock: options.clock } : {}),
    ...(options.converter ? { converter: options.converter } : {}),
    ...(options.passwordCost ? { passwordCost: options.passwordCost } : {}),
    open: async (path,
      keys) => (sql = settings.storage.driver === 'postgres'
        ? await openPostgres({ ...settings.postgres, turns: true, keys, ownFiles: path })
        : await openMigrated({ path, keys, faults: options.faults }, DOCUMENT_MIGRATIONS)),
  });
  const stop = async () => {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return {
    url: service.url,
    listeners: service.listeners,
    built: service.built,
    sql: sql!,
    folder,
    database,
    errors,
    workerPids: service.workerPids,
    stop,
  };
}
