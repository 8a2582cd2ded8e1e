import { isTicked, symbolText } from '../symbols.ts';
import type { ListPlace } from '../tree/lists.ts';
import { formatNumber, markOf, type NumberFormat } from '../tree/numbers.ts';
import { child, elements, type XmlElement } from '../xml.ts';

/** A level of a list style: a number with what stands around it, or a bullet. */
interface Level {
  /** Undefined for bullets. */
  readonly format: NumberFormat | undefined;
  readonly prefix: string;
  readonly suffix: string;
  /** How many levels the number shows: 2 for 1.1. */
  readonly shown: number;
  readonly start: number;
  readonly checked: boolean | undefined;
}

/** The levels of a list style, from the outermost. */
export type ListStyle = readonly (Level | undefined)[];

/** A list and those that continue it. */
export interface OdtList {
  readonly id: string;
  readonly numbers: number[];
}

const MAX_LEVELS = 10;
const FORMATS: Readonly<Record<string, NumberFormat>> = {
  '1': 'decimal',
  'a': 'lower-letter',
  'A': 'upper-letter',
  'i': 'lower-roman',
  'I': 'upper-roman',
  '': 'none',
  '1st': 'ordinal',
  '一, 二, 三, ...': 'chinese',
  '①, ②, ③, ...': 'circle',
};

/** The levels of a `text:list-style` or of the `text:outline-style` of headings. */
export function listStyleOf(style: XmlElement): ListStyle {
  const levels: (Level | undefined)[] = [];
  for (const element of elements(style)) {
    const { attributes } = element;
    const at = Math.floor(Number(attributes['text:level'])) - 1;
    if (!(at >= 0 && at < MAX_LEVELS)) continue;
    const font = child(element, 'style:text-properties')?.attributes['style:font-name'] ??
      child(element, 'style:text-properties')?.attributes['fo:font-family'];
    const isNumber = element.name !== 'text:list-level-style-bullet' && element.name !== 'text:list-level-style-image';
    levels[at] = {
      format: isNumber
        ? (FORMATS[attributes['style:num-format'] ?? (element.name === 'text:outline-level-style' ? '' : '1')] ??
          'decimal')
        : undefined,
      prefix: attributes['style:num-prefix'] ?? '',
      suffix: attributes['style:num-suffix'] ?? '',
      shown: Math.max(1, Math.min(at + 1, Math.floor(Number(attributes['text:display-levels'] ?? 1)) || 1)),
      start: Number(attributes['text:start-value'] ?? 1) || 0,
      checked: isTicked(symbolText(font, attributes['text:bullet-char'] ?? '')),
    };
  }
  return levels;
}

/** Counts an item at a level, from 0; `start` is a number of its own. Returns what the item shows. */
export function nextItem(list: OdtList, style: ListStyle | undefined, level: number, start?: number): Pick<ListPlace,
  'ordered' | 'number' | 'label' | 'checked'> & { readonly shown?: string }
{
  const { numbers } = list;
  const own = style?.[level];
  for (let above = 0; above < level; above += 1) numbers[above] ??= style?.[above]?.start ?? 1;
  const number = start ?? (numbers[level] === undefined ? (own?.start ?? 1) : numbers[level] + 1);
  numbers[level] = number;
  numbers.length = level + 1;
  if (own?.format === undefined) return { ordered: false, number, checked: own?.checked };
  return own.format === 'none' ? { ordered: false, number } : markOf(labelOf(own, style!, numbers), number);
}

function labelOf(own: Level, style: ListStyle, numbers: readonly number[]): string {
  const shown: string[] = [];
  for (let at = numbers.length - own.shown; at < numbers.length; at += 1) {
    const format = style[at]?.format ?? 'none';
    if (format !== 'none') shown.push(formatNumber(numbers[at]!, format));
  }
  return `${own.prefix}${shown.join('.')}${own.suffix}`;
}

/** The lists of a document: which one continues which. */
export class OdtLists {
  readonly #named = new Map<string, OdtList>();
  readonly #styled = new Map<string, OdtList>();
  readonly outline: OdtList = { id: 'outline', numbers: [] };
  #count = 0;

  /** The list that a `text:list` outside others belongs to. */
  open({ attributes }: XmlElement): OdtList {
    const style = attributes['text:style-name'] ?? '';
    const before = this.#named.get(attributes['text:continue-list'] ?? '') ??
      (attributes['text:continue-numbering'] === 'true' ? this.#styled.get(style) : undefined);
    const list = before ?? { id: `list${(this.#count += 1)}`, numbers: [] };
    const name = attributes['xml:id'] ?? attributes['text:id'];
    if (name !== undefined) this.#named.set(name, list);
    this.#styled.set(style, list);
    return list;
  }

  /** The list of a `text:numbered-paragraph`. */
  numbered({ attributes }: XmlElement): OdtList {
    const name = attributes['text:list-id'] ?? `style ${attributes['text:style-name'] ?? ''}`;
    const list = this.#named.get(name) ?? { id: `list${(this.#count += 1)}`, numbers: [] };
    this.#named.set(name, list);
    return list;
  }
}
