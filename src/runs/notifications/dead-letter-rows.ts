import type { Queries, Row, SqlValue, Transaction } from '../../storage/index.ts';
import type { Letter } from './letter.ts';

/** Most dead letters per webhook; above it the oldest are removed. */
export const MAX_DEAD_LETTERS = 1000;

/** A notification that was given up. */
export interface DeadLetter {
  readonly letter: Letter;
  readonly webhook: string;
  readonly attempts: number;
  /** 0 for none. */
  readonly status: number;
  readonly error: string;
  /** Unix seconds. */
  readonly failedAt: number;
}

/** Stores dead letters in the order of the list. */
export async function writeDeadLetters(tx: Transaction, webhook: string,
  letters: readonly Omit<DeadLetter, 'webhook'>[]): Promise<void>
{
  await tx.runMany(
    'INSERT INTO notification_dead_letters(id, webhook, letter, attempts, status, error, failed_at) VALUES (?, ?, ' +
      '?, ?, ?, ?, ?) ON CONFLICT(id) DO NOTHING',
    letters.map((
      { letter, attempts, status, error, failedAt },
    ) => [letter.id, webhook, JSON.stringify(letter), attempts, status, error, failedAt]),
  );
  const surplus = await tx.get<{ seq: number }>(
    'SELECT seq FROM notification_dead_letters WHERE webhook = ? ORDER BY seq DESC LIMIT 1 OFFSET ?',
    [webhook, MAX_DEAD_LETTERS],
  );
  if (surplus !== undefined)
    await tx.run('DELETE FROM notification_dead_letters WHERE webhook = ? AND seq <= ?', [webhook, surplus.seq]);
}

interface DeadLetterRow extends Row {
  readonly seq: number;
  readonly webhook: string;
  readonly letter: string;
  readonly attempts: number;
  readonly status: number;
  readonly error: string;
  readonly failed_at: number;
}

/** Newest first, strictly older than `before`. */
export async function listDeadLetters(from: Queries, before: number | undefined,
  limit: number): Promise<(DeadLetter & { readonly seq: number })[]>
{
  const [where, values]: [string, SqlValue[]] = before === undefined ? ['', []] : [' WHERE seq < ?', [before]];
  const rows = await from.all<DeadLetterRow>(
    `SELECT seq, webhook, letter, attempts, status, error, failed_at FROM notification_dead_letters${where} ORDER ` +
      'BY seq DESC LIMIT ?',
    [...values, limit],
  );
  return rows.map((row) => ({
    seq: row.seq,
    letter: JSON.parse(row.letter) as Letter,
    webhook: row.webhook,
    attempts: row.attempts,
    status: row.status,
    error: row.error,
    failedAt: row.failed_at,
  }));
}

/** Removes and returns dead letters of a webhook, oldest first: the one with this number, or all. */
export async function takeDeadLetters(tx: Transaction, webhook: string, id: string | undefined): Promise<Letter[]> {
  const [where, values]: [string, SqlValue[]] = id === undefined
    ? ['webhook = ?', [webhook]]
    : ['webhook = ? AND id = ?', [webhook, id]];
  const rows = await tx.all<{ letter: string }>(
    `SELECT letter FROM notification_dead_letters WHERE ${where} ORDER BY seq`,
    values,
  );
  await tx.run(`DELETE FROM notification_dead_letters WHERE ${where}`, values);
  return rows.map(({ letter }) => JSON.parse(letter) as Letter);
}

export async function removeDeadLetters(tx: Transaction, webhook: string): Promise<void> {
  await tx.run('DELETE FROM notification_dead_letters WHERE webhook = ?', [webhook]);
}

/** By webhook. */
export async function countDeadLetters(from: Queries): Promise<ReadonlyMap<string, number>> {
  const rows = await from.all<{ webhook: string; n: number }>(
    'SELECT webhook, count(*) AS n FROM notification_dead_letters GROUP BY webhook',
  );
  return new Map(rows.map(({ webhook, n }) => [webhook, n]));
}
