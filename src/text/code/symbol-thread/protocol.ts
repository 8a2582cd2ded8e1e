import type { CodeSymbols, ExtractContext } from '../symbols/index.ts';

/** A source to read. The thread replies in order. */
export interface SymbolRequest extends ExtractContext {
  readonly language: string;
  readonly source: string;
}

export type SymbolAnswer = CodeSymbols;
