// Decompresses bzip2. One memory holds one decoder; `bzip2/layout.ts` draws the layout of its bytes. The host appends
// compressed bytes to the input, calls `advance` until it requests more, and reads what `drain` writes.

// (The compiler finds re-exported files only without their extension.)
export { advance, begin, drain, inputAt, inputRoom, outputAt, outputRoom, release, streamsRead } from './bzip2/decoder';
