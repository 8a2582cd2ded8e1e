import type { Row, Sql, Transaction } from '../port.ts';
import type { KeyRing } from './key-ring.ts';
import { SWITCH_PREFIX } from './required.ts';
import { changeParts, openSecret, sealSecret, type SecretColumn, SECRETS } from './secrets.ts';
import { HEAD_CHARS, keyIdOfText } from './stored-values.ts';

/** Rows of one transaction: all other writes wait for it. */
const BATCH_ROWS = 200;

/**
 * Name of the setting that says that the file has to be rewritten, because it contains credentials from before they
 * were encrypted.
 */
export const SCRUB_SECRETS = SWITCH_PREFIX;

interface Found extends Row {
  readonly id: string;
  /** The first characters, or the whole value if only parts of it are encrypted. */
  readonly head: string;
}

interface Stored extends Row {
  readonly value: string;
}

/**
 * Encrypts all stored credentials with the primary key: those in plaintext, and those under other keys, which would be
 * lost when these are removed. Returns how many rows were written. If any was in plaintext, the setting `SCRUB_SECRETS`
 * is stored with it. Rejects with the reason of the signal.
 */
export async function resealSecrets(sql: Sql, keys: KeyRing, signal?: AbortSignal): Promise<number> {
  let written = 0;
  for (const column of Object.values<SecretColumn>(SECRETS)) {
    const concerned: string[] = [];
    const head = column.parts === undefined ? `substr(${column.column}, 1, ${HEAD_CHARS})` : column.column;
    for await (const rows of sql.stream<Found>(
      `SELECT ${column.id} AS id, ${head} AS head FROM ${column.table} WHERE ${column.column} IS NOT NULL`,
    )) {
      concerned.push(...rows.filter((row) => isConcerned(keys, column, row.head)).map(({ id }) => id));
    }
    for (let i = 0; i < concerned.length; i += BATCH_ROWS) {
      signal?.throwIfAborted();
      written += await sql.transaction((tx) => resealRows(tx, keys, column, concerned.slice(i, i + BATCH_ROWS)));
    }
  }
  return written;
}

function isConcerned(keys: KeyRing, { parts }: SecretColumn, text: string): boolean {
  const isOther = (value: string): boolean => value !== '' && keyIdOfText(value) !== keys.primaryId;
  if (parts === undefined) return isOther(text);
  let found = false;
  changeParts(parts, text, (_, value) => {
    found ||= isOther(value);
    return value;
  });
  return found;
}

async function resealRows(tx: Transaction, keys: KeyRing, column: SecretColumn,
  ids: readonly string[]): Promise<number>
{
  let wasPlain = false;
  const reseal = (place: Pick<SecretColumn, 'place'>, id: string, text: string): string => {
    wasPlain ||= keyIdOfText(text) === undefined;
    return sealSecret(keys, place, id, openSecret(keys, place, id, text));
  };
  let written = 0;
  for (const id of ids) {
    // It may have been written or deleted since it was listed.
    const stored = await tx.get<Stored>(`SELECT ${column.column} AS value FROM ${column.table} WHERE ${column.id} = ?`,
      [id]);
    if (stored === undefined || stored.value === null || !isConcerned(keys, column, stored.value)) continue;
    const value = column.parts === undefined
      ? reseal(column, id, stored.value)
      : changeParts(column.parts, stored.value, (part, text) => reseal(part, id, text));
    await tx.run(`UPDATE ${column.table} SET ${column.column} = ? WHERE ${column.id} = ?`, [value, id]);
    written++;
  }
  if (wasPlain)
    await tx.run(
      "INSERT INTO settings(name, value) VALUES (?, 'scrub') ON CONFLICT(name) DO UPDATE SET value = excluded.value",
      [SCRUB_SECRETS],
    );
  return written;
}
