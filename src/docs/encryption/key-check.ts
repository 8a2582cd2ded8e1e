import { ConfigError } from '../../lib/config-error.ts';
import type { KeyRing, Queries, Transaction } from '../../storage/index.ts';

const PREFIX = 'encryption_key:';

/** A fixed text that is encrypted with each key, so that the key can be recognized. */
const PROOF = Buffer.from('quire');

/** Binds a proof to the number of its key, which the record contains unencrypted. */
const boundTo = (keyId: number): string => `key\0${keyId}`;

/**
 * The keys of a key ring that this database does not know yet. Throws `ConfigError` if a key differs from the known one
 * with its number.
 */
export async function checkKeys(queries: Queries, keys: KeyRing): Promise<number[]> {
  const rows = await queries.all<{ name: string; value: string }>(
    "SELECT name, value FROM settings WHERE name >= 'encryption_key:' AND name < 'encryption_key;'",
  );
  const proofs = new Map(rows.map(({ name, value }) => [Number(name.slice(PREFIX.length)), value]));
  const ids = [keys.primaryId, ...keys.previousIds];
  const wrong = ids.filter((id) => proofs.has(id) && !fits(keys, id, proofs.get(id)!));
  if (wrong.length > 0) throw new ConfigError(wrong.map((id) => wrongKey(id, id === keys.primaryId)));
  return ids.filter((id) => !proofs.has(id));
}

/** Stores a proof for each key. */
export async function noteKeys(tx: Transaction, keys: KeyRing, ids: readonly number[]): Promise<void> {
  for (const id of ids) {
    const proof = keys.seal(PROOF, boundTo(id), id).toString('base64');
    await tx.run('INSERT INTO settings(name, value) VALUES (?, ?) ON CONFLICT(name) DO NOTHING', [PREFIX + id, proof]);
  }
}

function fits(keys: KeyRing, id: number, proof: string): boolean {
  try {
    return keys.open(Buffer.from(proof, 'base64'), boundTo(id)).equals(PROOF);
  } catch {
    return false; // a key can be checked only by trying to decrypt with it
  }
}

function wrongKey(id: number, isPrimary: boolean): string {
  const name = isPrimary ? 'SVC_ENCRYPTION_KEY' : 'SVC_ENCRYPTION_PREVIOUS_KEYS';
  const hint = isPrimary
    ? '; a new key needs a new number (SVC_ENCRYPTION_KEY_ID), and the old one belongs into ' +
      'SVC_ENCRYPTION_PREVIOUS_KEYS'
    : '';
  return `${name}: key ${id} is not the one that this database knows as key ${id}${hint}`;
}
