export { hybridAlphaOf } from './collection-config.ts';
export type { CollectionConfig, Retrieval, StorageBackend, StorageConfig, WordPress } from './collection-config.ts';
export { type Collections, createCollections } from './collections.ts';
export { ConfigCache } from './config-cache.ts';
export { endSwitch, type PendingSwitch, readSwitches } from './encryption-switch.ts';
export type { ConfigChanges } from './merge-config.ts';
