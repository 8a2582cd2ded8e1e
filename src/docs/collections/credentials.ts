type Block = Readonly<Record<string, unknown>>;

/** The blocks that hold a credential, the field of it, and the flag that tells readers whether it is set. */
const CREDENTIALS = {
  storageConfig: { field: 'secretKey', flag: 'secretKeySet' },
  wordpress: { field: 'apiKey', flag: 'apiKeySet' },
} as const;

type CredentialBlock = keyof typeof CREDENTIALS;

export function hasCredential(field: string): field is CredentialBlock {
  return Object.hasOwn(CREDENTIALS, field);
}

/**
 * The block as it is to be stored: an empty or absent credential keeps the stored one, so that a
 * client can write back what it read; the flag is output only.
 */
export function keepCredential(name: CredentialBlock, stored: Block | undefined, written: Block): Block {
  const { field, flag } = CREDENTIALS[name];
  const { [field]: given, [flag]: _flag, ...rest } = written;
  const credential = given || stored?.[field];
  return credential ? { ...rest, [field]: credential } : rest;
}

/** A block as readers see it: the credential empty, and beside it whether one is stored. */
export function maskCredential(name: CredentialBlock, block: Block): Block {
  const { field, flag } = CREDENTIALS[name];
  return { ...block, [field]: '', [flag]: Boolean(block[field]) };
}
