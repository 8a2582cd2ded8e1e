// Finds the words of a text, and which of them are among some forms: what highlights are made from. One memory holds the
// tables of the tokeniser, one set of forms and one text; the parts, and how the bytes lie, are told in `marks/scan.ts`.

import { H_TABLE_BLOCKS, H_TABLE_EXPANSIONS, H_TABLE_INDEX } from './inverted/layout.ts';

// (The compiler finds re-exported files without their ending only.)
export { addForm, addWord, beginText, clearList, countLines, findLines, firstPlace, listPiece, markCount, openSet, scanPiece, wordCount } from './marks/scan';
export { hostStart } from './inverted/tokenizer';

/** Says where the tokeniser's tables lie, which the host has written. */
export function useTables(blocks: usize, index: usize, expansions: usize): void {
  store<u32>(H_TABLE_BLOCKS, <u32>blocks);
  store<u32>(H_TABLE_INDEX, <u32>index);
  store<u32>(H_TABLE_EXPANSIONS, <u32>expansions);
}
