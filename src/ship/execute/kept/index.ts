export { type KeptKind, KeptStore } from './kept-store.ts';
