export { createCollections, type Collections } from './collections.ts';
export { hybridAlphaOf } from './collection-config.ts';
export type { CollectionConfig, Retrieval, StorageBackend, StorageConfig, WordPress } from './collection-config.ts';
export { endSwitch, readSwitches, type PendingSwitch } from './encryption-switch.ts';
export type { ConfigChanges } from './merge-config.ts';
