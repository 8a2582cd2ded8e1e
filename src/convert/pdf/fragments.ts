/**
 * A piece of text on a page. The coordinates are rotated so that text runs from left to right and lines follow
 * downwards as `y` falls.
 */
export interface Fragment {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  /** The base line; the axis points upwards. */
  readonly y: number;
  /** Height of the font. */
  readonly size: number;
  readonly rtl: boolean;
  readonly href: string | undefined;
  /** The font's identifier within the file. */
  readonly font: string | undefined;
  /** Whether white space was drawn or skipped after it. */
  readonly spaced: boolean;
}

/** A piece of text as pdf.js reports it. */
export interface TextItem {
  readonly str: string;
  readonly dir: string;
  readonly width: number;
  readonly height: number;
  readonly transform: readonly number[];
  readonly fontName?: string;
}

/** An area of a page that is a link, in the page's own coordinates. */
export interface LinkArea {
  readonly url: string;
  readonly rect: readonly number[];
}

/** Longer strings at one position are not text of a page. */
const MAX_ITEM = 10_000;
/** Copies of a text that make it bold or give it a shadow are at most this fraction of its size away. */
const COPY_OFFSET = 0.15;
/** The next character of a word is further away than this fraction of the width of a text. */
const COPY_WIDTH = 0.4;

/**
 * Alef before a second alef and lam. Arabic has no such word: a font drew lam and alef as one glyph, whose two letters
 * pdf.js turned round with the rest of the line.
 */
const TURNED_LAM_ALEF = /\u0627([\u0622\u0623\u0625\u0627])\u0644/g;

/** Characters of a word overlap less than this fraction of their size. */
const LEAST_OVERLAP = 0.15;

/**
 * Groups the fragments of a page by writing direction (0, 90, 180 or 270 degrees), the direction with the most text
 * first. A rotated page is thus read as it is displayed, and text along its edge comes last. Text that is drawn twice
 * at one place is kept once.
 */
export function fragmentsByDirection(items: readonly TextItem[], links: readonly LinkArea[]): Fragment[][] {
  const groups = new Map<number, { fragments: Fragment[]; characters: number }>();
  let before: { fragments: Fragment[]; y: number } | undefined;
  for (const item of items) {
    if (item.str.length > MAX_ITEM || !item.transform.every(Number.isFinite)) continue;
    const [a = 0, b = 0, c = 0, d = 0, x = 0, y = 0] = item.transform;
    const direction = (Math.round(Math.atan2(b, a) / (Math.PI / 2)) + 4) % 4;
    const place = turned(x, y, direction, item.width);
    if (item.str.trim() === '') {
      const last = before?.fragments.at(-1);
      if (item.str !== '' && last !== undefined && Math.abs(before!.y - place.y) < 1)
        before!.fragments[before!.fragments.length - 1] = { ...last, spaced: true };
      continue;
    }
    const size = item.height || Math.hypot(c, d) || Math.hypot(a, b);
    if (!(size > 0)) continue;
    const group = groups.get(direction) ?? { fragments: [], characters: 0 };
    groups.set(direction, group);
    group.fragments.push({
      ...place,
      text: normalised(item.str),
      size,
      rtl: item.dir === 'rtl',
      href: linkAt(x, y, size, links),
      font: item.fontName,
      spaced: false,
    });
    group.characters += item.str.length;
    before = { fragments: group.fragments, y: place.y };
  }
  return [...groups.values()].sort((one, other) => other.characters - one.characters).map((group) =>
    withoutCopies(group.fragments)
  );
}

function turned(x: number, y: number, direction: number, width: number): { left: number; right: number; y: number } {
  const [along, up] = direction === 0 ? [x, y] : direction === 1 ? [y, -x] : direction === 2 ? [-x, -y] : [-y, x];
  return { left: along!, right: along! + Math.max(0, width), y: up! };
}

function linkAt(x: number, y: number, size: number, links: readonly LinkArea[]): string | undefined {
  return links.find(({ rect: [x1 = 0, y1 = 0, x2 = 0, y2 = 0] }) =>
    x >= Math.min(x1, x2) - 1 && x <= Math.max(x1, x2) && y >= Math.min(y1, y2) - size / 2 && y <= Math.max(y1, y2)
  )?.url;
}

/**
 * Splits ligatures into letters, puts those of lam-alef in order, and replaces control characters, which come from
 * fonts without a character map, with spaces.
 */
function normalised(text: string): string {
  return text.replace(/[\ufb00-\ufb06]/g, (ligature) => ligature.normalize('NFKC')).replace(TURNED_LAM_ALEF,
    '\u0627\u0644$1').replace(/[\u0000-\u001f\u007f]/g, ' ').toWellFormed();
}

/** Fragments without those that lie on an earlier one with the same text; of two that begin alike, the longer stays. */
function withoutCopies(fragments: readonly Fragment[]): Fragment[] {
  const kept: (Fragment | undefined)[] = [];
  const cells = new Map<string, number[]>();
  let before: Fragment | undefined;
  for (const own of fragments) {
    const fragment = withoutRepeatedStart(own, before);
    before = own;
    if (fragment === undefined) continue;
    const reach = COPY_OFFSET * fragment.size;
    const [column, row] = [Math.floor(fragment.left / 4), Math.floor(fragment.y / 4)];
    const near = Math.min(2, Math.ceil(reach / 4));
    let copy: number | undefined;
    for (let dx = -near; dx <= near && copy === undefined; dx += 1)
      for (let dy = -near; dy <= near && copy === undefined; dy += 1) {
        const key = `${column + dx},${row + dy}`;
        copy = cells.get(key)?.find((index) => kept[index] !== undefined && isCopy(kept[index]!, fragment));
      }
    if (copy !== undefined) {
      if (fragment.text.length > kept[copy]!.text.length) kept[copy] = fragment;
      continue;
    }
    const key = `${column},${row}`;
    const cell = cells.get(key);
    // Nobody reads text that is drawn at one place more often than this.
    if (cell === undefined) cells.set(key, [kept.length]);
    else if (cell.length < 50) cell.push(kept.length);
    kept.push(fragment);
  }
  return kept.filter((fragment) => fragment !== undefined);
}

/**
 * A fragment without its first character if that lies on the last one of the fragment before it, because each character
 * of a text was drawn twice; undefined if nothing is left.
 */
function withoutRepeatedStart(fragment: Fragment, before: Fragment | undefined): Fragment | undefined {
  if (before === undefined || before.text.length + fragment.text.length < 3) return fragment;
  const [first = ''] = fragment.text;
  const overlap = (before.right - fragment.left) / fragment.size;
  if (!before.text.endsWith(first) || overlap < LEAST_OVERLAP || overlap > 1 ||
    Math.abs(before.y - fragment.y) > COPY_OFFSET * fragment.size)
    return fragment;
  const text = fragment.text.slice(first.length);
  return text === '' ? undefined : { ...fragment, text, left: before.right };
}

function isCopy(one: Fragment, other: Fragment): boolean {
  const width = Math.min(one.right - one.left, other.right - other.left);
  return Math.abs(one.left - other.left) <= Math.min(COPY_OFFSET * one.size, COPY_WIDTH * width) &&
    Math.abs(one.y - other.y) <= COPY_OFFSET * one.size && Math.abs(one.size - other.size) < 0.1 * one.size &&
    (one.text.startsWith(other.text) || other.text.startsWith(one.text));
}
