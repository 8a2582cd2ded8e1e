// The inverted index: everything that it exports. One memory holds one index. `inverted/layout.ts` draws the layout of
// its bytes; `src/search/inverted/README.md` explains from the top how it works.

import { getVarint, varintLength, varintValue } from './inverted/bytes.ts';
import { dropFromOrders } from './inverted/dictionary.ts';
import { lengthsOf, resizeDocuments } from './inverted/documents.ts';
import { dropForm } from './inverted/forms.ts';
import { FIRST_HEAP_PAGE, H_DEATHS, H_DOCS, H_FORMS, H_FREE_HINT, H_LAYOUT, H_MAGIC, H_NEW_FORMS, H_SCRATCH,
  H_TABLE_BLOCKS, H_TABLE_EXPANSIONS, H_TABLE_INDEX, H_TEXT_AT, HEADER, HEADER_END, LAYOUT, MAGIC, MAX_FORM, PAGE,
  PAGE_FREE, PAGE_KINDS, PAGE_LARGE, PAGE_SCRATCH, SINK } from './inverted/layout.ts';
import { R_DOCUMENTS, R_FIELDS, recordOf } from './inverted/records.ts';
import { B_NEW_FORMS, B_TABLES, buffer, reserve } from './inverted/scratch.ts';
import { addForm } from './inverted/tokens.ts';

// (The compiler finds re-exported files only without their extension.)
export { beginCompaction, compactStep, isCompacting } from './inverted/compaction';
export { askedAt, askedLength, divide, findForms, nextToDivide, openDivision } from './inverted/compounds/division';
export { frequencyIn, liveDocuments, liveDocumentsInField, mainField } from './inverted/counting';
export { addToOrders, collectKey, collectRange } from './inverted/dictionary';
export { allowClasses, classOf, documentOf, lengthOf, liveClasses, removeDocument } from './inverted/documents';
export { filterBytes, noteSteps, translateFilter } from './inverted/filters';
export { countForms, formsExist, postingsOf, sumForms } from './inverted/form-sets';
export { findForm, setKey } from './inverted/forms';
export { collectFuzzy } from './inverted/fuzzy';
export { clearGrouping, groupOf, joinGroup, leaveGroup, nextInGroup } from './inverted/groups';
export { haveForms } from './inverted/having';
export { beginCommit, beginDocument, continueCommit, finishCommit, openField } from './inverted/indexing';
export { openKept } from './inverted/kept-chunks';
export { clearLevel, countLevel, countMatches, dropLevelsFrom, intersect, keepClasses, keepCounted, matchAll,
  prepareLevels, subtract, unite } from './inverted/levels';
export { forgetLists, openLists } from './inverted/lists/arena';
export { askedBefore, keepMatches, recallMatches, remembers } from './inverted/lists/matches';
export { recallPositions } from './inverted/lists/positions';
export { countPassing, selectPruned } from './inverted/lists/pruning';
export { documentsIn, recall, recallBare } from './inverted/lists/recall';
export { matchLists, scoreList, selectFew, selectFromList } from './inverted/lists/scoring';
export { collectMatches } from './inverted/matching';
export { pack, unpack } from './inverted/packing';
export { scorePhrase, selectPhrase } from './inverted/phrase-matches';
export { findPhrase, keepPhrase } from './inverted/phrases';
export { formBytes, formExists, formLength } from './inverted/records';
export { features, orderReranked, rerankSelected } from './inverted/reranking';
export { countSums, finishRequire, scoreForm, scoreGroup, scoreSums, sumForm,
  sumFormDensely } from './inverted/scoring';
export { buffer, reserve } from './inverted/scratch';
export { clear, mergeSegment, noteDocument, openSegment, writeSegment } from './inverted/segments';
export { lookUpScores, orderSelected, selectByBits, selectByScore, selectedCount,
  selectGiven } from './inverted/selecting';
export { matchTallied, scoreTallied, selectTallied } from './inverted/tallies';
export { prepareTallies, tallyForms, tallyList } from './inverted/tallying';
export { hostStart, tokenizeText } from './inverted/tokenizer';

/** Makes an empty index in a memory of three pages that are all zero. */
export function initialize(): void {
  memory.fill(PAGE_KINDS, PAGE_LARGE, FIRST_HEAP_PAGE);
  store<u32>(H_MAGIC, MAGIC);
  store<u32>(H_LAYOUT, LAYOUT);
  store<u32>(H_FREE_HINT, FIRST_HEAP_PAGE);
  store<u32>(H_DOCS, SINK + 1);
  store<u32>(H_FORMS, 1);
  store<u32>(H_DEATHS, 1);
  resizeDocuments(256);
  store<f32>(lengthsOf(0), f32.POSITIVE_INFINITY);
  store<f32>(lengthsOf(1), f32.POSITIVE_INFINITY);
}

/**
 * Opens an index in a memory into which a checkpoint was read; a checkpoint has no scratch. Returns whether the index
 * can be opened.
 */
export function adopt(): bool {
  if (load<u32>(H_MAGIC) !== MAGIC || load<u32>(H_LAYOUT) !== LAYOUT) return false;
  memory.fill(H_SCRATCH, 0, HEADER_END - H_SCRATCH);
  const end = <u32>min(memory.size(), PAGE);
  for (let page = FIRST_HEAP_PAGE; page < end; page++) {
    if (load<u8>(PAGE_KINDS + page) === PAGE_SCRATCH) store<u8>(PAGE_KINDS + page, PAGE_FREE);
  }
  store<u32>(H_FREE_HINT, FIRST_HEAP_PAGE);
  return true;
}

/** Address of the tokeniser's tables: the host writes the blocks, the index and the expansions there, in this order. */
export function placeTables(blockBytes: u32, indexBytes: u32, expansionBytes: u32): usize {
  const at = reserve(B_TABLES, blockBytes + indexBytes + expansionBytes);
  store<u32>(H_TABLE_BLOCKS, <u32>at);
  store<u32>(H_TABLE_INDEX, <u32>at + blockBytes);
  store<u32>(H_TABLE_EXPANSIONS, <u32>at + blockBytes + indexBytes);
  return at;
}

/**
 * Adds tokens that the host made to the current field. Each is a varint position, a varint length and the UTF-8 of the
 * form. Positions do not descend.
 */
export function addTokens(at: usize, end: usize): void {
  while (at < end) {
    const position = getVarint(at);
    at += varintLength(position);
    const length = getVarint(at);
    at += varintLength(length);
    assert(varintValue(length) > 0 && varintValue(length) <= MAX_FORM && at + varintValue(length) <= end,
      'a token out of bounds');
    addForm(at, varintValue(length), varintValue(position));
    at += varintValue(length);
  }
}

/** The address where `tokenizeText` stopped. */
export function textAt(): usize {
  return load<u32>(H_TEXT_AT);
}

/** The forms that are new since `forgetNewForms`: u32 each. The host sets their keys and puts them in order. */
export function newForms(): usize {
  return buffer(B_NEW_FORMS);
}

export function newFormCount(): u32 {
  return load<u32>(H_NEW_FORMS);
}

export function forgetNewForms(): void {
  store<u32>(H_NEW_FORMS, 0);
}

/** Postings of a form, those of deleted documents included. */
export function postingCount(form: u32): u32 {
  return load<u32>(recordOf(form), R_DOCUMENTS);
}

/**
 * Bits of the fields in which a form may occur (the last bit is that of all further fields); it occurs in no other
 * field.
 */
export function formFields(form: u32): u32 {
  return load<u8>(recordOf(form), R_FIELDS);
}

/** Forgets a form that has no postings and is in no group. */
export function retireForm(form: u32): void {
  dropFromOrders(form);
  dropForm(form);
}

/** Address of the header, from which the host reads statistics and to which it writes parameters. */
export function header(): usize {
  return HEADER;
}
