export { chroma } from './chroma.ts';
export { lanceDb } from './lancedb.ts';
export { type HttpPeer, type RunningPeer, type Share, SHARES } from './peer.ts';
export { quire } from './quire.ts';
