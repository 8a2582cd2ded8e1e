import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import type { Log } from '../../lib/log.ts';
import { ConfigError } from '../../lib/setting-values.ts';
import { endUser, isAliveAs, ownName, usersWithProcesses } from './process/leftovers.ts';
import { releaseUser, watchUser } from './process/run-process.ts';
import type { User } from './sandbox/index.ts';

/** World-writable folders. */
const PLACES = ['/tmp', '/var/tmp', '/dev/shm', '/dev/mqueue'];
const LIMIT_MS = 60_000;

/**
 * Removes what a user has left in world-writable folders: files, and the shared memory, queues and semaphores of System
 * V. It runs as that user, who can remove nothing else, whatever is there.
 */
async function clearSharedPlaces({ uid, gid }: User): Promise<void> {
  const as = {
    uid,
    gid,
    cwd: '/',
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
  } as const;
  // Both report errors for what they may not enter or remove; that belongs to others.
  const own = [...PLACES, '-xdev', '-mindepth', '1', '-user', String(uid)];
  await promisify(execFile)('find', [...own, '-type', 'd', '!', '-perm', '-700', '-exec', 'chmod', 'u+rwx', '{}', ';'],
    as).catch(() => undefined);
  await promisify(execFile)('find', [...own, '-delete'], as).catch(() => undefined);
  await promisify(execFile)('ipcrm', ['--all'], as).catch(() => undefined);
}

/** User ids without accounts; the group of each has the same number. */
export interface UserIdRange {
  readonly first: number;
  readonly count: number;
}

/** Above all accounts and the ids that systemd assigns (65519), below the ids of containers (100000 and more). */
export const DEFAULT_USER_IDS: UserIdRange = { first: 70_000, count: 4_000 };

/**
 * Only root can enter them; the first usable one is used. Usually in memory, so that no id is held after the machine
 * has restarted.
 */
const FOLDERS = ['/run/quire', '/var/lib/quire'];
const BUSY_MS = 10_000;

/** A user that only one run has. */
interface HeldUser extends User {
  /**
   * Kills every process of the user and frees it for the next run, after removing what it left in the places that it
   * `shared` with others. Returns the processes that could not be killed; the user is not free then.
   */
  release(shared: boolean): Promise<readonly number[]>;
}

/**
 * Assigns user ids to runs, each to one run at a time on the whole machine. All processes use the same table, which
 * only root can access, and which contains the holder of each id. An id whose holder has died is assigned again once
 * none of its processes is alive.
 */
export class UserIds {
  readonly #range: UserIdRange;
  readonly #log: Log;
  #database: DatabaseSync | undefined;

  /** Throws a `ConfigError` if ids of the range cannot be used. */
  constructor(range: UserIdRange, log: Log) {
    this.#range = range;
    this.#log = log;
    const problem = rangeProblem(range);
    if (problem !== undefined) throw new ConfigError([problem]);
  }

  /** One id of the range, to test what it may do. */
  get example(): User {
    return { uid: this.#range.first, gid: this.#range.first };
  }

  /** `leaseLeft`: milliseconds until its processes must be dead, even if this one is frozen. */
  async acquire(leaseLeft?: () => number): Promise<HeldUser> {
    const { uid, left } = this.#take();
    if (left) await this.#end(uid, true);
    watchUser(uid, leaseLeft);
    return { uid, gid: uid, release: (shared) => this.#release(uid, shared) };
  }

  /** Kills the processes of users whose holder has died; ids with a living holder are not touched. */
  async endAbandoned(uid: number): Promise<readonly number[]> {
    const { first, count } = this.#range;
    if (uid < first || uid >= first + count || !this.#within((held) => this.#claim(uid, held))) return [];
    return this.#release(uid, true);
  }

  async #release(uid: number, shared: boolean): Promise<readonly number[]> {
    const survivors = await this.#end(uid, shared);
    if (survivors.length > 0) return survivors;
    releaseUser(uid);
    this.#open().prepare('DELETE FROM held WHERE uid = ?').run(uid);
    return [];
  }

  async #end(uid: number, shared: boolean): Promise<readonly number[]> {
    const survivors = await endUser(uid);
    if (survivors.length > 0)
      this.#log.error({ user: uid, processes: survivors },
        'processes of a run cannot be killed; its user id is not used again');
    else if (shared) await clearSharedPlaces({ uid, gid: uid });
    return survivors;
  }

  /** `left`: a process that has died held it, and may have left something. */
  #take(): { uid: number; left: boolean } {
    return this.#within((held) => {
      const taken = this.#firstFree(held, accountIds());
      this.#hold(taken.uid);
      return taken;
    });
  }

  #claim(uid: number, held: ReadonlyMap<number, string>): boolean {
    const owner = held.get(uid);
    if (owner !== undefined && isAliveAs(owner)) return false;
    this.#hold(uid);
    return true;
  }

  #hold(uid: number): void {
    this.#open().prepare('INSERT INTO held (uid, owner) VALUES (?, ?) ON CONFLICT DO UPDATE SET owner = excluded.owner')
      .run(uid, ownName());
  }

  /** Locks the table for this process. */
  #within<T>(act: (held: ReadonlyMap<number, string>) => T): T {
    const database = this.#open();
    database.exec('BEGIN IMMEDIATE');
    try {
      const answer = act(
        new Map(
          database.prepare('SELECT uid, owner FROM held').all().map(({ uid, owner }) => [Number(uid), String(owner)]),
        ),
      );
      database.exec('COMMIT');
      return answer;
    } catch (error) {
      database.exec('ROLLBACK');
      throw error;
    }
  }

  /** Starts at a random position, so that an id rests before it is used again. */
  #firstFree(held: ReadonlyMap<number, string>, accounts: ReadonlySet<number>): { uid: number; left: boolean } {
    const { first, count } = this.#range;
    const start = Math.floor(Math.random() * count);
    const running = usersWithProcesses();
    for (let index = 0; index < count; index += 1) {
      const uid = first + (start + index) % count;
      const owner = held.get(uid);
      if (accounts.has(uid) || (owner !== undefined && isAliveAs(owner))) continue;
      // Processes of an id that no run has held are not ours to kill.
      if (owner === undefined && running.has(uid)) continue;
      return { uid, left: owner !== undefined };
    }
    throw new Error(`all user ids from ${first} to ${first + count - 1} are in use; give the runs a wider range`);
  }

  #open(): DatabaseSync {
    if (this.#database !== undefined) return this.#database;
    const database = new DatabaseSync(join(rootFolder(), 'user-ids.db'));
    database.exec(
      `PRAGMA busy_timeout = ${BUSY_MS}; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; CREATE TABLE IF ` +
        'NOT EXISTS held (uid INTEGER PRIMARY KEY, owner TEXT NOT NULL)',
    );
    return (this.#database = database);
  }
}

function rootFolder(): string {
  const reasons: string[] = [];
  for (const folder of FOLDERS) {
    try {
      mkdirSync(folder, { mode: 0o700, recursive: true });
      return folder;
    } catch (error) {
      reasons.push((error as Error).message);
    }
  }
  throw new Error(`there is no place to record which user ids are in use: ${reasons.join('; ')}`);
}

/** Why ids of a range cannot be used; undefined if no reason is known. */
function rangeProblem({ first, count }: UserIdRange): string | undefined {
  const map = contentOf('/proc/self/uid_map').trim();
  if (map === '') return undefined;
  // In a container the system may have fewer ids: inside, outside, length (user_namespaces(7)).
  const isMapped = map.split('\n').map((line) => line.trim().split(/\s+/).map(Number)).some(([inside, , length]) =>
    inside! <= first && first + count <= inside! + length!
  );
  return isMapped
    ? undefined
    : `user_ids: the ids ${first} to ${first + count - 1} do not exist in this container; name others, or set run_as`;
}

/** Ids of users and groups in the files of the system. */
function accountIds(): ReadonlySet<number> {
  const lines = [...contentOf('/etc/passwd').split('\n').flatMap((line) => line.split(':').slice(2, 4)),
    ...contentOf('/etc/group').split('\n').flatMap((line) => line.split(':').slice(2, 3))];
  return new Set(lines.map(Number));
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
