export { type CodeDocument, type CodeGraph, type CodeGraphDirection, type CodeGraphEdge, type CodeGraphNode,
  type CodeGraphOptions, type CodeLookups, walkCodeGraph } from './graph.ts';
export { codeLanguage, codePath, isCodeDocument } from './language.ts';
export { symbolsOf, SymbolsUnread } from './symbol-thread/symbol-reader.ts';
export { type CodeSymbols, type ExtractContext, extractSymbols, type SourceDocument, SYMBOL_KEYS,
  withCodeSymbols } from './symbols/index.ts';
export { codeForms, tokenizeCode, tokenizeCodeInPieces } from './tokenize.ts';
