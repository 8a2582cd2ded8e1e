import { ConfigError } from '../../lib/setting-values.ts';
import type { KeyRing } from './key-ring.ts';
import { isSealedText } from './record.ts';

/**
 * A column of text with credentials that users have stored. It is encrypted if the server has keys, whatever the
 * collection: a value is encrypted before it is written, so that neither the database, its log, the binlog nor a backup
 * ever contains it.
 */
export interface SecretColumn {
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
export function changeParts(parts: readonly SecretPart[], json: string,
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
