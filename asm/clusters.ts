// Clusters of the rows of a segment, and the structures on them: inverted files and product quantization. Everything
// that the module exports. Training works on matrices in a separate memory, whose header is that of a segment
// without rows; see `src/search/vector/clusters/`.

// (The compiler finds re-exported files only without their extension.)
export { addToBook, bookBiases, bookBytes, bookCentroidBytes, bookCentroids, bookCodes, bookDone, bookRotation,
  codeBlockRows, createBook, releaseBook, restoreBookDone } from './clusters/codebook';
export { assign, moveCentroids, rowBytes, seedCentroids, seedPoints } from './clusters/kmeans';
export { addToLists, copyList, createLists, listCount, listLength, listsBytes, listsCentroidBytes, listsCentroids,
  listsDone, releaseLists, restoreList, restoreListsDone, searchLists } from './clusters/lists';
export { multiply, multiplyVector, packedBytes, packMatrix } from './clusters/matrix';
export { addCorrelation, beginOrthogonal, orthogonalStep, squareBytes, squareStride } from './clusters/rotation';
export { searchBook } from './clusters/scan';
export { makeIdentity, multiplySquare, normalizeRows, putCentroids, rotateRows,
  takeColumns } from './clusters/training';
export { isLive, vectorOf } from './vector/rows';
