import { ServiceError } from '../../errors/index.ts';
import type { CollectionConfig } from './collection-config.ts';

/** What the rules between fields depend on, besides the configuration. */
export interface ConfigCapabilities {
  /** Whether a key for encryption at rest is configured. */
  readonly encryptionKey: boolean;
  /** Whether bodies can be stored outside of the database. */
  readonly bodies: boolean;
  /** Whether other processes read the data that this one stores. */
  readonly isNode?: boolean;
}

/** Throws if the fields of a merged configuration contradict each other, the server or this build. */
export function checkConfig(config: CollectionConfig,
  { encryptionKey, bodies, isNode = false }: ConfigCapabilities): void
{
  if (config.encrypted && !encryptionKey) {
    throw new ServiceError('invalid_argument',
      'encrypted needs an encryption key, and none is configured (SVC_ENCRYPTION_KEY)');
  }
  const { quantization } = config;
  if (config.diskOnlyVectors && quantization !== 'int8' && quantization !== 'int4') {
    throw new ServiceError('invalid_argument',
      `diskOnlyVectors needs quantization int8 or int4, got ${quantization ?? 'float32'}`);
  }
  checkBackend(config, bodies);
  if (isNode && config.storageBackend === 'memory')
    throw new ServiceError('invalid_argument',
      'storageBackend memory: several nodes share this database, and the memory of one is not that of the others; ' +
        'use boltdb or s3');
}

/** A collection must not lose writes to a place that does not exist. */
function checkBackend({ storageBackend = 'boltdb', storageConfig }: CollectionConfig, bodies: boolean): void {
  if (storageBackend === 's3') {
    const missing = (['endpoint', 'bucket'] as const).filter((field) => !storageConfig?.[field]);
    if (missing.length > 0)
      throw new ServiceError('missing_fields', `missing fields: ${
        missing.map((field) => `storageConfig.${field}`).join(', ')
      }`);
  }
  if (storageBackend !== 'boltdb' && !bodies) {
    throw new ServiceError('invalid_argument',
      `storageBackend ${storageBackend}: this server keeps bodies in its database only (boltdb)`);
  }
}
