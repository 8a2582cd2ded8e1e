export { type CodeDocument, type CodeGraphEdge, type CodeGraphNode, type CodeLookups, walkCodeGraph } from './graph.ts';
export { codeLanguage, isCodeDocument } from './language.ts';
export { symbolsOf, SymbolsUnread } from './symbol-thread/symbol-reader.ts';
export { type CodeSymbols, type SourceDocument, SYMBOL_KEYS, withCodeSymbols } from './symbols/index.ts';
export { codeForms, tokenizeCode, tokenizeCodeInPieces } from './tokenize.ts';
