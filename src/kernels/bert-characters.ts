// What BERT's tokeniser for lower case makes of single characters (tokenization.py of google-research/bert, `BasicTokenizer`):
// control characters go, white space separates, punctuation and Chinese characters are words by themselves, and everything else
// becomes lower case without accents. All of it is decided character by character, so that pages of it can be tables.

/** What becomes of a character. */
export interface FoldedCharacter {
  /** `removed` does not end a word; `single` is a word by itself. */
  readonly kind: 'removed' | 'space' | 'single' | 'word';
  /** Empty for what is removed or separates. */
  readonly text: string;
}

const REMOVED: FoldedCharacter = { kind: 'removed', text: '' };
const SPACE: FoldedCharacter = { kind: 'space', text: '' };

/** The blocks of Chinese characters, those for compatibility included; neither kana nor hangul. */
const CHINESE = /[\u4e00-\u9fff\u3400-\u4dbf\u{20000}-\u{2a6df}\u{2a700}-\u{2b73f}\u{2b740}-\u{2b81f}\u{2b820}-\u{2ceaf}\uf900-\ufaff\u{2f800}-\u{2fa1f}]/u;
/** ASCII that is neither letter, digit nor space counts, whatever Unicode calls it. */
const PUNCTUATION = /[\p{P}!-/:-@[-`{-~]/u;
const CONTROL = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\ufffd]/u;

export function foldCharacter(codePoint: number): FoldedCharacter {
  const character = String.fromCodePoint(codePoint);
  if (character === '\t' || character === '\n' || character === '\r') return SPACE;
  if (CONTROL.test(character)) return REMOVED;
  if (/\s/.test(character)) return SPACE;
  // One by one, a capital sigma is never one at the end of a word.
  const text = character.toLowerCase().normalize('NFD').replace(/\p{Mn}/gu, '');
  if (text === '') return REMOVED;
  return { kind: CHINESE.test(character) || PUNCTUATION.test(text) ? 'single' : 'word', text };
}

/** Bytes of a character in a page: its class, the number of bytes, the bytes. */
const ENTRY = 16;
const PAGE = 256;

/** What becomes of 256 characters, as the kernel reads it: classes are 0 removed, 1 space, 2 single, and 2 + its characters for the rest. */
export function foldPage(page: number): Uint8Array {
  const bytes = new Uint8Array(PAGE * ENTRY);
  for (let i = 0; i < PAGE; i++) {
    const { kind, text } = foldCharacter(page * PAGE + i);
    bytes[i * ENTRY] = kind === 'removed' ? 0 : kind === 'space' ? 1 : kind === 'single' ? 2 : 2 + [...text].length;
    bytes[i * ENTRY + 1] = new TextEncoder().encodeInto(text, bytes.subarray(i * ENTRY + 2, (i + 1) * ENTRY)).written;
  }
  return bytes;
}
