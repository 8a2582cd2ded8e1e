// Finds the words of a text, and which of them are in a set of forms, for highlights. One memory holds the tables of
// the tokeniser, one set of forms and one text; `marks/scan.ts` describes the parts and the layout of the bytes.

import { H_TABLE_BLOCKS, H_TABLE_EXPANSIONS, H_TABLE_INDEX } from './inverted/layout.ts';

// (The compiler finds re-exported files only without their extension.)
export { hostStart } from './inverted/tokenizer';
export { addForm, addWord, beginText, clearList, countLines, findLines, firstPlace, listPiece, markCount, openSet,
  scanPiece, wordCount } from './marks/scan';

/** Sets the addresses of the tokeniser's tables, which the host has written. */
export function useTables(blocks: usize, index: usize, expansions: usize): void {
  store<u32>(H_TABLE_BLOCKS, <u32>blocks);
  store<u32>(H_TABLE_INDEX, <u32>index);
  store<u32>(H_TABLE_EXPANSIONS, <u32>expansions);
}
