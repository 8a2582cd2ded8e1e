// Decompresses bzip2. One memory holds one decoder; how its bytes lie is told in `bzip2/layout.ts`. The host writes
// compressed bytes behind those that are there, calls `advance` until it asks for more, and takes what `drain` writes.

// (The compiler finds re-exported files without their ending only.)
export { advance, begin, drain, inputAt, inputRoom, outputAt, outputRoom, release, streamsRead } from './bzip2/decoder';
