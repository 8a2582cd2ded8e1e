import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Gauge, type Registry } from 'prom-client';
import type { Operations } from '../../../generated/docs/operations.ts';
import { ServiceError } from '../../errors/index.ts';
import { type Clock, systemTimer, type Timer } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { Loop } from '../../lib/loop.ts';
import { ConfigError } from '../../lib/setting-values.ts';
import type { Handlers } from '../../operations/index.ts';
import { type ChangeFeed, DOCUMENT_MIGRATIONS, type Sql } from '../../storage/index.ts';
import { admit, type PeerProof } from './admit.ts';
import { Binlog } from './binlog.ts';
import { Follower, type FollowerHooks } from './follower.ts';
import { GuardedSql } from './guarded-sql.ts';
import { announceLeader, HEARTBEAT_MS, Leader } from './leader.ts';
import type { Acknowledgement, LeaderLink, SnapshotRequest, StreamRequest } from './messages.ts';
import { snapshotFileOf } from './receive-snapshot.ts';
import { openState, type ReplicationState, type Role } from './state.ts';

export interface ReplicationSettings {
  readonly role: Role;
  readonly leaderAddr: string;
  /** Empty: generated once and stored. */
  readonly nodeId: string;
  readonly secret: string;
  readonly retryMs: number;
  readonly maxLagMs: number;
  readonly binlog: { readonly enabled: boolean; readonly path: string; readonly maxBytes: number;
    readonly maxAgeMs: number };
}

interface ReplicationDeps {
  readonly sql: Sql;
  readonly feed: ChangeFeed;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: ReplicationSettings;
  /** The connection to the node of `leaderAddr`. */
  readonly connect: () => LeaderLink;
  readonly timer?: Timer;
}

/** The methods that the RPCs between nodes call. */
interface NodeService {
  admit(proof: PeerProof): Promise<void>;
  stream(request: StreamRequest, address: string, signal: AbortSignal): AsyncIterable<object>;
  snapshot(request: SnapshotRequest, address: string, signal: AbortSignal): AsyncIterable<object>;
  acknowledge(request: Acknowledgement, address: string): Promise<object>;
}

interface ReplicationStart extends FollowerHooks {
  /** Reports an event of the server to webhooks and streams. */
  readonly publish: (event: 'ops.replication_lag_high', detail: object) => void;
}

const PRUNE_MS = 60_000;

/** The role of this node in replication (decision 4.11). */
export class Replication {
  /**
   * The database for all other code: it refuses writes on a follower, and on a leader that was replaced by another one.
   */
  readonly sql: Sql;
  readonly role: Role;
  readonly #deps: ReplicationDeps;
  readonly #nodeId: string;
  readonly #startedAt: number;
  readonly #binlog: Binlog | undefined;
  readonly #leader: Leader | undefined;
  readonly #stopping = new AbortController();
  readonly #reported = new Set<string>();
  #state: ReplicationState;
  #follower: Follower | undefined;
  #link: LeaderLink | undefined;
  #loops: readonly Loop[] = [];
  #work: Promise<unknown> = Promise.resolve();

  private constructor(deps: ReplicationDeps, nodeId: string, state: ReplicationState, binlog: Binlog | undefined) {
    const { sql, settings } = deps;
    this.#deps = deps;
    this.#nodeId = nodeId;
    this.#state = state;
    this.#binlog = binlog;
    this.role = settings.role;
    this.#startedAt = deps.clock.now();
    this.sql = settings.role === '' ? sql : new GuardedSql(sql, () => this.refusal);
    if (settings.role === 'leader') {
      this.#leader = new Leader({
        ...deps,
        binlog: binlog!,
        format: DOCUMENT_MIGRATIONS.length,
        folder: folderOf(deps),
        state: () => this.#state,
        fence: (epoch) => this.#fence(epoch),
      });
    }
  }

  /**
   * Reads the replication state of the database, and records its commits from now on if that is configured. Throws
   * `ConfigError`.
   */
  static async open(deps: ReplicationDeps): Promise<Replication> {
    const { sql, log, feed, clock, settings: { role, binlog: limits, nodeId } } = deps;
    const records = role === 'leader' || (role === '' && limits.enabled);
    if (records && sql.record === undefined)
      throw new ConfigError([
        `SVC_REPLICATION_ROLE=${role}: a binlog needs a database in a file, and this one is ${sql.info.path}`,
      ]);
    const { before, state } = await openState(sql, records ? 'leader' : role);
    if (role === 'leader' && before?.role === 'follower')
      log.warn({ epoch: state.epoch },
        'this node is the leader now; a former leader with a lower epoch must not be written to');
    if (role === 'follower') await rm(snapshotFileOf(sql.info.path), { force: true });
    let binlog: Binlog | undefined;
    if (records) {
      await removeUnfinished(folderOf(deps));
      binlog = new Binlog({ folder: folderOf(deps), clock, ...limits }, state, await feed.head());
      sql.record!(binlog);
    }
    return new Replication(deps, await nodeIdOf(nodeId, sql.info.path), state, binlog);
  }

  /** The replication state when it was last read; its position changes later. */
  get state(): ReplicationState {
    return this.#state;
  }

  /** Why writes are refused; undefined if they are allowed. */
  get refusal(): string | undefined {
    const { epoch, fencedBy } = this.#state;
    if (this.role === 'follower')
      return `read-only mode: this node is a follower; write to its leader at ${this.#deps.settings.leaderAddr}`;
    if (this.role === 'leader' && fencedBy > 0)
      return `read-only mode: this leader of epoch ${epoch} was replaced by one of epoch ${fencedBy}; start it as a ` +
        'follower of that';
    return undefined;
  }

  /** The warning for `/health`; undefined when there is none. */
  get warning(): string | undefined {
    if (this.role === 'leader') {
      const late = this.#leader!.list().filter(({ lagMs }) => lagMs > this.#deps.settings.maxLagMs).map((
        { followerId, lagMs },
      ) => `${followerId} by ${lagMs} ms`);
      return this.refusal ?? (late.length === 0 ? undefined : `followers are behind: ${late.join(', ')}`);
    }
    const lag = this.#follower?.lagMs ?? 0;
    return lag > this.#deps.settings.maxLagMs ? `this node is ${lag} ms behind its leader` : undefined;
  }

  readonly handlers: Required<Pick<Handlers<Operations>, 'getReplicationStatus'>> = {
    getReplicationStatus: async () => {
      const followers = this.#leader?.list() ?? [];
      return {
        node_id: this.#nodeId,
        role: this.role,
        current_lsn: await this.#deps.feed.head(),
        binlog_oldest_lsn: this.#binlog?.oldestLsn ?? 0,
        binlog_size_bytes: this.#binlog?.sizeBytes ?? 0,
        leader_addr: this.role === 'follower' ? this.#deps.settings.leaderAddr : '',
        replication_lag_ms: this.#follower?.lagMs ?? 0,
        healthy: this.warning === undefined && followers.every(({ status }) => status !== 'unhealthy'),
        followers: followers.map(({ followerId, address, confirmedLsn, lagMs, lastSeenAt, status }) => ({
          follower_id: followerId,
          address,
          confirmed_lsn: confirmedLsn,
          lag_ms: lagMs,
          last_seen_at: Math.floor(lastSeenAt / 1000),
          status,
        })),
        uptime_seconds: Math.floor((this.#deps.clock.now() - this.#startedAt) / 1000),
      };
    },
  };

  readonly nodes: NodeService = {
    admit: (proof) => admit(proof, this.#deps.settings.secret),
    stream: (request, address, signal) => this.#requireLeader().stream(request, address, signal),
    snapshot: (request, _address, signal) => this.#requireLeader().snapshot(request, signal),
    acknowledge: (request, address) => this.#requireLeader().acknowledge(request, address),
  };

  /** Follows the leader, or monitors the followers. A repeated call is harmless. */
  start({ publish, ...hooks }: ReplicationStart): void {
    const { settings } = this.#deps;
    if (this.role === 'follower' && this.#follower === undefined) {
      this.#link = this.#deps.connect();
      this.#follower = new Follower({
        ...this.#deps,
        link: this.#link,
        nodeId: this.#nodeId,
        format: DOCUMENT_MIGRATIONS.length,
        retryMs: settings.retryMs,
        onState: (state) => void (this.#state = state),
        hooks,
      });
      this.#follower.start();
    }
    if (this.#binlog === undefined || this.#stopping.signal.aborted) return;
    this.#loops = [this.#watching(publish), this.#pruning(this.#binlog)];
    for (const loop of this.#loops) loop.start();
    this.#work = this.#announceToFormerLeader();
  }

  /** May be called twice. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#follower?.stop();
    for (const loop of this.#loops) await loop.stop();
    await this.#work;
    this.#link?.close();
  }

  /** Closes the binlog, once the database is closed; may be called twice. */
  close(): void {
    this.#binlog?.close();
  }

  registerMetrics(registers: Registry[]): void {
    const leader = this.#leader;
    const { feed } = this.#deps;
    new Gauge({
      name: 'svc_replication_role',
      help: 'The role of this node: 1 for the one it has.',
      labelNames: ['role'],
      registers,
    }).set({ role: this.role || 'none' }, 1);
    new Gauge({
      name: 'svc_replication_lsn',
      help: 'Number of the last change that this node has.',
      registers,
      async collect() {
        this.set(await feed.head());
      },
    });
    const lag = (): number => this.#follower?.lagMs ?? 0;
    new Gauge({
      name: 'svc_replication_lag_ms',
      help: 'Milliseconds that this follower is behind its leader.',
      registers,
      collect() {
        this.set(lag());
      },
    });
    new Gauge({
      name: 'svc_replication_followers_connected',
      help: 'Followers that are connected.',
      registers,
      collect() {
        this.set(leader?.connected ?? 0);
      },
    });
  }

  #requireLeader(): Leader {
    if (this.#leader === undefined)
      throw new ServiceError('not_leader', `this node is ${this.role === '' ? 'no leader' : 'a follower itself'}`);
    return this.#leader;
  }

  /** Stored in the database, so that a restart does not lift it. */
  async #fence(epoch: number): Promise<void> {
    if (epoch <= this.#state.fencedBy) return;
    this.#state = { ...this.#state, fencedBy: epoch };
    this.#deps.log.error({ epoch: this.#state.epoch, fencedBy: epoch },
      'another leader took the place of this one: it takes no more writes');
    await this.#deps.sql.transaction((tx) => tx.run('UPDATE replication SET fenced_by = ?', [epoch]));
  }

  /** Reports each follower that is too far behind once, and again only after it was at half of the limit or less. */
  #watching(publish: ReplicationStart['publish']): Loop {
    const { settings: { maxLagMs }, timer, log } = this.#deps;
    const failure = 'followers that are behind could not be reported';
    return new Loop({ name: 'followers', everyMs: HEARTBEAT_MS, timer, log, failure }, async () => {
      for (const { followerId, lagMs } of this.#leader?.list() ?? []) {
        if (lagMs <= maxLagMs / 2) this.#reported.delete(followerId);
        if (lagMs <= maxLagMs || this.#reported.has(followerId)) continue;
        this.#reported.add(followerId);
        publish('ops.replication_lag_high', { followerId, lagMs, thresholdMs: maxLagMs });
      }
    });
  }

  #pruning(binlog: Binlog): Loop {
    const { log, timer } = this.#deps;
    const failure = 'old entries of the binlog could not be removed; trying again later';
    return new Loop({ name: 'binlog', everyMs: PRUNE_MS, timer, log, failure }, () => binlog.prune());
  }

  /** A promoted leader that still has the address of its predecessor makes it stop when it returns. */
  async #announceToFormerLeader(): Promise<void> {
    const { settings: { leaderAddr, retryMs }, timer = systemTimer, log } = this.#deps;
    if (this.role !== 'leader' || leaderAddr === '') return;
    this.#link = this.#deps.connect();
    await announceLeader({
      link: this.#link,
      epoch: () => this.#state.epoch,
      fence: (epoch) => this.#fence(epoch),
      retryMs,
      timer,
      log,
    }, this.#stopping.signal);
  }
}

/** Removes snapshots that were being sent when the process ended. */
async function removeUnfinished(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names) if (/^snapshot-[0-9a-f]+\.tmp$/.test(name)) await rm(join(folder, name), { force: true });
}

function folderOf({ sql, settings: { binlog: { path } } }: ReplicationDeps): string {
  return path === '' ? join(dirname(sql.info.path), `${basename(sql.info.path)}.binlog`) : path;
}

const GENERATED = /^node-[0-9a-f]{8}$/;

/**
 * The id of a node: from the settings, or generated once. It is stored beside the database and not in it, because a
 * copy of the database belongs to another node.
 */
async function nodeIdOf(configured: string, database: string): Promise<string> {
  if (configured !== '') return configured;
  const made = `node-${randomBytes(4).toString('hex')}`;
  if (database === ':memory:' || database.includes('://')) return made;
  const file = join(dirname(database), `${basename(database)}.node-id`);
  const kept = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (GENERATED.test(kept)) return kept;
  await writeFile(file, `${made}\n`, { mode: 0o600 });
  return made;
}
