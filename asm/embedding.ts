// Vectors of texts as weighted sums of token vectors: BERT's WordPiece tokeniser, and the sum of what it finds. One memory
// holds a model, which nothing writes to once it is indexed, and a desk for each thread that works with it; how both lie, and
// who writes what, stands at embedding/layout.ts. A plain twin is src/kernels/embedding-twin.ts.

// (The compiler finds re-exported files without their ending only.)
export { deskBytes, directoryOf, foldPageBytes, layModel, modelEnd, outputOf, scalesAt, textRoom, tokensOf, vectorsAt, vocabularyAt } from './embedding/layout';
export { indexVocabulary } from './embedding/vocabulary';
export { tokenize } from './embedding/tokenizer';
export { sumTokens } from './embedding/sum';
