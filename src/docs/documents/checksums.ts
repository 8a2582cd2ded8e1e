import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Queries, Sql } from '../../storage/index.ts';
import type { DocumentHandlers } from './deps.ts';
import type { ShownRow } from './document-rows.ts';
import type { DocumentReader } from './reader.ts';

/** The columns that the checksum is computed from. */
export interface ChecksumRow extends Pick<ShownRow, 'id' | 'key' | 'lang' | 'meta' | 'updated_at' | 'expires_at'> {
  /** CRC-32 of the body. */
  readonly crc: number;
}

/** Name of the row of table `settings` with the key, as base64. */
const NAME = 'checksum_key';
const KEY_BYTES = 32;

/** 64 bits: many more than the states that one document ever has. */
const DIGITS = 16;

/**
 * The checksums that callers see. They are keyed, because a checksum that anybody can compute confirms a guess of what
 * is stored. The key belongs to the database: its processes, nodes, followers, copies and backups have the same one, so
 * they agree.
 */
export class Checksums {
  /** Until the key of the database is loaded, checksums hold for this process alone. */
  #key: KeyObject = createSecretKey(randomBytes(KEY_BYTES));

  /** Reads the key of the database. A follower whose leader has not sent it yet keeps its own. */
  async load(queries: Queries): Promise<void> {
    const stored = await readKey(queries);
    if (stored !== undefined) this.#key = createSecretKey(stored, 'base64');
  }

  /**
   * Names a state of a document: 16 hex digits over its identity and everything that a reader sees and a write can
   * change. Two writes within a second have equal checksums only if they left the same state of the same document.
   */
  of({ id, key, lang, meta, crc, updated_at: updatedAt, expires_at: expiresAt }: ChecksumRow): string {
    return this.#digest(JSON.stringify([id, key, lang, meta, crc, updatedAt, expiresAt])).slice(0, DIGITS);
  }

  /** Makes a checksum that callers may see from one that they may not: 8 hex digits. */
  keyed(crc: number): string {
    return hex(crc32(this.#digest(hex(crc))));
  }

  #digest(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('hex');
  }
}

/** Makes the key of a database that has none. Of several processes that do so at once, the first decides. */
export async function keepChecksumKey(sql: Sql): Promise<void> {
  if ((await readKey(sql)) !== undefined) return;
  const value = randomBytes(KEY_BYTES).toString('base64');
  await sql.transaction((tx) =>
    tx.run('INSERT INTO settings(name, value) VALUES (?, ?) ON CONFLICT(name) DO NOTHING', [NAME, value])
  );
}

async function readKey(queries: Queries): Promise<string | undefined> {
  return (await queries.get<{ value: string }>('SELECT value FROM settings WHERE name = ?', [NAME]))?.value;
}

/** A CRC-32 as 8 hex digits. */
export function hex(crc: number): string {
  return crc.toString(16).padStart(8, '0');
}

/** `GET /v1/checksum`. */
export function getChecksum(reader: DocumentReader): DocumentHandlers['getChecksum'] {
  return async ({ collection }) => ({ collection, ...(await reader.checksum(collection)) });
}
