// BERT's tokeniser: characters are folded one by one (lower case, without accents; the host decides which characters
// are removed, which separate words, and which are words by themselves), and each word is cut into the longest tokens
// from its beginning on ("WordPiece": Wu et al., arXiv:1609.08144; greedy as in BERT's tokenization.py).

import { directoryOf, FOLD_BYTES, H_LONGEST, H_UNKNOWN, hashesOf, textRoom, tokensOf, WORD_CHARACTERS,
  wordOf } from './layout.ts';
import { find, hashOf, NONE, seedOf } from './vocabulary.ts';

/** Classes of characters, as in src/kernels/bert-characters.ts. */
const REMOVED: u8 = 0;
const SPACE: u8 = 1;
const SINGLE: u8 = 2;

/** Set in the result of `tokenize` if a page of folds is missing; the other bits are the number of the page. */
export const MISSING: u32 = 0x8000_0000;

/**
 * Writes the ids of a text of `length` bytes of valid UTF-8 at the beginning of the desk, and returns their number. If
 * a page of folds is missing it returns 0x80000000 + its number: the host makes the page and calls again.
 */
export function tokenize(desk: usize, length: u32): u32 {
  assert(<usize>length <= textRoom(), 'the text is longer than the desk');
  const ids = tokensOf(desk);
  const word = wordOf(desk);
  const hashes = hashesOf(desk);
  const directory = directoryOf(desk);
  const ascii = <usize>load<u32>(directory);
  if (ascii === 0) return MISSING;
  const end = desk + length;
  let out = ids;
  let bytes: usize = 0; // of the word so far
  let characters: u32 = 0;
  for (let at = desk; at < end;) {
    let fold: usize;
    const lead = <u32>load<u8>(at);
    if (lead < 0x80) {
      fold = ascii + <usize>lead * FOLD_BYTES;
      at++;
    } else {
      const codePoint = codePointAt(at, lead);
      const page = <usize>load<u32>(directory + <usize>(codePoint >>> 8) * 4);
      if (page === 0) return MISSING | (codePoint >>> 8);
      fold = page + <usize>(codePoint & 0xff) * FOLD_BYTES;
      at += widthOf(lead);
    }
    const kind = load<u8>(fold);
    if (kind > SINGLE) {
      if (characters < WORD_CHARACTERS) {
        const width = <usize>load<u8>(fold + 1);
        if (width === 1) store<u8>(word + bytes, load<u8>(fold + 2));
        else memory.copy(word + bytes, fold + 2, width);
        bytes += width;
      }
      characters += kind - SINGLE; // the class includes the number of characters that it becomes
      continue;
    }
    if (kind === REMOVED) continue;
    if (characters > 0) out = addWord(out, word, <u32>bytes, characters, hashes);
    bytes = 0;
    characters = 0;
    if (kind !== SPACE) out = addWord(out, fold + 2, <u32>load<u8>(fold + 1), 1, hashes);
  }
  if (characters > 0) out = addWord(out, word, <u32>bytes, characters, hashes);
  return <u32>((out - ids) >> 2);
}

/** Bytes of a non-ASCII character, by its first byte. */
export function widthOf(lead: u32): usize {
  return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

/** The code point of a non-ASCII character, by its first byte. */
export function codePointAt(at: usize, lead: u32): u32 {
  const second = <u32>load<u8>(at + 1) & 0x3f;
  if (lead < 0xe0) return ((lead & 0x1f) << 6) | second;
  const third = <u32>load<u8>(at + 2) & 0x3f;
  if (lead < 0xf0) return ((lead & 0x0f) << 12) | (second << 6) | third;
  return ((lead & 0x07) << 18) | (second << 12) | (third << 6) | (<u32>load<u8>(at + 3) & 0x3f);
}

/** Writes the tokens of a word, or the unknown token, and returns the end of them. */
function addWord(out: usize, word: usize, length: u32, characters: u32, hashes: usize): usize {
  const first = out;
  const longest = load<u32>(H_LONGEST);
  if (characters <= WORD_CHARACTERS) {
    let start: u32 = 0;
    while (start < length) {
      const continues: bool = start > 0;
      const most = min(length - start, longest);
      let hash = seedOf(continues);
      for (let i: u32 = 0; i < most; i++) {
        hash = hashOf(hash, load<u8>(word + start + i));
        store<u32>(hashes + (<usize>i << 2), hash);
      }
      let token = NONE;
      let size = most;
      for (; size > 0; size--) {
        // Not within a character.
        if (start + size < length && (load<u8>(word + start + size) & 0xc0) === 0x80) continue;
        token = find(word + start, size, load<u32>(hashes + (<usize>(size - 1) << 2)), continues);
        if (token !== NONE) break;
      }
      if (token === NONE) break;
      store<u32>(out, token);
      out += 4;
      start += size;
    }
    if (start >= length) return out;
  }
  store<u32>(first, load<u32>(H_UNKNOWN));
  return first + 4;
}
