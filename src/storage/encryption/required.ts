import { unreadable } from './record.ts';

/** Prefix of the setting that records an unfinished switch of encryption; the collection's name follows. */
export const SWITCH_PREFIX = 'encryption_switch:';

/**
 * The collections whose values must all be encrypted: encrypted ones, unless their earlier values are still being
 * encrypted. A plaintext value there was inserted by someone who can write to the file and has no key.
 */
const REQUIRED = `
  FROM main.collections c JOIN main.collection_configs f ON f.collection = c.name
  WHERE f.config ->> '$.encrypted' = 1 AND NOT EXISTS (
    SELECT 1 FROM main.settings s WHERE s.name = '${SWITCH_PREFIX}' || c.name AND s.value IN ('seal', 'reseal'))`;

/**
 * Condition in SQL: values of a collection, by an expression for its id, must be encrypted. Evaluated once for each
 * statement, for those that read many rows.
 */
export const MUST_BE_SEALED = (cid: string): string => `${cid} IN (SELECT c.id ${REQUIRED})`;

/** As above, but evaluated for each row: for statements that read few. */
export const ROW_MUST_BE_SEALED = (cid: string): string => `EXISTS (SELECT 1 ${REQUIRED} AND c.id = ${cid})`;

/** The lowercased names of those collections. */
export const NAMES_TO_BE_SEALED = `SELECT c.name AS collection ${REQUIRED}`;

/** Throws for a plaintext value that must be encrypted. */
export function refusePlaintext(): never {
  throw unreadable('it lies in the clear, although its collection is encrypted');
}
