import type { Queries, Row, SqlValue, Transaction } from '../../storage/index.ts';
import type { CommitStatus, Thread } from '../forge/port.ts';

/** What a forge is to show, by kind. */
export interface Wanted {
  readonly status: CommitStatus;
  /** `of`: the results of a commit, or how a run for an issue ended. `marker` is hidden in the text. */
  readonly comment: Thread & { readonly of: 'results' | 'outcome'; readonly marker: string };
  readonly labels: { readonly number: number; readonly add: readonly string[]; readonly remove: readonly string[] };
}

export type PostKind = keyof Wanted;

/** Names one thing that a forge shows; `target` is unique for its kind in the repository. */
export interface PostKey {
  readonly forge: string;
  readonly repository: string;
  readonly kind: PostKind;
  readonly target: string;
}

export interface PostOf<K extends PostKind> extends PostKey {
  readonly kind: K;
  readonly projectId: string;
  /** The run that has set it. */
  readonly runId: string;
  /** Commit of a status, or of the results in a comment; empty for none. */
  readonly commit: string;
  readonly wanted: Wanted[K];
}

/** A thing as it is to be shown. */
export type Post = { [K in PostKind]: PostOf<K> }[PostKind];

/** A thing that differs from what the forge shows. */
export type DuePost = Post & { readonly version: number; readonly attempts: number; readonly remoteId: string };

interface PostRow extends Row {
  readonly forge: string;
  readonly repository: string;
  readonly kind: string;
  readonly target: string;
  readonly project_id: string;
  readonly run_id: string;
  readonly git_commit: string;
  readonly wanted: string;
  readonly version: number;
  readonly sent_version: number;
  readonly attempts: number;
  readonly remote_id: string;
}

const INSERT =
  `INSERT INTO forge_posts(forge, repository, kind, target, project_id, run_id, git_commit, wanted, version, sent_version, attempts, next_ms, is_lasting,
   error, remote_id, updated_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1, 0, 0, 0, 0, '', '', ?)
   ON CONFLICT(forge, repository, kind, target) DO UPDATE SET project_id = excluded.project_id, run_id = excluded.run_id, git_commit = excluded.git_commit,
   wanted = excluded.wanted, version = forge_posts.version + 1, attempts = 0, next_ms = 0, is_lasting = 0, error = '', updated_ms = excluded.updated_ms`;

/**
 * Sets what the forge is to show. With `isNew`, the run has just been queued, so it is the newest; otherwise the value
 * of a newer run stays.
 */
export async function putPost(tx: Transaction, post: Post,
  { isNew, nowMs }: { readonly isNew: boolean; readonly nowMs: number }): Promise<void>
{
  const { forge, repository, kind, target, projectId, runId, commit, wanted } = post;
  await tx.run(isNew ? INSERT : `${INSERT} WHERE excluded.run_id >= forge_posts.run_id`, [forge, repository, kind,
    target, projectId, runId, commit, JSON.stringify(wanted), nowMs]);
}

const KEY = 'forge = ? AND repository = ? AND kind = ? AND target = ?';
const keyOf = ({ forge, repository, kind, target }: PostKey): SqlValue[] => [forge, repository, kind, target];
const COLUMNS = 'forge, repository, kind, target, project_id, run_id, git_commit, wanted, version, sent_version, ' +
  'attempts, remote_id';

/** A row with whether the forge shows it as it is. */
export async function findPost(from: Queries,
  key: PostKey): Promise<(DuePost & { readonly isSent: boolean }) | undefined>
{
  const row = await from.get<PostRow>(`SELECT ${COLUMNS} FROM forge_posts WHERE ${KEY}`, keyOf(key));
  return row && { ...toPost(row), isSent: row.sent_version === row.version };
}

/** Times further ahead come from a clock that was wrong, and do not count. */
const MAX_PAUSE_MS = 2 * 3_600_000;

export const DUE =
  `SELECT ${COLUMNS} FROM forge_posts WHERE forge = ? AND sent_version <> version AND is_lasting = 0 AND (next_ms <= ? OR next_ms > ?)
  ORDER BY next_ms LIMIT ?`;

/** Things of a forge that are to be sent now. */
export async function duePosts(from: Queries, forge: string, nowMs: number, limit: number): Promise<DuePost[]> {
  return (await from.all<PostRow>(DUE, [forge, nowMs, nowMs + MAX_PAUSE_MS, limit])).map(toPost);
}

/** When the next thing of a forge is due; undefined if nothing waits. */
export async function nextDueMs(from: Queries, forge: string): Promise<number | undefined> {
  const row = await from.get<{ next: number | null }>(
    'SELECT min(next_ms) AS next FROM forge_posts WHERE forge = ? AND sent_version <> version AND is_lasting = 0',
    [forge],
  );
  return row?.next ?? undefined;
}

/** The forge shows this version; a later one stays due. */
export async function noteSent(tx: Transaction, post: DuePost, remoteId: string, nowMs: number): Promise<void> {
  await tx.run(
    `UPDATE forge_posts SET sent_version = ?, remote_id = ?, updated_ms = ? WHERE ${KEY} AND sent_version < ?`,
    [post.version, remoteId, nowMs, ...keyOf(post), post.version],
  );
  await tx.run(`UPDATE forge_posts SET attempts = 0, error = '' WHERE ${KEY} AND version = ?`, [...keyOf(post),
    post.version]);
  await tx.run(
    "INSERT INTO forge_health(forge, sent_at, failed_at, last_error) VALUES (?, ?, 0, '') ON CONFLICT(forge) DO " +
      "UPDATE SET sent_at = excluded.sent_at, failed_at = 0, last_error = ''",
    [post.forge, Math.floor(nowMs / 1000)],
  );
}

/** Why a forge has not accepted something, and when it is tried again. */
export interface PostFailure {
  readonly error: string;
  readonly isLasting: boolean;
  readonly nextMs: number;
}

/** The forge has not accepted this version; if there is a later one, only the failure of the forge is recorded. */
export async function noteFailure(tx: Transaction, post: DuePost, { error, isLasting, nextMs }: PostFailure,
  nowMs: number): Promise<void>
{
  await tx.run(
    `UPDATE forge_posts SET attempts = attempts + 1, next_ms = ?, is_lasting = ?, error = ? WHERE ${KEY} AND version = ?`,
    [nextMs, isLasting ? 1 : 0, error, ...keyOf(post), post.version],
  );
  await tx.run(
    'INSERT INTO forge_health(forge, sent_at, failed_at, last_error) VALUES (?, 0, ?, ?) ON CONFLICT(forge) DO UPDATE ' +
      'SET failed_at = excluded.failed_at, last_error = excluded.last_error',
    [post.forge, Math.floor(nowMs / 1000), error],
  );
}

/** Has what was refused since then sent again. */
export async function retryRefused(tx: Transaction, sinceMs: number): Promise<void> {
  await tx.run(
    'UPDATE forge_posts SET is_lasting = 0, attempts = 0, next_ms = 0 WHERE is_lasting = 1 AND updated_ms >= ?',
    [sinceMs],
  );
}

/** Removes what has not changed since then; forges keep showing it. */
export async function removeOld(tx: Transaction, untilMs: number): Promise<void> {
  await tx.run('DELETE FROM forge_posts WHERE updated_ms < ?', [untilMs]);
}

export interface ForgeCounts {
  readonly waiting: number;
  readonly refused: number;
  /** Why one of them was refused; empty for none. */
  readonly refusal: string;
}

/** By forge. */
export async function countPosts(from: Queries): Promise<ReadonlyMap<string, ForgeCounts>> {
  const waiting = await from.all<{ forge: string; n: number }>(
    'SELECT forge, count(*) AS n FROM forge_posts WHERE sent_version <> version AND is_lasting = 0 GROUP BY forge',
  );
  const refused = await from.all<{ forge: string; n: number; refusal: string }>(
    'SELECT forge, count(*) AS n, max(error) AS refusal FROM forge_posts WHERE is_lasting = 1 GROUP BY forge',
  );
  const refusedOf = new Map(refused.map((row) => [row.forge, row]));
  const waitingOf = new Map(waiting.map(({ forge, n }) => [forge, n]));
  return new Map([...new Set([...refusedOf.keys(), ...waitingOf.keys()])].map((forge) => [forge, {
    waiting: waitingOf.get(forge) ?? 0,
    refused: refusedOf.get(forge)?.n ?? 0,
    refusal: refusedOf.get(forge)?.refusal ?? '',
  }]));
}

export interface Health {
  /** Unix seconds; 0 for never. */
  readonly sentAt: number;
  /** Unix seconds; 0 if the last call succeeded. */
  readonly failedAt: number;
  readonly lastError: string;
}

/** By forge. */
export async function readHealth(from: Queries): Promise<ReadonlyMap<string, Health>> {
  const rows = await from.all<{ forge: string; sent_at: number; failed_at: number; last_error: string }>(
    'SELECT forge, sent_at, failed_at, last_error FROM forge_health',
  );
  return new Map(
    rows.map((row) => [row.forge, { sentAt: row.sent_at, failedAt: row.failed_at, lastError: row.last_error }]),
  );
}

/** The statuses of a commit, by context. */
export async function statusesOf(from: Queries, forge: string, repository: string,
  commit: string): Promise<PostOf<'status'>[]>
{
  const rows = await from.all<PostRow>(
    `SELECT ${COLUMNS} FROM forge_posts WHERE forge = ? AND repository = ? AND git_commit = ? AND kind = 'status' ` +
      'ORDER BY target LIMIT 100',
    [forge, repository, commit],
  );
  return rows.map((row) => toPost(row) as PostOf<'status'>);
}

/** How a thing is doing that a forge is to show. */
export interface PostProgress {
  readonly post: DuePost;
  readonly isSent: boolean;
  /** It was refused for good. */
  readonly isLasting: boolean;
  readonly error: string;
  /** When it is sent again, in milliseconds since 1970; 0 for now. */
  readonly nextMs: number;
  /** When it was accepted, or else when it changed. */
  readonly updatedMs: number;
}

interface ProgressRow extends PostRow {
  readonly is_lasting: number;
  readonly error: string;
  readonly next_ms: number;
  readonly updated_ms: number;
}

const toProgress = (row: ProgressRow): PostProgress => ({
  post: toPost(row),
  isSent: row.sent_version === row.version,
  isLasting: row.is_lasting === 1,
  error: row.error,
  nextMs: row.next_ms,
  updatedMs: row.updated_ms,
});

const PROGRESS = `${COLUMNS}, is_lasting, error, next_ms, updated_ms`;

/** What forges are to show of a run and no newer run has replaced, statuses first. */
export async function postsOfRun(from: Queries, runId: string): Promise<PostProgress[]> {
  const rows = await from.all<ProgressRow>(
    `SELECT ${PROGRESS} FROM forge_posts WHERE run_id = ? ORDER BY kind DESC, target LIMIT 100`,
    [runId],
  );
  return rows.map(toProgress);
}

/** The status of a project that has changed last. */
export async function newestStatus(from: Queries, projectId: string): Promise<PostProgress | undefined> {
  const row = await from.get<ProgressRow>(
    `SELECT ${PROGRESS} FROM forge_posts WHERE project_id = ? AND kind = 'status' ORDER BY updated_ms DESC LIMIT 1`,
    [projectId],
  );
  return row && toProgress(row);
}

function toPost(row: PostRow): DuePost {
  return {
    forge: row.forge,
    repository: row.repository,
    kind: row.kind as PostKind,
    target: row.target,
    projectId: row.project_id,
    runId: row.run_id,
    commit: row.git_commit,
    wanted: JSON.parse(row.wanted) as Wanted[PostKind],
    version: row.version,
    attempts: row.attempts,
    remoteId: row.remote_id,
  } as DuePost;
}
