/** How a list or heading writes its numbers; readers translate the names of their format. */
export type NumberFormat = 'decimal' | 'zero' | 'ordinal' | 'lower-letter' | 'upper-letter' | 'lower-roman'
  | 'upper-roman' | 'chinese' | 'circle' | 'lower-russian' | 'upper-russian' | 'korean' | 'kana' | 'iroha' | 'none';

const ROMAN = [[1000, 'm'], [900, 'cm'], [500, 'd'], [400, 'cd'], [100, 'c'], [90, 'xc'], [50, 'l'], [40, 'xl'], [10,
  'x'], [9, 'ix'], [5, 'v'], [4, 'iv'], [1, 'i']] as const;
const RUSSIAN = Array.from('абвгдежзиклмнопрстуфхцчшщэюя');
const KOREAN = Array.from('가나다라마바사아자차카타파하');
const KANA = Array.from('アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン');
const IROHA = Array.from(
  'イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセスン',
);
const CHINESE_DIGITS = Array.from('〇一二三四五六七八九');
const CHINESE_UNITS = ['', '十', '百', '千'];

/** A number as it is shown; numbers that a format cannot write are decimal. */
export function formatNumber(value: number, format: NumberFormat): string {
  if (format === 'none') return '';
  if (format === 'zero') return String(value).padStart(2, '0');
  if (format === 'ordinal') return `${value}${ordinalEnd(value)}`;
  if (value < 1 || value > 9999 || !Number.isInteger(value)) return String(value);
  switch (format) {
    case 'lower-letter':
      return repeated(value, 'abcdefghijklmnopqrstuvwxyz');
    case 'upper-letter':
      return repeated(value, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ');
    case 'lower-russian':
      return repeated(value, RUSSIAN);
    case 'upper-russian':
      return repeated(value, RUSSIAN).toUpperCase();
    case 'korean':
      return repeated(value, KOREAN);
    case 'kana':
      return repeated(value, KANA);
    case 'iroha':
      return repeated(value, IROHA);
    case 'lower-roman':
      return roman(value);
    case 'upper-roman':
      return roman(value).toUpperCase();
    case 'chinese':
      return chinese(value);
    case 'circle':
      return value <= 20 ? String.fromCodePoint(0x245f + value) : String(value);
    default:
      return String(value);
  }
}

/** a to z, then aa to zz, then aaa: editors repeat a letter. */
function repeated(value: number, letters: string | readonly string[]): string {
  const times = Math.ceil(value / letters.length);
  return times > 10 ? String(value) : letters[(value - 1) % letters.length]!.repeat(times);
}

function roman(value: number): string {
  let [left, written] = [value, ''];
  for (const [amount, letters] of ROMAN) {
    for (; left >= amount; left -= amount) written += letters;
  }
  return written;
}

function chinese(value: number): string {
  const digits = Array.from(String(value), Number);
  const written = digits.map((digit, at) =>
    digit === 0 ? CHINESE_DIGITS[0] : `${CHINESE_DIGITS[digit]}${CHINESE_UNITS[digits.length - 1 - at]}`
  ).join('');
  return written.replace(/〇+$/, '').replace(/〇+/g, '〇').replace(/^一十/, '十');
}

function ordinalEnd(value: number): string {
  const [last, lastTwo] = [value % 10, value % 100];
  if (lastTwo >= 11 && lastTwo <= 13) return 'th';
  return last === 1 ? 'st' : last === 2 ? 'nd' : last === 3 ? 'rd' : 'th';
}

interface Mark {
  readonly ordered: boolean;
  readonly number: number;
  /** The label if markdown has no such number. */
  readonly label?: string;
  /** The label in any case, for headings. */
  readonly shown: string;
}

/**
 * What a list item shows in front of its text, as a place in a markdown list: `1.` and `1)` are numbers of markdown,
 * and any other label, such as `(b)` or `2.1`, is written out.
 */
export function markOf(label: string, number: number): Mark {
  const shown = label.replace(/\s+/g, ' ').trim();
  return /^(?:0|[1-9]\d{0,8})[.)．。、]?$/.test(shown) && Number.parseInt(shown, 10) === number
    ? { ordered: true, number, shown }
    : { ordered: false, number, shown, label: shown };
}
