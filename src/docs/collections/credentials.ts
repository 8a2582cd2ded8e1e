import { type KeyRing, openSecret, sealSecret, type SecretPart, SECRETS } from '../../storage/index.ts';
import { keepQuery, requireSecret, shownUrl } from '../secrets.ts';
import type { CollectionConfig } from './collection-config.ts';

type Block = Readonly<Record<string, unknown>>;

/**
 * The blocks that contain a credential: its field, the field of the address to which it is sent, and the flag that
 * tells readers whether it is set.
 */
const CREDENTIALS = {
  storageConfig: { field: 'secretKey', target: 'endpoint', flag: 'secretKeySet' },
  wordpress: { field: 'apiKey', target: 'url', flag: 'apiKeySet' },
} as const;

type CredentialBlock = keyof typeof CREDENTIALS;

export function hasCredential(field: string): field is CredentialBlock {
  return Object.hasOwn(CREDENTIALS, field);
}

/**
 * The block to store: an empty or absent credential keeps the stored one, for the address for which it was given. The
 * flag is output only.
 */
export function keepCredential(name: CredentialBlock, stored: Block | undefined, written: Block): Block {
  const { field, target, flag } = CREDENTIALS[name];
  const { [field]: given, [flag]: _flag, ...others } = written;
  const to = others[target];
  const rest = typeof to === 'string'
    ? { ...others, [target]: keepQuery(stored?.[target] as string | undefined, to) }
    : others;
  const valuesOf = (block: Block = {}) => ({
    secret: block[field] as string | undefined,
    target: block[target] as string | undefined,
  });
  requireSecret({ secret: `${name}.${field}`, target: `${name}.${target}` }, valuesOf(stored), {
    ...valuesOf(rest),
    secret: given as string | undefined,
  });
  const credential = given || stored?.[field];
  return credential ? { ...rest, [field]: credential } : rest;
}

/**
 * A block as readers see it: the credential is empty, a flag says whether one is stored, and the address is shown
 * without its query.
 */
export function maskCredential(name: CredentialBlock, block: Block): Block {
  const { field, target, flag } = CREDENTIALS[name];
  return {
    ...block,
    [target]: shownUrl((block[target] as string | undefined) ?? ''),
    [field]: '',
    [flag]: Boolean(block[field]),
  };
}

/** A configuration as it is stored: its credentials encrypted if the server has keys. */
export function sealCredentials(name: string, config: CollectionConfig, keys: KeyRing | undefined): CollectionConfig {
  return withCredentials(config, (part, text) => sealSecret(keys, part, name, text));
}

/** The inverse of `sealCredentials`. Throws as `openSecret` does. */
export function openCredentials(name: string, config: CollectionConfig, keys: KeyRing | undefined): CollectionConfig {
  return withCredentials(config, (part, text) => openSecret(keys, part, name, text));
}

function withCredentials(config: CollectionConfig,
  change: (part: SecretPart, text: string) => string): CollectionConfig
{
  let changed: Readonly<Record<string, unknown>> = { ...config };
  for (const part of SECRETS.collectionConfig.parts) {
    const block = changed[part.block] as Block | undefined;
    if (block?.[part.field])
      changed = { ...changed, [part.block]: { ...block, [part.field]: change(part, block[part.field] as string) } };
  }
  return changed;
}
