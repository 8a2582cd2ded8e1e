import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { BodyCodec, ChangeFeed, Sql } from '../storage/index.ts';

/** What every area of the document service works with. */
export interface DocsEnvironment {
  readonly sql: Sql;
  readonly feed: ChangeFeed;
  readonly codec: BodyCodec;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: DocsSettings;
}

/** The settings that areas need, already validated; `app/` fills them in. */
export interface DocsSettings {
  /** Version of this build (`buildVersion`). */
  readonly buildVersion: string;
  /** The effective access mode of the HTTP protocol. */
  readonly mode: 'read' | 'write' | 'wr';
  /** Folder that backups are written to and restored from; the only place on disk that a request can name. */
  readonly backupDir: string;
  /** Milliseconds between two sweeps of expired documents. */
  readonly ttlSweepMs: number;
  /** Symbols kept for each key of a code document. */
  readonly codeMaxSymbols: number;
  /** Full-text search; what is absent has its default. */
  readonly fullText?: {
    /** Code of the language of documents and queries that name none; `en` when absent. */
    readonly defaultLang?: string;
    /** Whether words are stemmed; true when absent. */
    readonly stemming?: boolean;
    /** Whether queries are expanded by synonyms; true when absent. */
    readonly synonyms?: boolean;
  };
  /** What `/v1/config` tells of the listeners and of what is switched on. */
  readonly description: ServerDescription;
}

export interface ServerDescription {
  readonly protocols: {
    readonly http: ListenerDescription;
    readonly grpc: ListenerDescription;
    readonly mcp: ListenerDescription;
    readonly graphql: { readonly enabled: boolean };
    readonly http3: ListenerDescription;
  };
  readonly authEnabled: boolean;
  readonly metricsEnabled: boolean;
}

export interface ListenerDescription {
  readonly enabled: boolean;
  readonly addr: string;
}
