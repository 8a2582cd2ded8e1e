import type { FullTextAlgorithm } from '../../generated/docs/sdk/types.gen.ts';
import type { Converter } from '../convert/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { OutboundSettings } from '../net/index.ts';
import type { Standing } from '../operations/index.ts';
import type { Algorithm } from '../search/vector/index.ts';
import type { BodyCodec, ChangeFeed, KeyRing, Sql, Transaction, TransactionOptions } from '../storage/index.ts';
import type { OidcSettings } from './access/index.ts';
import type { AuditSettings, NewAuditEvent } from './audit/index.ts';
import type { ConnectNode } from './cluster/port.ts';
import type { WikiLimits } from './ingest/index.ts';
import type { FeedLimits } from './maintenance/index.ts';
import type { Replication } from './replication/index.ts';
import type { CheckpointCopies, CopiesSettings } from './view/index.ts';

/** Data that a read-only process cannot store itself. */
export type RelayedNote =
  /** An event of the audit log with its time; `failed` if it counts as an attempt to gain access. */
  | { readonly kind: 'audit'; readonly event: NewAuditEvent & { readonly ts: number }; readonly failed: boolean }
  /** An API key was used, by its hash. */
  | { readonly kind: 'key-use'; readonly hash: string }
  /** A handler threw an unexpected error. */
  | { readonly kind: 'unforeseen'; readonly operation: string };

/** Sends data from a read-only process to the process that writes. */
export interface Relay {
  /** Neither throws nor waits. */
  add(note: RelayedNote): void;
}

/** What every area of the document service works with. */
export interface DocsEnvironment {
  readonly sql: Sql;
  readonly feed: ChangeFeed;
  readonly codec: BodyCodec;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: DocsSettings;
  /** Role and state of this node in replication; absent without replication. */
  readonly replication?: Pick<Replication,
    'role' | 'state' | 'warning' | 'refusal' | 'handlers' | 'nodes' | 'start' | 'stop' | 'close' | 'registerMetrics'>;
  /** Keys of encryption at rest with which the database was opened; absent when none are configured. */
  readonly keys?: KeyRing | undefined;
  /** Copies of the checkpoints of indexes that several machines share; absent without a place for them. */
  readonly checkpoints?: CheckpointCopies | undefined;
  /** Converts files to markdown; its creator closes it. Without it there are no uploads and imports. */
  readonly converter?: Converter | undefined;
  /**
   * Several processes of the service share the database (driver `postgres`), and each of them writes: background work
   * is done by the process that has the duty (`Duty`), and data in memory follow the writes of the others. False when
   * absent.
   */
  readonly isNode?: boolean | undefined;
  /** Opens connections to other nodes, if these share the indexes of the database (`settings.node.holdsShare`). */
  readonly connectNode?: ConnectNode | undefined;
  /** Called when another node has taken this one's duty; the process should end. */
  readonly onDutyLost?: (() => void) | undefined;
  /**
   * Present in a read-only process: it passes data on to the process that writes. Its mode is `read`, its database is
   * read-only, its feed is shared.
   */
  readonly relay?: Relay | undefined;
}

/** The settings that areas need, already validated; `app/` sets them. */
export interface DocsSettings {
  /** Version of this build (`buildVersion`). */
  readonly buildVersion: string;
  /** The effective access mode of the HTTP protocol. */
  readonly mode: 'read' | 'write' | 'wr';
  /**
   * Folder to which backups are written and from which they are restored; the only place on disk that a request can
   * name.
   */
  readonly backupDir: string;
  /** Folder of postcode files, the only folder from which a request can name one; `data` when absent. */
  readonly geoDataDir?: string;
  /** Milliseconds that a request waits for the LSN that it names; 5,000 when absent. */
  readonly minLsnWaitMs?: number;
  /** Milliseconds between two sweeps of expired documents. */
  readonly ttlSweepMs: number;
  /** How long versions of deleted documents are kept, in seconds, 0 for none; 30 days when absent. */
  readonly deletedRetention?: number;
  /** Maximum number of symbols stored for each key of a code document. */
  readonly codeMaxSymbols: number;
  /** Whether the bodies of revisions are stored as deltas (extreme mode); false when absent. */
  readonly deltaRevisions?: boolean;
  /**
   * Maximum number of searches that run at once, with one more if all are expensive or all are cheap; 0 for no limit.
   */
  readonly maxSearches: number;
  /**
   * Milliseconds after which the indexes of a small collection leave the memory if nobody uses them; 0 or absent for
   * never.
   */
  readonly restAfterMs?: number;
  /** Bytes of all indexes above which those leave the memory that were used least recently; 0 or absent: no limit. */
  readonly indexMemory?: number;
  /** Where copies of the checkpoints of indexes are; absent: there are none. */
  readonly checkpoints?: CopiesSettings | undefined;
  /** This node among those that share the database; absent fields have their defaults. */
  readonly node?: {
    /** Its name, which no other node has. */
    readonly name: string;
    /** Where other nodes reach its gRPC listener: host and port; empty if it has none. */
    readonly address: string;
    /** Its share of the partitions is in proportion to it; 100 when absent. */
    readonly weight?: number;
    /** On how many nodes each partition should be; 2 when absent. */
    readonly replicas?: number;
    /** Whether it holds only its share of the indexes, and asks other nodes for the rest. */
    readonly holdsShare?: boolean;
  };
  /** Whether metrics count and time searches. */
  readonly searchStats: boolean;
  /** Full-text search; absent fields have their defaults. */
  readonly fullText?: {
    /** Language code of documents and queries that name none; `en` when absent. */
    readonly defaultLang?: string;
    /** Whether words are stemmed; true when absent. */
    readonly stemming?: boolean;
    /** Whether queries are expanded by synonyms; true when absent. */
    readonly synonyms?: boolean;
    /** Scoring algorithm of searches that name none; `tfidf` when absent. */
    readonly algorithm?: FullTextAlgorithm;
  };
  /** Embeddings; absent fields have their defaults. */
  readonly embedding?: {
    /** Provider of embeddings; `none` when absent. */
    readonly provider?: 'none' | 'openai' | 'voyage' | 'local' | 'builtin';
    readonly apiKey?: string;
    /** Empty means the provider's default. */
    readonly apiUrl?: string;
    /** Empty means the provider's default. */
    readonly model?: string;
    /** 0 means the provider's default. */
    readonly dimensions?: number;
    /** Local models are never downloaded. */
    readonly offline?: boolean;
    /** Folder of downloaded models. */
    readonly cacheFolder?: string;
    /** Maximum number of documents in the queue. */
    readonly queueSize?: number;
    /** Milliseconds that a write waits for places in the queue; 0 never waits. */
    readonly queueWaitMs?: number;
    readonly chunkEnabled?: boolean;
    /** Uses one style of chunks for all documents. */
    readonly chunkMode?: 'code' | 'prose';
    /** Characters of a chunk; by default what suits the model. */
    readonly chunkSize?: number;
    /** Maximum number of cached query vectors; 0 for none. */
    readonly cacheSize?: number;
    readonly cacheTtlMs?: number;
    /** Whether the encoder reorders searches by default; `none` when absent. */
    readonly rerank?: 'none' | 'encoder';
    /** Milliseconds that a search waits for the encoder; 300 when absent. */
    readonly rerankBudgetMs?: number;
  };
  /** Spelling; off when absent. */
  readonly spell?: {
    readonly enabled: boolean;
    /** Bytes of memory for the dictionaries of all collections; 128 MiB when absent. */
    readonly maxBytes?: number;
  };
  /** Vector search; absent fields have their defaults. */
  readonly vectors?: {
    /** Algorithm of searches that name none, in collections without a quantization; `auto` when absent. */
    readonly defaultAlgorithm?: Algorithm | 'auto';
    /** Number of candidates that `bq` scores exactly for each result; 10 when absent. */
    readonly bqRerankFactor?: number;
    /** Number of vectors from which a scan is divided among worker threads; 2048 when absent. */
    readonly parallelMinSize?: number;
    /** Number of worker threads; the number of processors, at most 16, when absent. */
    readonly parallelWorkers?: number;
  };
  /** Limits of wiki dumps; 500,000 pages and 4 GiB when absent. */
  readonly wiki?: WikiLimits;
  /** Addresses to which users may cause requests; public and loopback addresses when absent. */
  readonly outbound?: OutboundSettings;
  /** Retention of the change feed; all changes are kept when absent. */
  readonly feed?: FeedLimits;
  /** Whether the history of documents is recorded; false when absent. */
  readonly temporal?: boolean;
  /** Automation; absent fields have their defaults, which enable it. */
  readonly automation?: {
    readonly enabled?: boolean;
    readonly triggers?: boolean;
    readonly crons?: boolean;
    readonly logs?: boolean;
    /** How long entries of the log are kept; 7 days when absent. */
    readonly logsTtlMs?: number;
    /** Time zone of schedules; UTC when absent. */
    readonly cronTz?: string;
    /** File with additional words for sentiment; none when empty. */
    readonly sentimentLexicon?: string;
  };
  /** Signs the deliveries of webhooks without a secret of their own; when it is absent, they are not signed. */
  readonly webhookSecret?: string;
  /** Bodies outside of the database; absent fields have their defaults. */
  readonly bodies?: {
    /** Bytes of the cache for bodies from buckets; 64 MiB when absent, 0 for none. */
    readonly cacheBytes?: number;
    /** Bytes of memory for the bodies of collections that are stored only in memory; 256 MiB when absent. */
    readonly memoryBytes?: number;
    /** Maximum duration of one request to a bucket; 10 s when absent. */
    readonly timeoutMs?: number;
    /** How long an unreferenced object stays in its bucket; 7 days when absent. */
    readonly graceMs?: number;
  };
  /** Authentication (contract section 5); off when absent. */
  readonly auth?: {
    readonly enabled: boolean;
    /** Signs tokens; at least 32 bytes. */
    readonly jwtSecret: string;
    readonly jwtExpiryMs: number;
    /** How long a session can be renewed; as long as its first token lives when it is absent or shorter. */
    readonly sessionMaxMs?: number;
    readonly adminUsername: string;
    readonly adminPassword: string;
    readonly adminReset: boolean;
    /** Minimum number of characters of a new password; when it is absent, there are no rules for passwords. */
    readonly passwordMinLength?: number;
    /** Sign-in by OpenID Connect; there is none without an issuer. */
    readonly oidc?: Omit<OidcSettings, 'issuer' | 'redirectUri'> & { readonly issuer?: string | undefined;
      readonly redirectUri?: string | undefined };
    /** Binary logarithm of the rounds of bcrypt; 12 when absent. */
    readonly passwordCost?: number;
  };
  /** The audit log and the detection of bursts; when it is absent, there is neither. */
  readonly audit?: AuditSettings;
  /** The listeners and enabled features that `/v1/config` shows. */
  readonly description: ServerDescription;
}

export interface ServerDescription {
  readonly protocols: {
    readonly http: ListenerDescription;
    readonly grpc: ListenerDescription;
    readonly mcp: ListenerDescription;
    readonly graphql: { readonly enabled: boolean };
    /** Whether it is available is known only after its start, because a failure must not prevent the start. */
    readonly http3: { enabled: boolean; readonly addr: string };
  };
  readonly authEnabled: boolean;
  readonly metricsEnabled: boolean;
  /** Whether `/metrics` is open to everyone. */
  readonly metricsPublic: boolean;
  /** Security settings of the server, for `/v1/compliance-status`. */
  readonly compliance: {
    readonly production: boolean;
    readonly missing: readonly { readonly envVar: string; readonly want: string; readonly reason: string }[];
  };
}

interface ListenerDescription {
  readonly enabled: boolean;
  readonly addr: string;
}

/**
 * Runs a transaction for a caller, whose permission is checked when the transaction begins: it may have waited for its
 * turn, and the handler for something else. Rejects with the reason if there is no permission any more; then nothing is
 * written. Without a caller, the work is the service's own.
 */
export async function transactFor<T>(sql: Pick<Sql, 'transaction'>, caller: Standing | undefined,
  work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>
{
  if (caller === undefined) return sql.transaction(work, options);
  for (;;) {
    await caller.requirePermission();
    // The transaction itself must not read accounts by another connection, so it ends if something has changed, and is
    // requested again.
    const outcome = await sql.transaction(async (tx) => (caller.isPermitted() ? { value: await work(tx) } : undefined),
      options);
    if (outcome !== undefined) return outcome.value;
  }
}
