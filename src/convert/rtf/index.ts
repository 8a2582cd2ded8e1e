import type { Nodes } from 'mdast';
import { ConversionError, type Parts, type ReadOptions } from '../contract.ts';
import { OutputBudget } from '../limits.ts';
import { metaOf } from '../meta.ts';
import { firstHeading, rootOf } from '../tree/blocks.ts';
import { RtfReader } from './reader.ts';
import { readTokens } from './tokens.ts';

/** Languages by the low bits of Windows language identifiers; the high bits name a region. */
const LANGUAGES: Readonly<Record<number, string>> = {
  1: 'ar',
  2: 'bg',
  3: 'ca',
  4: 'zh',
  5: 'cs',
  6: 'da',
  7: 'de',
  8: 'el',
  9: 'en',
  10: 'es',
  11: 'fi',
  12: 'fr',
  13: 'he',
  14: 'hu',
  15: 'is',
  16: 'it',
  17: 'ja',
  18: 'ko',
  19: 'nl',
  20: 'no',
  21: 'pl',
  22: 'pt',
  24: 'ro',
  25: 'ru',
  26: 'hr',
  27: 'sk',
  28: 'sq',
  29: 'sv',
  30: 'th',
  31: 'tr',
  32: 'ur',
  33: 'id',
  34: 'uk',
  36: 'sl',
  37: 'et',
  38: 'lv',
  39: 'lt',
  41: 'fa',
  42: 'vi',
  45: 'eu',
  57: 'hi',
};

/**
 * Rich text (RTF 1.9.1) as a tree: headings by style or outline level, lists, tables with merged
 * cells, links, notes, bold, italic and strikethrough text, in every Windows code page and in Unicode.
 * Headers, footers, pictures, comments and hidden text are left out.
 * @throws ConversionError
 */
export function readRtf(bytes: Uint8Array, options: ReadOptions): Parts {
  const reader = new RtfReader(new OutputBudget(options.maxOutput));
  readTokens(bytes, reader);
  const whole = reader.whole;
  const blocks = reader.finish();
  if (blocks.length === 0 && !whole) throw new ConversionError('damaged', 'is damaged: it ends before its text');
  const root = rootOf(blocks, reader.notes);
  const { title, author, creatim, revtim } = reader.info;
  return {
    content: root,
    meta: metaOf({
      title: title?.trim() || firstHeading(blocks),
      author,
      lang: LANGUAGES[(reader.language ?? 0) & 0x3ff],
      created: creatim,
      modified: revtim,
    }),
    warnings: whole ? [] : ['The file ends inside a group; it may be cut off.'],
    repaired: repairUnpaired(root),
  };
}

/** Replaces unpaired surrogates, which `\u` can write; returns the number of characters that are U+FFFD afterwards. */
export function repairUnpaired(node: Nodes): number {
  if ('value' in node && typeof node.value === 'string') {
    node.value = node.value.toWellFormed();
    return node.value.split('\ufffd').length - 1;
  }
  return 'children' in node ? node.children.reduce((sum, child) => sum + repairUnpaired(child as Nodes), 0) : 0;
}
