import { requireSecret } from '../require-secret.ts';

type Block = Readonly<Record<string, unknown>>;

/** The blocks that hold a credential, the field of it, where it is sent, and the flag that tells readers whether it is set. */
const CREDENTIALS = {
  storageConfig: { field: 'secretKey', target: 'endpoint', flag: 'secretKeySet' },
  wordpress: { field: 'apiKey', target: 'url', flag: 'apiKeySet' },
} as const;

type CredentialBlock = keyof typeof CREDENTIALS;

export function hasCredential(field: string): field is CredentialBlock {
  return Object.hasOwn(CREDENTIALS, field);
}

/**
 * The block as it is to be stored: an empty or absent credential keeps the stored one for the address that it was
 * given for; the flag is output only.
 */
export function keepCredential(name: CredentialBlock, stored: Block | undefined, written: Block): Block {
  const { field, target, flag } = CREDENTIALS[name];
  const { [field]: given, [flag]: _flag, ...rest } = written;
  const valuesOf = (block: Block = {}) => ({ secret: block[field] as string | undefined, target: block[target] as string | undefined });
  requireSecret({ secret: `${name}.${field}`, target: `${name}.${target}` }, valuesOf(stored), valuesOf(written));
  const credential = given || stored?.[field];
  return credential ? { ...rest, [field]: credential } : rest;
}

/** A block as readers see it: the credential empty, and beside it whether one is stored. */
export function maskCredential(name: CredentialBlock, block: Block): Block {
  const { field, flag } = CREDENTIALS[name];
  return { ...block, [field]: '', [flag]: Boolean(block[field]) };
}
