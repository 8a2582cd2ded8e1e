import { isTicked, symbolText } from '../symbols.ts';
import { formatNumber, markOf, type NumberFormat } from '../tree/numbers.ts';
import { child, elements, type XmlElement } from '../xml.ts';

/** What an item of a list shows in front of its text. */
export interface ItemMark {
  /** The list definition; lists that share one continue each other. */
  readonly list: string;
  readonly ordered: boolean;
  readonly number: number;
  readonly label?: string | undefined;
  /** The label in any case, for headings. */
  readonly shown?: string | undefined;
  readonly checked?: boolean | undefined;
}

interface Level {
  readonly format: NumberFormat | 'bullet';
  readonly start: number;
  /** The label with `%1` to `%9` for the numbers of levels. */
  readonly text: string;
  readonly legal: boolean;
  /** It starts anew after an item of a level before this one, from 0; 0 if it always goes on. */
  readonly restartsBelow: number;
  /** The paragraph style that has this level. */
  readonly style: string | undefined;
}

/** A `w:num`: the lists that share a definition share its numbers, unless one starts anew. */
interface List {
  readonly definition: string;
  readonly levels: readonly (Level | undefined)[];
  /** The outermost level that starts anew with the first item of this list; `LEVELS` if none does, or it has begun. */
  restartsFrom: number;
}

const LEVELS = 9;
const BULLET: Level = { format: 'bullet', start: 1, text: '', legal: false, restartsBelow: LEVELS, style: undefined };
const FORMATS: Readonly<Record<string, NumberFormat | 'bullet'>> = {
  bullet: 'bullet',
  none: 'none',
  lowerLetter: 'lower-letter',
  upperLetter: 'upper-letter',
  lowerRoman: 'lower-roman',
  upperRoman: 'upper-roman',
  decimalZero: 'zero',
  ordinal: 'ordinal',
  russianLower: 'lower-russian',
  russianUpper: 'upper-russian',
  ganada: 'korean',
  aiueo: 'kana',
  aiueoFullWidth: 'kana',
  iroha: 'iroha',
  chineseCounting: 'chinese',
  chineseCountingThousand: 'chinese',
  taiwaneseCounting: 'chinese',
  taiwaneseCountingThousand: 'chinese',
  japaneseCounting: 'chinese',
  decimalEnclosedCircle: 'circle',
  decimalEnclosedCircleChinese: 'circle',
};

/** The lists of `word/numbering.xml`, and the current numbers of their items. */
export class DocxNumbering {
  readonly #lists = new Map<string, List>();
  readonly #counts = new Map<string, number[]>();

  constructor(numbering: XmlElement | undefined) {
    const definitions = new Map(
      elements(numbering, 'w:abstractNum').map((list) => [list.attributes['w:abstractNumId'] ?? '', list]),
    );
    const styled = new Map(elements(numbering, 'w:abstractNum').map((list) => [
      child(list, 'w:styleLink')?.attributes['w:val'] ?? '',
      list,
    ]));
    for (const list of elements(numbering, 'w:num')) {
      const named = definitions.get(child(list, 'w:abstractNumId')?.attributes['w:val'] ?? '');
      const link = child(named, 'w:numStyleLink')?.attributes['w:val'];
      const definition = (link === undefined ? undefined : styled.get(link)) ?? named;
      this.#lists.set(list.attributes['w:numId'] ?? '', listOf(list, definition));
    }
  }

  /** The level of a list that a paragraph style has; undefined if the list does not name the style. */
  levelOfStyle(id: string, style: string | undefined): number | undefined {
    const found = style === undefined
      ? -1
      : (this.#lists.get(id)?.levels.findIndex((level) => level?.style === style) ?? -1);
    return found < 0 ? undefined : found;
  }

  /** The next item of a list at a level; undefined if its paragraphs have neither a number nor a bullet. */
  next(id: string, level: number): ItemMark | undefined {
    if (id === '0') return undefined;
    const list: List = this.#lists.get(id) ?? { definition: id, levels: [], restartsFrom: LEVELS };
    const numbers = this.#counts.get(list.definition) ?? [];
    this.#counts.set(list.definition, numbers);
    numbers.length = Math.min(numbers.length, list.restartsFrom);
    list.restartsFrom = LEVELS;
    const own = list.levels[level] ?? BULLET;
    // Levels that were passed over count as begun.
    for (let above = 0; above < level; above += 1) numbers[above] ??= list.levels[above]?.start ?? 1;
    const number = (numbers[level] ?? own.start - 1) + 1;
    numbers[level] = number;
    for (let below = level + 1; below < numbers.length; below += 1) {
      if (level < (list.levels[below]?.restartsBelow ?? below)) delete numbers[below];
    }
    if (own.format === 'bullet')
      return { list: list.definition, ordered: false, number, checked: isTicked(own.text) };
    const label = labelOf(own, list.levels, numbers);
    return label.trim() === '' ? undefined : { list: list.definition, ...markOf(label, number) };
  }
}

/** The label of an item, such as `2.1` for `%1.%2`. */
function labelOf(own: Level, levels: readonly (Level | undefined)[], numbers: readonly number[]): string {
  return own.text.replace(/%([1-9])/g, (_, place: string) => {
    const at = Number(place) - 1;
    const format = levels[at]?.format ?? 'decimal';
    if (numbers[at] === undefined || format === 'bullet') return '';
    return formatNumber(numbers[at], own.legal && format !== 'none' ? 'decimal' : format);
  });
}

function listOf(list: XmlElement, definition: XmlElement | undefined): List {
  const levels: (Level | undefined)[] = [];
  let restartsFrom = LEVELS;
  for (const level of elements(definition, 'w:lvl')) levels[indexOf(level)] = levelOf(level);
  for (const override of elements(list, 'w:lvlOverride')) {
    const at = indexOf(override);
    const level = child(override, 'w:lvl');
    const start = child(override, 'w:startOverride')?.attributes['w:val'];
    if (level !== undefined) levels[at] = levelOf(level);
    if (start === undefined) continue;
    levels[at] = { ...(levels[at] ?? BULLET), start: Number(start) || 0 };
    restartsFrom = Math.min(restartsFrom, at);
  }
  return {
    definition: definition?.attributes['w:abstractNumId'] ?? `num ${list.attributes['w:numId']}`,
    levels,
    restartsFrom,
  };
}

function indexOf(level: XmlElement): number {
  return Math.max(0, Math.min(LEVELS - 1, Math.floor(Number(level.attributes['w:ilvl'])) || 0));
}

function levelOf(level: XmlElement): Level {
  const value = (name: string) => child(level, name)?.attributes['w:val'];
  const format = FORMATS[value('w:numFmt') ?? 'decimal'] ?? 'decimal';
  const fonts = child(child(level, 'w:rPr'), 'w:rFonts')?.attributes;
  const restart = value('w:lvlRestart');
  const said = value('w:lvlText') ?? `%${indexOf(level) + 1}.`;
  return {
    format,
    start: Number(value('w:start') ?? 0) || 0,
    text: (format === 'bullet' ? symbolText(fonts?.['w:ascii'] ?? fonts?.['w:hAnsi'], said) : said).slice(0, 200),
    legal: child(level, 'w:isLgl') !== undefined,
    restartsBelow: restart === undefined ? indexOf(level) : Number(restart) || 0,
    style: value('w:pStyle'),
  };
}
