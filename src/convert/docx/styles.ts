import { isMonospace } from '../tree/inlines.ts';
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
  /** Whether it is in a monospaced font. */
  readonly typewriter?: boolean | undefined;
  readonly script?: 'super' | 'sub' | undefined;
  /** `numId` and `ilvl` of its list. */
  readonly list?: string | undefined;
  readonly level?: number | undefined;
  /** The style, or its nearest ancestor, that names a list. */
  readonly listedAs?: string | undefined;
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
  const look = runLook(child(element, 'w:rPr'));
  return {
    ...(level >= 1 ? { heading: level } : {}),
    ...(QUOTE.test(name) ? { quote: true } : {}),
    ...(CODE.test(name) ? { code: true } : {}),
    ...numbering,
    ...(numbering.list === undefined ? {} : { listedAs: element.attributes['w:styleId'] }),
    ...(element.attributes['w:type'] === 'character' ? look : defined({ typewriter: look.typewriter })),
  };
}

/** 1 for the outermost level, 0 for body text. */
export function outlineLevel(properties: XmlElement | undefined): number {
  const level = Number(child(properties, 'w:outlineLvl')?.attributes['w:val'] ?? 9);
  return level >= 0 && level < 9 ? level + 1 : 0;
}

/** The list and level that properties name; a style can name one of them, and its ancestor the other. */
export function numberingOf(properties: XmlElement | undefined): Pick<DocxStyle, 'list' | 'level'> {
  const numbering = child(properties, 'w:numPr');
  const level = child(numbering, 'w:ilvl')?.attributes['w:val'];
  return defined({
    list: child(numbering, 'w:numId')?.attributes['w:val'],
    level: level === undefined ? undefined : Math.max(0, Math.min(8, Math.floor(Number(level)) || 0)),
  });
}

/** The formatting of a run, as far as its properties define it. */
export function runLook(
  properties: XmlElement | undefined,
): Pick<DocxStyle, 'strong' | 'emphasis' | 'strike' | 'hidden' | 'typewriter' | 'script'> {
  const look: { -readonly [name in keyof ReturnType<typeof runLook>]: ReturnType<typeof runLook>[name] } = {};
  for (const { name, attributes } of elements(properties)) {
    const value = attributes['w:val'] ?? '';
    const on = !['0', 'false', 'off', 'none'].includes(value);
    if (name === 'w:b') look.strong = on;
    else if (name === 'w:i') look.emphasis = on;
    else if (name === 'w:strike' || name === 'w:dstrike') look.strike = on;
    else if (name === 'w:vanish' || name === 'w:specVanish') look.hidden = on;
    else if (name === 'w:vertAlign')
      look.script = value === 'superscript' ? 'super' : value === 'subscript' ? 'sub' : undefined;
    else if (name === 'w:rFonts') {
      const font = attributes['w:ascii'] ?? attributes['w:hAnsi'];
      if (font !== undefined) look.typewriter = isMonospace(font);
    }
  }
  return look;
}

/** Only the properties with a value, so that the others are inherited. */
function defined<Properties extends object>(properties: Properties): Properties {
  return Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined)) as Properties;
}
