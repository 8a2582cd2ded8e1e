export { StoreFailure, type ListedObject, type ObjectPage, type ObjectStore, type StorageField } from './object-store.ts';
export { PART_BYTES, putInParts, readPart } from './put-in-parts.ts';
export { S3Store, targetOf, type S3Settings, type S3StoreOptions } from './s3-store.ts';
