import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { ServiceError } from '../../errors/index.ts';
import { backoffDelay, type Clock, systemTimer, type Timer } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { ChangeFeed, type Sql } from '../../storage/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { type Binlog, BinlogGap, type BinlogPiece } from './binlog.ts';
import { BadEntry } from './entry.ts';
import type { Acknowledgement, BinlogMessage, FollowerPlace, LeaderAnswer, LeaderLink, SnapshotPiece, SnapshotRequest,
  StreamRequest } from './messages.ts';
import type { Place, ReplicationState } from './state.ts';

interface LeaderDeps extends Pick<DocsEnvironment, 'clock' | 'log'> {
  readonly sql: Sql;
  readonly binlog: Binlog;
  /** Format of the database. */
  readonly format: number;
  readonly folder: string;
  readonly state: () => ReplicationState;
  /** Stops this leader permanently, because another one has replaced it under that epoch. */
  readonly fence: (epoch: number) => Promise<void>;
  readonly timer?: Timer;
}

/** Interval of heartbeats to a follower when there is nothing new. */
export const HEARTBEAT_MS = 1000;

const PIECE = 2 ** 20;

/** Snapshots are copies of the whole database: more at the same time would only slow each other down. */
const SNAPSHOTS = 2;

/** The leader's side of replication (decision 4.11). */
export class Leader {
  readonly followers: Followers;
  readonly #deps: LeaderDeps;
  readonly #timer: Timer;
  #snapshots = 0;
  #connected = 0;

  constructor(deps: LeaderDeps) {
    this.#deps = deps;
    this.#timer = deps.timer ?? systemTimer;
    this.followers = new Followers(deps.clock);
  }

  get connected(): number {
    return this.#connected;
  }

  list(): KnownFollower[] {
    this.followers.reached(this.#deps.binlog.place);
    return this.followers.list();
  }

  /**
   * Entries that follow a follower's position, without end. Throws `snapshot_required` if the binlog does not continue
   * there, and `not_leader` if another leader has replaced this one.
   */
  async *stream(request: StreamRequest, address: string, signal: AbortSignal): AsyncGenerator<BinlogMessage> {
    await this.#meet(request.epoch);
    this.#requireFormat(request.format);
    const { binlog } = this.#deps;
    const after = { history: request.history, position: request.afterPosition, checksum: request.checksum };
    this.#connected += 1;
    try {
      const pieces = binlog.follow(after, signal, (over) => this.#timer.sleep(HEARTBEAT_MS, over));
      // A caller that cannot be served gets an error instead.
      await pieces.next();
      this.followers.confirmed({
        followerId: request.followerId,
        lsn: request.afterLsn,
        position: request.afterPosition,
      }, address);
      yield this.#message('hello', undefined);
      for await (const piece of pieces) {
        this.#requireLeader();
        this.followers.reached(binlog.place);
        yield this.#message(piece === undefined ? 'heartbeat' : 'entries', piece);
      }
    } catch (error) {
      // A damaged binlog requires a snapshot as well.
      if (error instanceof BinlogGap || error instanceof BadEntry)
        throw new ServiceError('snapshot_required', error.message, { cause: error });
      throw error;
    } finally {
      this.#connected -= 1;
    }
  }

  /** A copy of the database in pieces of 1 MiB. Throws `busy` while the maximum number of snapshots is being made. */
  async *snapshot(request: SnapshotRequest, signal: AbortSignal): AsyncGenerator<SnapshotPiece> {
    await this.#meet(request.epoch);
    this.#requireFormat(request.format);
    if (this.#snapshots >= SNAPSHOTS)
      throw new ServiceError('busy', `${SNAPSHOTS} snapshots are being sent already`, {
        headers: { 'Retry-After': '5' },
      });
    this.#snapshots += 1;
    const file = join(this.#deps.folder, `snapshot-${randomBytes(6).toString('hex')}.tmp`);
    try {
      // Read first: the copy contains this change and perhaps some after it.
      const snapshotLsn = await new ChangeFeed(this.#deps.sql).head();
      const { sizeBytes: totalSize } = await this.#deps.sql.snapshotTo(file);
      this.#deps.log.info({ follower: request.followerId, totalSize }, 'a follower takes a snapshot');
      let offset = 0;
      for await (const data of createReadStream(file, { highWaterMark: PIECE, signal }) as AsyncIterable<Buffer>) {
        yield {
          data,
          offset,
          totalSize,
          isLast: offset + data.length === totalSize,
          snapshotLsn,
          checksum: crc32(data),
        };
        offset += data.length;
      }
    } finally {
      this.#snapshots -= 1;
      await rm(file, { force: true });
    }
  }

  async acknowledge({ followerId, lsn, position, epoch }: Acknowledgement, address: string): Promise<LeaderAnswer> {
    const { state } = this.#deps;
    if (epoch > state().epoch) await this.#deps.fence(epoch);
    // Another leader sends no name.
    else if (followerId !== '') this.followers.confirmed({ followerId, lsn, position }, address);
    return { epoch: state().epoch, fencedBy: state().fencedBy };
  }

  #message(type: string, piece: BinlogPiece | undefined): BinlogMessage {
    const { binlog, clock, state } = this.#deps;
    const { place } = binlog;
    return {
      type,
      lsn: piece?.lsn ?? place.lsn,
      position: piece?.position ?? place.position,
      timestamp: piece?.timestamp ?? BigInt(clock.now()) * 1_000_000n,
      value: piece?.bytes ?? new Uint8Array(),
      txnEnd: piece?.txnEnd ?? true,
      epoch: state().epoch,
      leaderPosition: place.position,
      sentAt: clock.now(),
    };
  }

  /** A follower that knows a later leader reports it to this one. */
  async #meet(epoch: number): Promise<void> {
    if (epoch > this.#deps.state().epoch) await this.#deps.fence(epoch);
    this.#requireLeader();
  }

  #requireLeader(): void {
    const { epoch, fencedBy } = this.#deps.state();
    if (fencedBy > 0)
      throw new ServiceError('not_leader', `this leader of epoch ${epoch} was replaced by one of epoch ${fencedBy}`);
  }

  #requireFormat(format: number): void {
    if (format !== this.#deps.format)
      throw new ServiceError('invalid_argument',
        `the follower's database has format ${format} and the leader's ${this.#deps.format}: both nodes need the ` +
          'same version');
  }
}

type FollowerHealth = 'healthy' | 'warning' | 'unhealthy';

/** A follower as its leader sees it. */
interface KnownFollower {
  readonly followerId: string;
  readonly address: string;
  readonly confirmedLsn: number;
  readonly lagMs: number;
  /** Milliseconds since 1970. */
  readonly lastSeenAt: number;
  readonly status: FollowerHealth;
}

interface Record {
  address: string;
  lsn: number;
  position: number;
  seenAt: number;
}

/** Decision 4.11. */
const HEALTHY_MS = 1000;
const UNHEALTHY_MS = 30_000;

/** Times are recorded at most once in this many milliseconds, and at most this many of them. */
const MARK_MS = 100;
const MARKS = 36_000;

/** A follower that was not heard of for this many milliseconds is no longer waited for. */
const FORGET_MS = 24 * 3_600_000;

/** Followers by their ids, and how far behind each is. */
export class Followers {
  readonly #clock: Clock;
  readonly #known = new Map<string, Record>();
  /** Times at which the binlog reached positions, oldest first. */
  #marks: { readonly position: number; readonly at: number }[] = [];
  #history = '';

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Records the present end of the binlog. Positions of another history tell nothing. */
  reached({ history, position }: Pick<Place, 'history' | 'position'>): void {
    if (history !== this.#history) this.#marks = [];
    this.#history = history;
    const at = this.#clock.now();
    // The clock was set back: what is recorded was not later than now.
    if (at < (this.#marks.at(-1)?.at ?? at))
      this.#marks = this.#marks.map((mark) => ({ ...mark, at: Math.min(mark.at, at) }));
    const last = this.#marks.at(-1);
    if (last !== undefined && (position <= last.position || at - last.at < MARK_MS)) return;
    this.#marks.push({ position, at });
    if (this.#marks.length > MARKS) this.#marks = this.#marks.slice(MARKS / 2);
  }

  /** Records that a follower has all entries up to a position on disk. */
  confirmed({ followerId, lsn, position }: FollowerPlace, address: string): void {
    this.#known.set(followerId, { address, lsn, position, seenAt: this.#clock.now() });
  }

  list(): KnownFollower[] {
    const now = this.#clock.now();
    for (const [id, { seenAt }] of this.#known) if (now - seenAt > FORGET_MS) this.#known.delete(id);
    return [...this.#known].map(([followerId, { address, lsn, position, seenAt }]) => {
      const lagMs = this.#lagOf(position, now);
      return { followerId, address, confirmedLsn: lsn, lagMs, lastSeenAt: seenAt, status: healthOf(lagMs) };
    });
  }

  /** Milliseconds for which the first entry that the follower has not confirmed has been waiting. */
  #lagOf(position: number, now: number): number {
    const first = this.#marks.find((mark) => mark.position > position);
    return first === undefined ? 0 : now - first.at;
  }
}

function healthOf(lagMs: number): FollowerHealth {
  if (lagMs < HEALTHY_MS) return 'healthy';
  return lagMs <= UNHEALTHY_MS ? 'warning' : 'unhealthy';
}

interface AnnounceDeps {
  readonly link: Pick<LeaderLink, 'acknowledge'>;
  readonly epoch: () => number;
  /** Called when this node itself was replaced, with the higher epoch of the other one. */
  readonly fence: (epoch: number) => Promise<void>;
  readonly retryMs: number;
  readonly timer: Timer;
  readonly log: Log;
}

/**
 * Reports this leader's epoch to the node at the address of a former leader, until it has received it. Never rejects.
 */
export async function announceLeader({ link, epoch, fence, retryMs, timer, log }: AnnounceDeps,
  signal: AbortSignal): Promise<void>
{
  for (let failures = 1; !signal.aborted; failures++) {
    try {
      const answer = await link.acknowledge({ followerId: '', lsn: 0, position: 0, epoch: epoch() }, signal);
      if (answer.epoch > epoch()) return await fence(answer.epoch);
      // The address is this node's own, or the other node has received the report.
      if (answer.epoch === epoch() || answer.fencedBy >= epoch()) return;
    } catch (error) {
      if (failures === 1 && !signal.aborted)
        log.info({ err: error }, 'the former leader is out of reach; it is notified of this one when it comes back');
    }
    await timer.sleep(backoffDelay(failures, { initial: retryMs, max: 10 * retryMs }), signal);
  }
}
