import type { Converter } from '../convert/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { OutboundSettings } from '../net/index.ts';
import type { FullTextAlgorithm } from '../../generated/docs/sdk/types.gen.ts';
import type { Algorithm } from '../search/vector/index.ts';
import type { BodyCodec, ChangeFeed, KeyRing, Sql } from '../storage/index.ts';
import type { OidcSettings } from './access/oidc/settings.ts';
import type { AuditSettings } from './audit/index.ts';
import type { FeedLimits } from './maintenance/index.ts';
import type { Replication } from './replication/index.ts';
import type { WikiLimits } from './ingest/index.ts';
import type { Relay } from './relay.ts';

/** What every area of the document service works with. */
export interface DocsEnvironment {
  readonly sql: Sql;
  readonly feed: ChangeFeed;
  readonly codec: BodyCodec;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: DocsSettings;
  /** This node's part in replication; absent where the service stands alone. */
  readonly replication?: Pick<Replication, 'role' | 'state' | 'warning' | 'refusal' | 'handlers' | 'nodes' | 'start' | 'stop' | 'close' | 'registerMetrics'>;
  /** Keys of encryption at rest, which the database was opened with; absent when none are configured. */
  readonly keys?: KeyRing | undefined;
  /** Makes markdown of files; whoever made it closes it. Without it there are no uploads and imports. */
  readonly converter?: Converter | undefined;
  /**
   * Several processes of the service, each of which writes, share the database (driver `postgres`): what is to be done once is done by
   * the one that has the duty (`Duty`), and what is kept in memory follows the others. False when absent.
   */
  readonly isNode?: boolean | undefined;
  /** Called when another node has taken this one's duty; the process should end. */
  readonly onDutyLost?: (() => void) | undefined;
  /** Present in a process that only reads: who writes down what it may not. Its mode is `read`, its database read-only, its feed shared. */
  readonly relay?: Relay | undefined;
}

/** The settings that areas need, already validated; `app/` fills them in. */
export interface DocsSettings {
  /** Version of this build (`buildVersion`). */
  readonly buildVersion: string;
  /** The effective access mode of the HTTP protocol. */
  readonly mode: 'read' | 'write' | 'wr';
  /** Folder that backups are written to and restored from; the only place on disk that a request can name. */
  readonly backupDir: string;
  /** Folder of postcode files, the only place that a request can name one in; `data` when absent. */
  readonly geoDataDir?: string;
  /** Milliseconds that a request waits for the LSN that it names; 5,000 when absent. */
  readonly minLsnWaitMs?: number;
  /** Milliseconds between two sweeps of expired documents. */
  readonly ttlSweepMs: number;
  /** Seconds for which versions of deleted documents are kept, 0 for none; 30 days when absent. */
  readonly deletedRetention?: number;
  /** Symbols kept for each key of a code document. */
  readonly codeMaxSymbols: number;
  /** Whether the bodies of revisions are stored as deltas (extreme mode); false when absent. */
  readonly deltaRevisions?: boolean;
  /** Searches that run at once, of all kinds together, and one more beside those when all are expensive or all are cheap; 0 for no limit. */
  readonly maxSearches: number;
  /** Whether searches are counted and timed. */
  readonly searchStats: boolean;
  /** Full-text search; what is absent has its default. */
  readonly fullText?: {
    /** Code of the language of documents and queries that name none; `en` when absent. */
    readonly defaultLang?: string;
    /** Whether words are stemmed; true when absent. */
    readonly stemming?: boolean;
    /** Whether queries are expanded by synonyms; true when absent. */
    readonly synonyms?: boolean;
    /** How searches that name no algorithm score; `tfidf` when absent. */
    readonly algorithm?: FullTextAlgorithm;
  };
  /** Embeddings (decision D-16); what is absent has its default. */
  readonly embedding?: {
    /** Who computes embeddings; `none` when absent. */
    readonly provider?: 'none' | 'openai' | 'voyage' | 'local' | 'builtin';
    readonly apiKey?: string;
    /** The provider's own when empty. */
    readonly apiUrl?: string;
    /** The provider's own when empty. */
    readonly model?: string;
    /** The provider's own when 0. */
    readonly dimensions?: number;
    /** Never download a local model. */
    readonly offline?: boolean;
    /** Folder of downloaded models. */
    readonly cacheFolder?: string;
    /** Documents that the queue holds. */
    readonly queueSize?: number;
    /** Milliseconds that a write waits for room in it; 0 never waits. */
    readonly queueWaitMs?: number;
    readonly chunkEnabled?: boolean;
    /** Forces one style of chunks. */
    readonly chunkMode?: 'code' | 'prose';
    /** Characters of a chunk; what suits the model when absent. */
    readonly chunkSize?: number;
    /** Vectors of queries that are remembered; 0 for none. */
    readonly cacheSize?: number;
    readonly cacheTtlMs?: number;
    /** Whether searches that do not say so are reordered by the encoder; `none` when absent. */
    readonly rerank?: 'none' | 'encoder';
    /** Milliseconds that a search waits for the encoder; 300 when absent. */
    readonly rerankBudgetMs?: number;
  };
  /** Spelling; off when absent. */
  readonly spell?: {
    readonly enabled: boolean;
    /** Bytes of memory for the words of all collections; 128 MiB when absent. */
    readonly maxBytes?: number;
  };
  /** Vector search (decision D-17); what is absent has its default. */
  readonly vectors?: {
    /** Algorithm of searches that name none in collections without a quantization; `flat` when absent. */
    readonly defaultAlgorithm?: Algorithm;
    /** Candidates that `bq` scores exactly for each result; 10 when absent. */
    readonly bqRerankFactor?: number;
    /** Vectors from which a scan is divided among workers; 2048 when absent. */
    readonly parallelMinSize?: number;
    /** Worker threads; as many as processors, at most 16, when absent. */
    readonly parallelWorkers?: number;
  };
  /** What dumps of wikis may have (decision D-20); 500,000 pages and 4 GiB when absent. */
  readonly wiki?: WikiLimits;
  /** Where requests that users cause may go (decision D-21); public and loopback addresses when absent. */
  readonly outbound?: OutboundSettings;
  /** How much of the change feed is kept; all of it when absent. */
  readonly feed?: FeedLimits;
  /** Whether the history of documents is recorded; false when absent. */
  readonly temporal?: boolean;
  /** Automation (decision D-18); what is absent has its default, which is on. */
  readonly automation?: {
    readonly enabled?: boolean;
    readonly triggers?: boolean;
    readonly crons?: boolean;
    readonly logs?: boolean;
    /** How long entries of the log are kept; 7 days when absent. */
    readonly logsTtlMs?: number;
    /** Time zone of schedules; UTC when absent. */
    readonly cronTz?: string;
    /** File of further words for sentiment; none when empty. */
    readonly sentimentLexicon?: string;
  };
  /** Signs the deliveries of webhooks without a secret of their own; nothing does when it is absent. */
  readonly webhookSecret?: string;
  /** Bodies outside of the database; what is absent has its default. */
  readonly bodies?: {
    /** Bytes of bodies from buckets that are kept in memory; 64 MiB when absent, 0 for none. */
    readonly cacheBytes?: number;
    /** Bytes of bodies whose collections keep them in memory only; 256 MiB when absent. */
    readonly memoryBytes?: number;
    /** Longest for one request to a bucket; 10 s when absent. */
    readonly timeoutMs?: number;
    /** How long an object that nothing names stays in its bucket; 7 days when absent. */
    readonly graceMs?: number;
  };
  /** Authentication (contract section 5); off when absent. */
  readonly auth?: {
    readonly enabled: boolean;
    /** Signs tokens; at least 32 bytes. */
    readonly jwtSecret: string;
    readonly jwtExpiryMs: number;
    readonly adminUsername: string;
    readonly adminPassword: string;
    readonly adminReset: boolean;
    /** Fewest characters of a new password; without it there are no rules for passwords. */
    readonly passwordMinLength?: number;
    /** Sign-in by OpenID Connect; there is none without an issuer. */
    readonly oidc?: Omit<OidcSettings, 'issuer' | 'redirectUri'> & { readonly issuer?: string | undefined; readonly redirectUri?: string | undefined };
    /** Binary logarithm of the rounds of bcrypt; 12 when absent. */
    readonly passwordCost?: number;
  };
  /** The audit log and the detector of bursts; neither is there when it is absent. */
  readonly audit?: AuditSettings;
  /** What `/v1/config` tells of the listeners and of what is switched on. */
  readonly description: ServerDescription;
}

export interface ServerDescription {
  readonly protocols: {
    readonly http: ListenerDescription;
    readonly grpc: ListenerDescription;
    readonly mcp: ListenerDescription;
    readonly graphql: { readonly enabled: boolean };
    /** Whether it is served shows after its start, which must not fail for want of it. */
    readonly http3: { enabled: boolean; readonly addr: string };
  };
  readonly authEnabled: boolean;
  readonly metricsEnabled: boolean;
  /** Whether `/metrics` is open to everyone. */
  readonly metricsPublic: boolean;
  /** How the server is hardened, for `/v1/compliance-status`. */
  readonly compliance: {
    readonly production: boolean;
    readonly missing: readonly { readonly envVar: string; readonly want: string; readonly reason: string }[];
  };
}

export interface ListenerDescription {
  readonly enabled: boolean;
  readonly addr: string;
}
