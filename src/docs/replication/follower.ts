import { ServiceError } from '../../errors/index.ts';
import { backoffDelay, isRecent, systemTimer, type Timer } from '../../lib/clock.ts';
import type { ChangeFeed, Sql, Transaction } from '../../storage/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { applyCommit, BadPatchset, type ColumnsOf, createColumnsCache, Diverged } from './apply.ts';
import { BadEntry, checkedEntries } from './entry.ts';
import { HEARTBEAT_MS } from './leader.ts';
import type { BinlogMessage, LeaderLink } from './messages.ts';
import { receiveSnapshot } from './receive-snapshot.ts';
import { type Place, readState, type ReplicationState, writeState } from './state.ts';

export interface FollowerDeps extends Pick<DocsEnvironment, 'clock' | 'log'> {
  /** The database itself; all other code has a guarded one. */
  readonly sql: Sql;
  readonly feed: ChangeFeed;
  readonly link: LeaderLink;
  readonly nodeId: string;
  readonly format: number;
  /** Milliseconds until a leader is tried again; longer after each failure, up to ten times as long. */
  readonly retryMs: number;
  readonly onState: (state: ReplicationState) => void;
  readonly hooks: FollowerHooks;
  readonly timer?: Timer;
}

/** Called so that caches follow the leader's changes. */
export interface FollowerHooks {
  /** Rows of these tables have changed. */
  readonly changed: (tables: ReadonlySet<string>) => Promise<void>;
  /** The database was replaced. */
  readonly replaced: () => Promise<void>;
}

/** A complete commit of the leader. */
interface Commit extends Pick<Place, 'position' | 'checksum'> {
  readonly patchset: Buffer;
}

/**
 * While this node is further behind than the first value, in milliseconds, indexes are woken only at the second
 * interval and not for every transaction: otherwise they would take processor time from catching up.
 */
const FAR_BEHIND_MS = 1000;
const WAKE_MS = 10_000;

/** Milliseconds of silence after which the leader counts as unreachable. */
const SILENCE_MS = 3 * HEARTBEAT_MS;

/** Applies a leader's commits, complete and in order, as long as it runs. */
export class Follower {
  readonly #deps: FollowerDeps;
  readonly #timer: Timer;
  readonly #stopping = new AbortController();
  #columnsOf: ColumnsOf = createColumnsCache();
  #run: Promise<void> | undefined;
  #heardAt: number;
  /** Milliseconds that this node was behind at the last message of the leader. */
  #behindMs = 0;
  /** Position that is being, or must be, reported to the leader. */
  #toAcknowledge: number | undefined;
  /** Number of consecutive snapshots without any entry from the stream after them. */
  #snapshots = 0;
  /** Tables, or the whole database, that caches have not followed yet. */
  readonly #outdated = new Set<string>();
  #isReplaced = false;
  /** The database has changes for which indexes were not woken. */
  #isUnannounced = false;
  #announcedAt: number;

  constructor(deps: FollowerDeps) {
    this.#deps = deps;
    this.#timer = deps.timer ?? systemTimer;
    this.#heardAt = this.#announcedAt = deps.clock.now();
  }

  /** Milliseconds that this node is behind its leader, as far as it knows. */
  get lagMs(): number {
    // If the clock is set back, the next message of a leader that is there ends the silence.
    const silence = Math.abs(this.#deps.clock.now() - this.#heardAt);
    return Math.max(this.#behindMs, silence > SILENCE_MS ? silence : 0);
  }

  start(): void {
    this.#run ??= this.#follow(this.#stopping.signal);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#run;
  }

  /** Never rejects. */
  async #follow(signal: AbortSignal): Promise<void> {
    const { log } = this.#deps;
    let failures = 0;
    while (!signal.aborted) {
      try {
        await this.#followOnce(signal, () => (failures = 0));
      } catch (error) {
        if (signal.aborted) return;
        failures += 1;
        log.warn({ err: error, failures }, 'the leader cannot be followed; trying again');
        await this.#pause(failures, signal);
      }
    }
  }

  #pause(failures: number, signal: AbortSignal): Promise<void> {
    const { retryMs } = this.#deps;
    return this.#timer.sleep(backoffDelay(failures, { initial: retryMs, max: 10 * retryMs }), signal);
  }

  /** Follows until something fails. If only a snapshot helps, it is fetched, and the next call continues after it. */
  async #followOnce(signal: AbortSignal, onMessage: () => void): Promise<void> {
    // Also ends the stream when the messages are no longer read.
    const ending = new AbortController();
    try {
      await this.#readStream(AbortSignal.any([signal, ending.signal]), onMessage);
    } catch (error) {
      if (signal.aborted || !needsSnapshot(error)) throw error;
      this.#deps.log.warn({ err: error },
        'the binlog of the leader does not go on where this node stands; taking a snapshot');
      ending.abort();
      // If the binlog does not continue after a snapshot either, there is another problem.
      if (this.#snapshots > 0) await this.#pause(this.#snapshots, signal);
      this.#snapshots += 1;
      await this.#takeSnapshot(signal);
      onMessage();
    } finally {
      ending.abort();
    }
  }

  async #readStream(signal: AbortSignal, onMessage: () => void): Promise<void> {
    const { sql, feed, link, nodeId, format } = this.#deps;
    await this.#refresh();
    if (this.#isUnannounced) await sql.transaction((tx) => this.#announce(tx));
    const state = (await readState(sql)) ?? NOTHING;
    // The writes of a node without a role are in no binlog.
    const history = state.role === '' ? '' : state.history;
    let place: Place = state;
    let pieces: Buffer[] = [];
    const request = {
      followerId: nodeId,
      afterLsn: await feed.head(),
      history,
      afterPosition: state.position,
      checksum: state.checksum,
      epoch: state.epoch,
      format,
    };
    for await (const message of link.stream(request, signal)) {
      onMessage();
      if (message.type === 'hello') await this.#joined(message.epoch);
      const commits: Commit[] = [];
      for (const { position, checksum, txnEnd, value } of checkedEntries(
        Buffer.from(message.value.buffer, message.value.byteOffset, message.value.byteLength),
        place,
      )) {
        place = { ...place, position, checksum };
        pieces.push(value);
        if (!txnEnd) continue;
        commits.push({ position, checksum, patchset: pieces.length === 1 ? value : Buffer.concat(pieces) });
        pieces = [];
      }
      this.#heardAt = this.#deps.clock.now();
      const behindMs = behindAfter(message, place.position, this.#behindMs);
      if (commits.length > 0) await this.#apply(commits, behindMs);
      this.#behindMs = behindMs;
      if (message.type !== 'hello') this.#snapshots = 0;
      void this.#acknowledge(place.position, signal);
    }
    throw new ServiceError('unavailable', 'the leader has ended the stream');
  }

  /** The leader has accepted this node: from here on it is a follower, whatever it was before. */
  async #joined(epoch: number): Promise<void> {
    const { sql, log, onState } = this.#deps;
    const state = (await readState(sql)) ?? NOTHING;
    const next: ReplicationState = { ...state, role: 'follower', epoch: Math.max(epoch, state.epoch), fencedBy: 0 };
    if (next.role !== state.role || next.epoch !== state.epoch) await sql.transaction((tx) => writeState(tx, next));
    onState(next);
    log.info({ epoch, position: state.position }, 'following the leader');
  }

  /** Several commits may share a transaction; none is split. */
  async #apply(commits: readonly Commit[], behindMs: number): Promise<void> {
    const { sql, clock } = this.#deps;
    const last = commits.at(-1)!;
    const tables = await sql.transaction(async (tx) => {
      const changed = new Set<string>();
      for (const { patchset } of commits)
        for (const table of await applyCommit(tx, patchset, this.#columnsOf)) changed.add(table);
      await tx.run('UPDATE replication SET position = ?, checksum = ?', [last.position, last.checksum]);
      if (changed.has('changes')) this.#isUnannounced = true;
      if (this.#isUnannounced && (behindMs <= FAR_BEHIND_MS || !isRecent(this.#announcedAt, clock.now(), WAKE_MS)))
        await this.#announce(tx);
      return changed;
    });
    for (const table of tables) this.#outdated.add(table);
    await this.#refresh();
  }

  /** Makes caches follow the database; if that fails, the next call repeats it. */
  async #refresh(): Promise<void> {
    const { hooks } = this.#deps;
    if (this.#isReplaced) await hooks.replaced();
    else if (this.#outdated.size > 0) await hooks.changed(this.#outdated);
    this.#isReplaced = false;
    this.#outdated.clear();
  }

  /** Wakes the readers of the feed. */
  async #announce(tx: Transaction): Promise<void> {
    const { feed, clock } = this.#deps;
    feed.copied(tx, (await tx.get<{ lsn: number | null }>('SELECT max(lsn) AS lsn FROM changes'))!.lsn ?? 0);
    tx.onCommit(() => {
      this.#isUnannounced = false;
      this.#announcedAt = clock.now();
    });
  }

  /**
   * One report at a time; positions that arrive meanwhile are reported together. A failure also fails the stream, which
   * reports it.
   */
  async #acknowledge(position: number, signal: AbortSignal): Promise<void> {
    const { feed, link, nodeId, sql } = this.#deps;
    const isUnderWay = this.#toAcknowledge !== undefined;
    this.#toAcknowledge = position;
    if (isUnderWay) return;
    try {
      for (let reported = -1; reported !== this.#toAcknowledge;) {
        reported = this.#toAcknowledge;
        const state = await readState(sql);
        await link.acknowledge({
          followerId: nodeId,
          lsn: await feed.head(),
          position: reported,
          epoch: state?.epoch ?? 0,
        }, signal);
      }
    } catch {
      // Reported by the stream.
    } finally {
      this.#toAcknowledge = undefined;
    }
  }

  async #takeSnapshot(signal: AbortSignal): Promise<void> {
    const { sql, log, onState } = this.#deps;
    const before = (await readState(sql)) ?? NOTHING;
    await receiveSnapshot({ ...this.#deps, epoch: before.epoch, isOwn: before.role !== 'follower' }, signal);
    const state = await sql.transaction(async (tx) => {
      const found = (await readState(tx)) ?? NOTHING;
      const next: ReplicationState = {
        ...found,
        role: 'follower',
        epoch: Math.max(found.epoch, before.epoch),
        fencedBy: 0,
      };
      await writeState(tx, next);
      await this.#announce(tx);
      return next;
    });
    this.#columnsOf = createColumnsCache();
    onState(state);
    log.info({ position: state.position }, 'the snapshot of the leader is in place');
    this.#isReplaced = true;
    await this.#refresh();
  }
}

/**
 * Milliseconds that a node with the entries up to a position is behind, according to the message; the previous value if
 * the message does not contain it.
 */
function behindAfter({ type, timestamp, sentAt, leaderPosition }: BinlogMessage, position: number,
  before: number): number
{
  if (position >= leaderPosition) return 0;
  return type === 'entries' ? Math.max(1, Math.round(sentAt - Number(timestamp) / 1e6)) : before;
}

const NOTHING: ReplicationState = { role: '', history: '', position: 0, checksum: 0, epoch: 0, fencedBy: 0 };

/** Errors that show that this database is not a copy (any more), or that entries do not follow it. */
function needsSnapshot(error: unknown): boolean {
  if (error instanceof ServiceError) return error.code === 'snapshot_required';
  return error instanceof Diverged || error instanceof BadEntry || error instanceof BadPatchset || isConstraint(error);
}

/** SQLite's message when a row that must be inserted exists, or one that others refer to is missing. */
function isConstraint(error: unknown): boolean {
  return error instanceof Error && /constraint failed/i.test(error.message);
}
