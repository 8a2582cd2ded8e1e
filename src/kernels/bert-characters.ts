// How BERT's lower-case tokeniser maps single characters (tokenization.py of google-research/bert, `BasicTokenizer`):
// control characters are removed, white space separates words, punctuation and Chinese characters are words by
// themselves, and all others become lower case without accents. Each character is mapped independently, so that pages
// of characters can be tables.

/** The mapping of a character. */
interface FoldedCharacter {
  /** `removed` does not end a word; `single` is a word by itself. */
  readonly kind: 'removed' | 'space' | 'single' | 'word';
  /** Empty for removed characters and spaces. */
  readonly text: string;
}

const REMOVED: FoldedCharacter = { kind: 'removed', text: '' };
const SPACE: FoldedCharacter = { kind: 'space', text: '' };

/** The blocks of Chinese characters, including those for compatibility; neither kana nor hangul. */
const CHINESE =
  /[\u4e00-\u9fff\u3400-\u4dbf\u{20000}-\u{2a6df}\u{2a700}-\u{2b73f}\u{2b740}-\u{2b81f}\u{2b820}-\u{2ceaf}\uf900-\ufaff\u{2f800}-\u{2fa1f}]/u;
/** All ASCII except letters, digits and space counts, whatever its Unicode category. */
const PUNCTUATION = /[\p{P}!-/:-@[-`{-~]/u;
const CONTROL = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\ufffd]/u;

export function foldCharacter(codePoint: number): FoldedCharacter {
  const character = String.fromCodePoint(codePoint);
  if (character === '\t' || character === '\n' || character === '\r') return SPACE;
  if (CONTROL.test(character)) return REMOVED;
  if (/\s/.test(character)) return SPACE;
  // A single character is never at the end of a word, so a capital sigma becomes σ, not ς.
  const text = character.toLowerCase().normalize('NFD').replace(/\p{Mn}/gu, '');
  if (text === '') return REMOVED;
  return { kind: CHINESE.test(character) || PUNCTUATION.test(text) ? 'single' : 'word', text };
}

/** Bytes of a character in a page: its class, the number of bytes of its text, the text. */
const ENTRY = 16;
const PAGE = 256;

/**
 * The mapping of 256 characters in the kernel's format: classes are 0 removed, 1 space, 2 single, and for the rest 2 +
 * the number of their characters.
 */
export function foldPage(page: number): Uint8Array {
  const bytes = new Uint8Array(PAGE * ENTRY);
  for (let i = 0; i < PAGE; i++) {
    const { kind, text } = foldCharacter(page * PAGE + i);
    bytes[i * ENTRY] = kind === 'removed' ? 0 : kind === 'space' ? 1 : kind === 'single' ? 2 : 2 + [...text].length;
    bytes[i * ENTRY + 1] = new TextEncoder().encodeInto(text, bytes.subarray(i * ENTRY + 2, (i + 1) * ENTRY)).written;
  }
  return bytes;
}
