import { codePoint } from 'dingbat-to-unicode';
import { remembered } from './remembered.ts';

const FONTS = [/^wingdings ?2/i, /^wingdings ?3/i, /^wingdings/i, /^webdings/i, /^symbol/i];
const NAMES = ['Wingdings 2', 'Wingdings 3', 'Wingdings', 'Webdings', 'Symbol'];
const PRIVATE = 0xf000;
const TICKED = new Set('☑☒🗵🗷🗹⮽✅');
const EMPTY = new Set('☐□⬜🞎🞏🞐❏❐❑❒▢◻');
/** Common characters for rare ones that look alike, which few fonts have and nobody searches for. */
const ALIKE: ReadonlyMap<string, string> = new Map([['🗸', '✓'], ['✔', '✓'], ['🗴', '✗'], ['🗶', '✗'], ['🗙', '✗'], [
  '🡪',
  '→',
], ['🡨', '←'], ['🡩', '↑'], ['🡫', '↓'], ['🡺', '➔'], ['⮚', '➢'], ['⚫', '●'], ['◼', '■'], ['\uf8ff', '']]);

/** The symbol font that a name means; '' for other fonts. */
const symbolFont = remembered((font) => NAMES[FONTS.findIndex((pattern) => pattern.test(font.trim()))] ?? '');

/** Whether the characters of a font are symbols at the codes of letters. */
export function isSymbolFont(font: string | undefined): boolean {
  return font !== undefined && symbolFont(font) !== '';
}

/**
 * The character that a symbol font shows for a code of a byte, or of the private use area, where it is repeated. Each
 * ticked box is `☒` and each empty one `☐`, so that forms agree. Without a symbol font, only bullets are known; ''
 * if there is no such character.
 */
export function symbolOf(font: string | undefined, code: number): string {
  const at = code >= PRIVATE && code <= PRIVATE + 0xff ? code - PRIVATE : code;
  const name = font === undefined ? '' : symbolFont(font);
  if (name === '') return at === 0xb7 || at === 0xa7 ? '•' : '';
  return commonSymbol(codePoint(name, at)?.string ?? '');
}

/** Text of a symbol font as it is shown; other fonts have only bullets in the private use area. */
export function symbolText(font: string | undefined, value: string): string {
  const symbols = isSymbolFont(font);
  if (!symbols && !/[\uf000-\uf0ff]/.test(value)) return value;
  return Array.from(value, (character) => {
    const code = character.codePointAt(0)!;
    const isPrivate = code >= PRIVATE && code <= PRIVATE + 0xff;
    if (isPrivate) return symbolOf(font, code);
    return symbols && code > 0x20 && code <= 0xff ? (symbolOf(font, code) || character) : character;
  }).join('');
}

function commonSymbol(character: string): string {
  if (TICKED.has(character)) return '☒';
  if (EMPTY.has(character)) return '☐';
  return ALIKE.get(character) ?? character;
}

/** Whether a character is a ticked box (true), an empty one (false) or neither (undefined). */
export function isTicked(character: string): boolean | undefined {
  const common = commonSymbol(character.trim());
  return common === '☒' ? true : common === '☐' ? false : undefined;
}

/** The character of a box of a form. */
export function boxOf(ticked: boolean): string {
  return ticked ? '☒' : '☐';
}
