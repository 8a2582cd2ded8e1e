import type { Operations } from '../../../generated/docs/operations.ts';
import type { OutputOf } from '../../operations/index.ts';
import type { CollectionConfig } from './collection-config.ts';
import { maskCredential } from './credentials.ts';

/** A configuration as readers see it: defaults filled in, credentials masked. */
export type PresentedConfig = OutputOf<Operations, 'getCollectionConfig'>['config'];

const DEFAULTS = {
  type: 'default',
  description: '',
  icon: '',
  color: '',
  customMeta: {},
  storageBackend: 'boltdb',
  maxRevisions: 0,
  retrieval: {},
  responsePrompt: '',
  trackAccess: false,
  trackHot: false,
  spellCorrect: false,
  spellLang: '',
  quantization: 'float32',
  diskOnlyVectors: false,
  encrypted: false,
} as const satisfies CollectionConfig;

const STORAGE_DEFAULTS = { endpoint: '', bucket: '', region: '', accessKey: '', prefix: '', useTLS: false };

/** The response of `GET /v1/collection-config` (contract section 2): it never contains a credential. */
export function presentConfig(collection: string, config: CollectionConfig): PresentedConfig {
  const { storageConfig, wordpress, ...rest } = config;
  return {
    collection,
    ...DEFAULTS,
    ...rest,
    ...(storageConfig && { storageConfig: maskCredential('storageConfig', { ...STORAGE_DEFAULTS, ...storageConfig }) }),
    ...(wordpress && { wordpress: maskCredential('wordpress', { url: '', ...wordpress }) }),
  } as PresentedConfig;
}
