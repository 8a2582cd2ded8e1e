import { isSealedText, type KeyRing } from '../../storage/index.ts';
import { requireSecret } from '../require-secret.ts';
import type { CollectionConfig } from './collection-config.ts';

type Block = Readonly<Record<string, unknown>>;

/**
 * The blocks that contain a credential: its field, the field of the address to which it is sent, and the flag that tells readers whether it
 * is set.
 */
const CREDENTIALS = {
  storageConfig: { field: 'secretKey', target: 'endpoint', flag: 'secretKeySet' },
  wordpress: { field: 'apiKey', target: 'url', flag: 'apiKeySet' },
} as const;

type CredentialBlock = keyof typeof CREDENTIALS;

export function hasCredential(field: string): field is CredentialBlock {
  return Object.hasOwn(CREDENTIALS, field);
}

/** The block to store: an empty or absent credential keeps the stored one, for the address for which it was given. The flag is output only. */
export function keepCredential(name: CredentialBlock, stored: Block | undefined, written: Block): Block {
  const { field, target, flag } = CREDENTIALS[name];
  const { [field]: given, [flag]: _flag, ...rest } = written;
  const valuesOf = (block: Block = {}) => ({ secret: block[field] as string | undefined, target: block[target] as string | undefined });
  requireSecret({ secret: `${name}.${field}`, target: `${name}.${target}` }, valuesOf(stored), valuesOf(written));
  const credential = given || stored?.[field];
  return credential ? { ...rest, [field]: credential } : rest;
}

/** A block as readers see it: the credential is empty, and a flag says whether one is stored. */
export function maskCredential(name: CredentialBlock, block: Block): Block {
  const { field, flag } = CREDENTIALS[name];
  return { ...block, [field]: '', [flag]: Boolean(block[field]) };
}

/** A configuration as it is stored: its credentials encrypted if the server has keys. */
export function sealCredentials(name: string, config: CollectionConfig, keys: KeyRing | undefined): CollectionConfig {
  return keys === undefined ? config : withCredentials(config, (secret, block) => keys.seal(Buffer.from(secret, 'utf8'), boundTo(name, block)).toString('base64'));
}

/**
 * The inverse of `sealCredentials`. Throws `internal` for a key that is not configured. An unencrypted credential was stored before there
 * were keys.
 */
export function openCredentials(name: string, config: CollectionConfig, keys: KeyRing | undefined): CollectionConfig {
  if (keys === undefined) return config;
  return withCredentials(config, (secret, block) => (isSealedText(secret) ? keys.open(Buffer.from(secret, 'base64'), boundTo(name, block)).toString('utf8') : secret));
}

/** Whether a configuration contains a credential. */
export function hasCredentials(config: CollectionConfig): boolean {
  return BLOCKS.some((block) => Boolean((config[block] as Block | undefined)?.[CREDENTIALS[block].field]));
}

const BLOCKS = Object.keys(CREDENTIALS) as CredentialBlock[];

const boundTo = (name: string, block: CredentialBlock): string => `\0collection-config\0${name}\0${block}`;

function withCredentials(config: CollectionConfig, change: (secret: string, block: CredentialBlock) => string): CollectionConfig {
  const changed = BLOCKS.flatMap((name) => {
    const block = config[name] as Block | undefined;
    const { field } = CREDENTIALS[name];
    return block?.[field] ? [[name, { ...block, [field]: change(block[field] as string, name) }] as const] : [];
  });
  return { ...config, ...Object.fromEntries(changed) };
}
