export { type CopiedTable, copyStore } from './copy-store.ts';
