export { copyStore, type CopiedTable } from './copy-store.ts';
