export { type ListedObject, type ObjectPage, type ObjectStore, type StorageField,
  StoreFailure } from './object-store.ts';
export { PART_BYTES, putInParts, readPart } from './put-in-parts.ts';
export { type S3Settings, S3Store, type S3StoreOptions, targetOf } from './s3-store.ts';
