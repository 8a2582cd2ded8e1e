export { hybridAlphaOf } from './collection-config.ts';
export type { CollectionConfig, Retrieval } from './collection-config.ts';
export { type Collections, createCollections, endSwitch, type PendingSwitch, readSwitches } from './collections.ts';
export { ConfigCache } from './config-rows.ts';
export { endFilling, readUnfilled } from './unfilled.ts';
export { declaredField, fieldOfSpace, isSupplied, SERVER_FIELD, spaceOfField, spacesOf, type VectorField,
  type VectorFields } from './vector-fields.ts';
