import { ConfigError } from '../../lib/setting-values.ts';
import type { Row, Sql, Transaction } from '../port.ts';
import type { KeyRing } from './key-ring.ts';
import { isSealedText } from './record.ts';
import { SWITCH_PREFIX } from './required.ts';
import { HEAD_CHARS, keyIdOfText } from './stored-values.ts';

/**
 * A column of text with credentials that users have stored. It is encrypted if the server has keys, whatever the
 * collection: a value is encrypted before it is written, so that neither the database, its log, the binlog nor a backup
 * ever contains it.
 */
interface SecretColumn {
  readonly table: string;
  /** The column that names a row. */
  readonly id: string;
  readonly column: string;
  /** The additional data that binds a value to its row. */
  readonly place: (id: string) => string;
  /**
   * Credentials in a column of JSON whose other values stay readable, by their paths; absent if the whole column is
   * encrypted.
   */
  readonly parts?: readonly SecretPart[];
}

/** A text in an object of a column of JSON. */
export interface SecretPart {
  readonly block: string;
  readonly field: string;
  readonly place: (id: string) => string;
}

const CONFIG = '\0collection-config\0';

export const SECRETS = {
  embeddingKey: { table: 'embedding_configs', id: 'id', column: 'api_key', place: (id) => `\0embedding-key\0${id}` },
  embeddingUrl: { table: 'embedding_configs', id: 'id', column: 'api_url', place: (id) => `\0embedding-url\0${id}` },
  webhookSecret: { table: 'webhooks', id: 'id', column: 'secret', place: (id) => `\0webhook\0${id}` },
  webhookUrl: { table: 'webhooks', id: 'id', column: 'url', place: (id) => `\0webhook-url\0${id}` },
  ruleSecret: { table: 'automation_rules', id: 'id', column: 'secret', place: (id) => `\0automation\0${id}` },
  /** URLs and headers, with all else that the client sent. */
  rule: { table: 'automation_rules', id: 'id', column: 'body', place: (id) => `\0automation-rule\0${id}` },
  /** Each entry names a URL. */
  ruleLog: { table: 'automation_logs', id: 'delivery', column: 'entry', place: (id) => `\0automation-log\0${id}` },
  callbackUrl: { table: 'bulk_jobs', id: 'id', column: 'callback_url', place: (id) => `\0callback\0${id}` },
  /** Not credentials, but encrypted like them; see `sealMeta`. */
  jobErrors: { table: 'bulk_jobs', id: 'id', column: 'errors', place: (id) => `\0meta\0|${id}` },
  jobError: { table: 'bulk_jobs', id: 'id', column: 'error', place: (id) => `\0job-error\0${id}` },
  bodyStore: { table: 'body_stores', id: 'token', column: 'config', place: (token) => `\0body-store\0${token}` },
  collectionConfig: {
    table: 'collection_configs',
    id: 'collection',
    column: 'config',
    place: (name) => CONFIG + name,
    parts: [{ block: 'storageConfig', field: 'secretKey', place: (name) => `${CONFIG}${name}\0storageConfig` }, {
      block: 'wordpress',
      field: 'apiKey',
      place: (name) => `${CONFIG}${name}\0wordpress`,
    }, { block: 'wordpress', field: 'url', place: (name) => `${CONFIG}${name}\0wordpress-url` }],
  },
} as const satisfies Readonly<Record<string, SecretColumn>>;

type Place = (id: string) => string;

/** The text to store for a row; the text itself if it is empty or there are no keys. */
export function sealSecret(keys: KeyRing | undefined, { place }: { readonly place: Place }, id: string,
  text: string): string
{
  return keys === undefined || text === '' ? text : keys.seal(Buffer.from(text, 'utf8'), place(id)).toString('base64');
}

/**
 * The inverse; an unencrypted text was stored before there were keys. Throws `ConfigError` for an encrypted one if
 * there are no keys, and `internal` if its key is not configured.
 */
export function openSecret(keys: KeyRing | undefined, { place }: { readonly place: Place }, id: string,
  stored: string): string
{
  if (!isSealedText(stored)) return stored;
  if (keys === undefined)
    throw new ConfigError(['SVC_ENCRYPTION_KEY: required, since credentials in this database are encrypted']);
  return keys.open(Buffer.from(stored, 'base64'), place(id)).toString('utf8');
}

/** A column of JSON with its parts replaced, those that are there. */
function changeParts(parts: readonly SecretPart[], json: string,
  change: (part: SecretPart, text: string) => string): string
{
  const value = JSON.parse(json) as Record<string, Record<string, unknown> | undefined>;
  for (const part of parts) {
    const block = value[part.block];
    const text = block?.[part.field];
    if (typeof text === 'string' && text !== '') block![part.field] = change(part, text);
  }
  return JSON.stringify(value);
}

/** Rows of one transaction: all other writes wait for it. */
const BATCH_ROWS = 200;

/**
 * Name of the setting that says that the file has to be rewritten, because it contains credentials from before they
 * were encrypted.
 */
const SCRUB_SECRETS = SWITCH_PREFIX;

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
