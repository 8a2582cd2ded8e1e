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
}

/** A piece of text as pdf.js reports it. */
export interface TextItem {
  readonly str: string;
  readonly dir: string;
  readonly width: number;
  readonly height: number;
  readonly transform: readonly number[];
}

/** An area of a page that is a link, in the page's own coordinates. */
export interface LinkArea {
  readonly url: string;
  readonly rect: readonly number[];
}

/** Longer strings at one position are not text of a page. */
const MAX_ITEM = 10_000;

/**
 * Groups the fragments of a page by writing direction (0, 90, 180 or 270 degrees), the direction with the most text
 * first. A rotated page is thus read as it is displayed, and text along its edge comes last.
 */
export function fragmentsByDirection(items: readonly TextItem[], links: readonly LinkArea[]): Fragment[][] {
  const groups = new Map<number, { fragments: Fragment[]; characters: number }>();
  for (const item of items) {
    if (item.str.trim() === '' || item.str.length > MAX_ITEM || !item.transform.every(Number.isFinite)) continue;
    const [a = 0, b = 0, c = 0, d = 0, x = 0, y = 0] = item.transform;
    const direction = (Math.round(Math.atan2(b, a) / (Math.PI / 2)) + 4) % 4;
    const size = item.height || Math.hypot(c, d) || Math.hypot(a, b);
    if (!(size > 0)) continue;
    const group = groups.get(direction) ?? { fragments: [], characters: 0 };
    groups.set(direction, group);
    group.fragments.push({
      ...turned(x, y, direction, item.width),
      text: normalised(item.str),
      size,
      rtl: item.dir === 'rtl',
      href: linkAt(x, y, size, links),
    });
    group.characters += item.str.length;
  }
  return [...groups.values()].sort((one, other) => other.characters - one.characters).map((group) => group.fragments);
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
 * Splits ligatures into letters, and replaces control characters, which come from fonts without a character map, with
 * spaces.
 */
function normalised(text: string): string {
  return text.replace(/[\ufb00-\ufb06]/g, (ligature) => ligature.normalize('NFKC')).replace(/[\u0000-\u001f\u007f]/g,
    ' ').toWellFormed();
}
