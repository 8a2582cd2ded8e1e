import { unreadable } from './record.ts';

/** What the settings name a switch of encryption by that is not finished, before the collection's name. */
export const SWITCH_PREFIX = 'encryption_switch:';

/**
 * The collections whose values all have to be sealed: encrypted ones, unless what they held before is still being sealed. A
 * value in the clear there was put in by somebody else, who can write to the file and has no key.
 */
const REQUIRED = `
  FROM main.collections c JOIN main.collection_configs f ON f.collection = c.name
  WHERE f.config ->> '$.encrypted' = 1 AND NOT EXISTS (
    SELECT 1 FROM main.settings s WHERE s.name = '${SWITCH_PREFIX}' || c.name AND s.value IN ('seal', 'reseal'))`;

/** Condition in SQL: that values of a collection, by an expression for its id, have to be sealed. Looked up once for each statement, for those that read many rows. */
export const MUST_BE_SEALED = (cid: string): string => `${cid} IN (SELECT c.id ${REQUIRED})`;

/** The same, looked up for each row: for statements that read few. */
export const ROW_MUST_BE_SEALED = (cid: string): string => `EXISTS (SELECT 1 ${REQUIRED} AND c.id = ${cid})`;

/** The names of those collections, in lower case. */
export const NAMES_TO_BE_SEALED = `SELECT c.name AS collection ${REQUIRED}`;

/** Throws for a value in the clear that has to be sealed. */
export function refusePlaintext(): never {
  throw unreadable('it lies in the clear, although its collection is encrypted');
}
