import { createHash } from 'node:crypto';
import type { AutomationLog } from '../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../errors/index.ts';
import { type KeyRing, openSecret, type Queries, sealSecret, SECRETS, type SqlValue,
  type Transaction } from '../../storage/index.ts';
import { shownUrl } from '../secrets.ts';

/** Maximum number of entries; the oldest are removed first. */
const MAX_ENTRIES = 100_000;

/** The outcome of a delivery. */
export interface LogEntry extends Omit<AutomationLog, 'id'> {
  /** Id of the delivery. There is one entry for it, however often it is repeated after a crash. */
  readonly delivery: string;
}

export async function writeLogs(tx: Transaction, entries: readonly LogEntry[],
  keys: KeyRing | undefined): Promise<void>
{
  if (entries.length === 0) return;
  await tx.runMany(`INSERT INTO automation_logs(delivery, at, rule, status, entry) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT(delivery) DO UPDATE SET at = excluded.at, status = excluded.status, entry = excluded.entry`,
    entries.map((
      { delivery, ...entry },
    ) => [delivery, entry.timestamp, entry.ruleId, entry.status,
      sealSecret(keys, SECRETS.ruleLog, delivery, JSON.stringify({ id: idOf(delivery), ...entry }))]
    ));
  await tx.run('DELETE FROM automation_logs WHERE seq <= (SELECT max(seq) FROM automation_logs) - ?', [MAX_ENTRIES]);
}

function idOf(delivery: string): string {
  return `log_${createHash('sha256').update(delivery).digest('hex').slice(0, 24)}`;
}

interface LogSelection {
  readonly ruleId?: string | undefined;
  readonly status?: string | undefined;
  /** Unix seconds; older entries have expired. */
  readonly since: number;
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/**
 * A page, newest first, its URLs without their queries; `next` is empty on the last one. Throws `invalid_argument` for
 * an invalid cursor.
 */
export async function readLogs(queries: Queries, keys: KeyRing | undefined,
  { ruleId, status, since, cursor, limit }: LogSelection
): Promise<{ logs: AutomationLog[]; total: number; next: string }> {
  const before = cursor ? seqOf(cursor) : Number.MAX_SAFE_INTEGER;
  const where = `WHERE at >= ?${ruleId === undefined ? '' : ' AND rule = ?'}${
    status === undefined ? '' : ' AND status = ?'
  }`;
  const params: SqlValue[] = [since, ...[ruleId, status].filter((value) => value !== undefined)];
  const { total } =
    (await queries.get<{ total: number }>(`SELECT count(*) AS total FROM automation_logs ${where}`, params))!;
  const rows = await queries.all<{ seq: number; delivery: string; entry: string }>(
    `SELECT seq, delivery, entry FROM automation_logs ${where} AND seq < ? ORDER BY seq DESC LIMIT ?`,
    [...params, before, limit + 1],
  );
  const page = rows.slice(0, limit);
  const logs = page.map(({ delivery, entry }) => {
    const log = JSON.parse(openSecret(keys, SECRETS.ruleLog, delivery, entry)) as AutomationLog;
    return { ...log, webhookUrl: shownUrl(log.webhookUrl) };
  });
  return {
    logs,
    total,
    next: rows.length > limit ? Buffer.from(`logs:${page.at(-1)!.seq}`).toString('base64url') : '',
  };
}

/** Removes at most `limit` entries older than a time in Unix seconds; returns how many. */
export async function removeExpired(tx: Transaction, before: number, limit: number): Promise<number> {
  return (await tx.run(
    'DELETE FROM automation_logs WHERE seq IN (SELECT seq FROM automation_logs WHERE at < ? LIMIT ?)',
    [before, limit],
  )).changes;
}

function seqOf(cursor: string): number {
  const seq = /^logs:(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString())?.[1];
  if (seq === undefined)
    throw new ServiceError('invalid_argument',
      'cursor must be the nextCursor of a page of the log; leave it out for the first page');
  return Number(seq);
}
