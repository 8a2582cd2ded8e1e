import { isTicked, symbolText } from '../symbols.ts';
import type { ListPlace } from '../tree/lists.ts';
import { formatNumber, markOf, type NumberFormat } from '../tree/numbers.ts';

/** What an item of a list shows; `shown` is its label in any case, for headings. */
export type RtfItem = Omit<ListPlace, 'level'> & { readonly shown?: string };

interface Level {
  format: number;
  start: number;
  /** The label, in which characters 0 to 8 stand for the numbers of levels. */
  text: string;
  font: number | undefined;
}

/** A list and the levels that start anew where it is used first. */
interface Override {
  list: number;
  readonly starts: Map<number, number>;
  begun: boolean;
}

const BULLET = 23;
const NO_MARK = 255;
const FORMATS: Readonly<Record<number, NumberFormat>> = {
  1: 'upper-roman',
  2: 'lower-roman',
  3: 'upper-letter',
  4: 'lower-letter',
  5: 'ordinal',
  12: 'kana',
  13: 'iroha',
  10: 'chinese',
  18: 'circle',
  20: 'kana',
  22: 'zero',
  24: 'korean',
  37: 'chinese',
  38: 'chinese',
  39: 'chinese',
};
const MAX_LABEL = 100;

/** The list tables of a file, filled while they are read, and the current numbers of its lists. */
export class RtfLists {
  readonly #lists = new Map<number, Level[]>();
  readonly #overrides = new Map<number, Override>();
  readonly #counts = new Map<number, number[]>();
  #levels: Level[] = [];
  #override: Override = { list: 0, starts: new Map(), begun: false };
  #overridden = -1;

  listControl(word: string, parameter: number): void {
    const level = this.#levels.at(-1);
    if (word === 'list') this.#levels = [];
    else if (word === 'listlevel' && this.#levels.length < 9)
      this.#levels.push({ format: 0, start: 1, text: '', font: undefined });
    else if (word === 'listid') this.#lists.set(parameter, this.#levels);
    else if (level === undefined) return;
    else if (word === 'levelnfc' || word === 'levelnfcn') level.format = parameter;
    else if (word === 'levelstartat') level.start = parameter;
    else if (word === 'f') level.font = parameter;
  }

  levelText(text: string): void {
    const level = this.#levels.at(-1);
    if (level !== undefined && level.text.length < MAX_LABEL) level.text += text;
  }

  overrideControl(word: string, parameter: number): void {
    if (word === 'listoverride') {
      this.#override = { list: 0, starts: new Map(), begun: false };
      this.#overridden = -1;
    } else if (word === 'listid') this.#override.list = parameter;
    else if (word === 'lfolevel') this.#overridden += 1;
    else if (word === 'levelstartat') this.#override.starts.set(Math.max(0, Math.min(8, this.#overridden)), parameter);
    else if (word === 'ls') this.#overrides.set(parameter, this.#override);
  }

  /**
   * The next item of a list; undefined if its paragraphs have no mark. `said` is the label that the file keeps for
   * readers without lists, and `fontName` names a font.
   */
  next(list: number, level: number, said: string | undefined, fontName: (font: number | undefined) => string): RtfItem
    | undefined
  {
    const at = Math.max(0, Math.min(8, level));
    const override = this.#overrides.get(list);
    const levels = this.#lists.get(override?.list ?? -1) ?? [];
    const own = levels[at] ?? { format: BULLET, start: 1, text: '', font: undefined };
    const numbers = this.#count(override?.list ?? -list, override, levels, at);
    const id = String(override?.list ?? list);
    if (own.format === NO_MARK) return undefined;
    if (own.format === BULLET)
      return { list: id, ordered: false, checked: isTicked(said ?? symbolText(fontName(own.font), labelText(own))) };
    const label = said ?? labelOf(own, levels, numbers);
    return { list: id, ...markOf(label, numberOf(label) ?? numbers[at]!) };
  }

  #count(id: number, override: Override | undefined, levels: readonly Level[], at: number): number[] {
    const numbers = this.#counts.get(id) ?? [];
    this.#counts.set(id, numbers);
    const starts = override !== undefined && !override.begun ? override.starts : new Map<number, number>();
    if (starts.size > 0) numbers.length = Math.min(numbers.length, ...starts.keys());
    if (override !== undefined) override.begun = true;
    for (let above = 0; above < at; above += 1) numbers[above] ??= levels[above]?.start ?? 1;
    numbers[at] = numbers[at] === undefined ? (override?.starts.get(at) ?? levels[at]?.start ?? 1) : numbers[at] + 1;
    numbers.length = at + 1;
    return numbers;
  }
}

/** A label without its length, which comes first, and without the semicolon at its end. */
function labelText({ text }: Level): string {
  return text.replace(/;\s*$/, '').slice(1);
}

function labelOf(own: Level, levels: readonly Level[], numbers: readonly number[]): string {
  if (own.text === '') return `${formatNumber(numbers.at(-1)!, FORMATS[own.format] ?? 'decimal')}.`;
  return Array.from(labelText(own), (character) => {
    const at = character.charCodeAt(0);
    if (at > 8) return character;
    return numbers[at] === undefined ? '' : formatNumber(numbers[at], FORMATS[levels[at]?.format ?? 0] ?? 'decimal');
  }).join('');
}

function numberOf(label: string): number | undefined {
  const digits = /^\d{1,9}(?=[.)]?$)/.exec(label.trim());
  return digits === null ? undefined : Number(digits[0]);
}

/** The place of a list of the old kind, whose label stands only in the text. */
export function markerPlace(label: string, ordered: boolean | undefined): RtfItem {
  const number = numberOf(label);
  if (number !== undefined) return { list: 'marks', ...markOf(label, number) };
  const isLabel = /^\(?[\p{L}\p{N}.]{1,12}[.)]$/u.test(label);
  if (isLabel) return { list: 'marks', ...markOf(label, 0) };
  return { list: 'marks', ordered: ordered ?? false, checked: isTicked(label) };
}
