import { ServiceError } from '../../errors/index.ts';
import type { CollectionConfig } from './collection-config.ts';

/** What the rules between fields depend on beside the configuration. */
export interface ConfigCapabilities {
  /** Whether a key for encryption at rest is configured. */
  readonly encryptionKey: boolean;
}

/** Throws where the fields of a merged configuration contradict each other (D-42), the server (D-43) or this build. */
export function checkConfig(config: CollectionConfig, { encryptionKey }: ConfigCapabilities): void {
  if (config.encrypted && !encryptionKey) {
    throw new ServiceError('invalid_argument', 'encrypted needs an encryption key, and none is configured (SVC_ENCRYPTION_KEY)');
  }
  const { quantization } = config;
  if (config.diskOnlyVectors && quantization !== 'int8' && quantization !== 'int4') {
    throw new ServiceError('invalid_argument', `diskOnlyVectors needs quantization int8 or int4, got ${quantization ?? 'float32'}`);
  }
  checkBackend(config);
}

/** The local database is the only place for bodies so far; a collection must not lose writes to one that is not there. */
function checkBackend({ storageBackend = 'boltdb', storageConfig }: CollectionConfig): void {
  if (storageBackend === 's3') {
    const missing = (['endpoint', 'bucket'] as const).filter((field) => !storageConfig?.[field]);
    if (missing.length > 0) throw new ServiceError('missing_fields', `missing fields: ${missing.map((field) => `storageConfig.${field}`).join(', ')}`);
  }
  if (storageBackend !== 'boltdb') {
    throw new ServiceError('not_implemented', `storageBackend ${storageBackend} is not implemented: bodies are kept in the local database only (boltdb)`);
  }
}
