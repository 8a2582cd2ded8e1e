import type { CodeSymbols, ExtractContext } from '../symbols/index.ts';

/** One source to read. The thread answers in order. */
export interface SymbolRequest extends ExtractContext {
  readonly language: string;
  readonly source: string;
}

export type SymbolAnswer = CodeSymbols;
