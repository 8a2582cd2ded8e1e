export { SymbolsUnread } from './symbol-reader.ts';
export { symbolsOf } from './symbols-of.ts';
