// Vectors of texts as weighted sums of token vectors: BERT's WordPiece tokeniser for English, a unigram tokeniser for
// other languages, and the sum of the vectors of their tokens. One memory holds a model, which is read-only once it is
// indexed, and a desk (working memory) for each thread that uses it. embedding/layout.ts describes the layout of both,
// and which thread writes what. src/kernels/embedding-twin.ts and piece-twin.ts are the plain twins.

// (The compiler finds re-exported files only without their extension.)
export { classesOf, clearDesk, deskBytes, directoryOf, laidPieces, layModel, modelEnd, outputOf, pieceEnglishAt,
  pieceLinesAt, pieceResultsOf, roundedOf, scalesAt, setLaidPieces, textRoom, tokensOf, vectorsAt,
  vocabularyAt } from './embedding/layout';
export { matchTokens, measureVectors, prepareQuery } from './embedding/match';
export { indexPieces } from './embedding/pieces';
export { roundVector } from './embedding/round';
export { sumTokens } from './embedding/sum';
export { tokenize } from './embedding/tokenizer';
export { tokenizePieces } from './embedding/unigram';
export { unpackRows } from './embedding/unpack';
export { indexVocabulary } from './embedding/vocabulary';
