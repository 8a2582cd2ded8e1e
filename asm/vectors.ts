// Vectors of one segment: everything that the module exports. `vector/memory.ts` and `vector/rows.ts` draw the layout
// of the bytes; `src/search/vector/README.md` explains searches.

// (The compiler finds re-exported files only without their extension.)
export { codedQueryBytes, encodeQuery, scanCodes } from './vector/code-scan';
export { codeBlockBytes, codesBytes, encodeCodes, encodingBytes, placeCodes, trainCodes } from './vector/codes';
export { dot, l2sq } from './vector/distance';
export { allocate, allocateScratch, release, roomFor } from './vector/memory';
export { blockOf, blockRows, chunkOf, initialize, inverseNormOf, isLive, kill, makeRoom, ordOf, rowCount, strideOf,
  vectorOf } from './vector/rows';
export { exactScore, exactScoreOf, exactScores, preparedQueryBytes, prepareQuery, rescore, scan,
  scoreRow } from './vector/scanning';
export { documentStart, selectRows } from './vector/selection';
export { areScored, hasEnded, openSharedScan, scanParts, scoreInto, sharedScanBytes } from './vector/shared-scan';
export { decodeVector, encodeVector, queryBytes } from './vector/stored';
export { absorb, closeHeap, drainHeap, entriesOf, heapBytes, heldBy, openHeap } from './vector/topk';
export { addRounded, addRow, meanOfRows, publish } from './vector/writing';
