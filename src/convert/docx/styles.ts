import { child, elements, type XmlElement } from '../xml.ts';

/** The properties of a paragraph or character style of Word, including inherited ones. */
interface DocxStyle {
  readonly heading?: number | undefined;
  readonly quote?: boolean | undefined;
  readonly code?: boolean | undefined;
  readonly strong?: boolean | undefined;
  readonly emphasis?: boolean | undefined;
  readonly strike?: boolean | undefined;
  readonly hidden?: boolean | undefined;
  /** `numId` and `ilvl` of a list style. */
  readonly numbering?: { readonly id: string; readonly level: number } | undefined;
}

const NONE: DocxStyle = {};
const MAX_ANCESTORS = 32;
// Word writes the English names of built-in styles into every file, whatever the program's language.
const HEADING = /^heading ([1-9])$/i;
const QUOTE = /^(?:intense )?quote$|^quotations$|^block text$/i;
const CODE =
  /^(?:html (?:preformatted|code|sample|typewriter)|plain text|source code|preformatted text|verbatim|code|code block|verbatim char|source text)$/i;

/** The styles of `word/styles.xml` by their identifiers. */
export class DocxStyles {
  readonly #elements = new Map<string, XmlElement>();
  readonly #known = new Map<string, DocxStyle>();

  constructor(styles: XmlElement | undefined) {
    for (const style of elements(styles, 'w:style')) this.#elements.set(style.attributes['w:styleId'] ?? '', style);
  }

  get(id: string | undefined): DocxStyle {
    return id === undefined ? NONE : this.#resolve(id, 0);
  }

  #resolve(id: string, depth: number): DocxStyle {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const element = this.#elements.get(id);
    if (element === undefined || depth > MAX_ANCESTORS) return NONE;
    const base = child(element, 'w:basedOn')?.attributes['w:val'];
    const style = { ...(base === undefined ? NONE : this.#resolve(base, depth + 1)), ...ownStyle(element) };
    this.#known.set(id, style);
    return style;
  }
}

function ownStyle(element: XmlElement): DocxStyle {
  const name = child(element, 'w:name')?.attributes['w:val'] ?? '';
  const properties = child(element, 'w:pPr');
  const level = Number(HEADING.exec(name)?.[1] ?? (name.toLowerCase() === 'title' ? 1 : outlineLevel(properties)));
  const numbering = numberingOf(properties);
  // Bold in a paragraph style is not emphasis: only words that differ from their paragraph are emphasised.
  const runs = element.attributes['w:type'] === 'character' ? runLook(child(element, 'w:rPr')) : {};
  return {
    ...(level >= 1 ? { heading: level } : {}),
    ...(QUOTE.test(name) ? { quote: true } : {}),
    ...(CODE.test(name) ? { code: true } : {}),
    ...(numbering === undefined ? {} : { numbering }),
    ...runs,
  };
}

/** 1 for the outermost level, 0 for body text. */
export function outlineLevel(properties: XmlElement | undefined): number {
  const level = Number(child(properties, 'w:outlineLvl')?.attributes['w:val'] ?? 9);
  return level >= 0 && level < 9 ? level + 1 : 0;
}

export function numberingOf(properties: XmlElement | undefined): { id: string; level: number } | undefined {
  const numbering = child(properties, 'w:numPr');
  const id = child(numbering, 'w:numId')?.attributes['w:val'];
  if (id === undefined) return undefined;
  return { id, level: Math.max(0, Math.min(8, Number(child(numbering, 'w:ilvl')?.attributes['w:val'] ?? 0) || 0)) };
}

/** Bold, italic, strikethrough and hidden, as far as the properties of a run define them. */
export function runLook(
  properties: XmlElement | undefined,
): Pick<DocxStyle, 'strong' | 'emphasis' | 'strike' | 'hidden'> {
  const look: { strong?: boolean; emphasis?: boolean; strike?: boolean; hidden?: boolean } = {};
  for (const { name, attributes } of elements(properties)) {
    const on = !['0', 'false', 'off', 'none'].includes(attributes['w:val'] ?? '');
    if (name === 'w:b') look.strong = on;
    else if (name === 'w:i') look.emphasis = on;
    else if (name === 'w:strike' || name === 'w:dstrike') look.strike = on;
    else if (name === 'w:vanish' || name === 'w:specVanish') look.hidden = on;
  }
  return look;
}

interface Level {
  readonly ordered: boolean;
  readonly start: number;
}

const BULLET: Level = { ordered: false, start: 1 };

/** The lists of `word/numbering.xml`, and the current numbers of their items. */
export class DocxNumbering {
  readonly #levels = new Map<string, Level[]>();
  readonly #counts = new Map<string, number[]>();

  constructor(numbering: XmlElement | undefined) {
    const abstract = new Map(
      elements(numbering, 'w:abstractNum').map((list) => [list.attributes['w:abstractNumId'] ?? '', list]),
    );
    for (const list of elements(numbering, 'w:num')) {
      const levels: Level[] = [];
      const definition = abstract.get(child(list, 'w:abstractNumId')?.attributes['w:val'] ?? '');
      for (const level of elements(definition, 'w:lvl'))
        levels[Number(level.attributes['w:ilvl']) || 0] = levelOf(level);
      for (const override of elements(list, 'w:lvlOverride')) {
        const at = Number(override.attributes['w:ilvl']) || 0;
        const level = child(override, 'w:lvl');
        const start = child(override, 'w:startOverride')?.attributes['w:val'];
        if (level !== undefined) levels[at] = levelOf(level);
        if (start !== undefined) levels[at] = { ...(levels[at] ?? BULLET), start: Number(start) || 0 };
      }
      this.#levels.set(list.attributes['w:numId'] ?? '', levels);
    }
  }

  /** The next item of a list at a level; undefined if its paragraphs have neither a number nor a bullet. */
  next(id: string, level: number): { ordered: boolean; number: number } | undefined {
    if (id === '0') return undefined;
    const { ordered, start } = this.#levels.get(id)?.[level] ?? BULLET;
    const counts = this.#counts.get(id) ?? [];
    const number = (counts[level] ?? start - 1) + 1;
    counts.length = level;
    counts[level] = number;
    this.#counts.set(id, counts);
    return { ordered, number };
  }
}

function levelOf(level: XmlElement): Level {
  const format = child(level, 'w:numFmt')?.attributes['w:val'] ?? 'decimal';
  return {
    ordered: format !== 'bullet' && format !== 'none',
    start: Number(child(level, 'w:start')?.attributes['w:val'] ?? 1) || 0,
  };
}
