export { KeptStore, type KeptKind } from './kept-store.ts';
