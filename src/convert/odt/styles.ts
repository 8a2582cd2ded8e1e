import { isMonospace } from '../tree/inlines.ts';
import { child, elements, type XmlElement } from '../xml.ts';
import { type ListStyle, listStyleOf } from './lists.ts';

/** The effect of an OpenDocument style on its paragraphs and runs. */
export interface OdtStyle {
  readonly strong?: boolean | undefined;
  readonly emphasis?: boolean | undefined;
  readonly strike?: boolean | undefined;
  readonly code?: boolean | undefined;
  /** Whether its font is monospaced. */
  readonly typewriter?: boolean | undefined;
  readonly quote?: boolean | undefined;
  readonly hidden?: boolean | undefined;
  readonly title?: boolean | undefined;
  readonly heading?: number | undefined;
  /** The font of its text, by which symbols are read. */
  readonly font?: string | undefined;
  readonly script?: 'super' | 'sub' | undefined;
  /** Whether a heading is left out of the numbering of headings. */
  readonly unnumbered?: boolean | undefined;
}

const NONE: OdtStyle = {};
const MAX_ANCESTORS = 32;
const CODE = /^(?:Preformatted_20_Text|Source_20_Text|Source_20_Code|Teletype|User_20_Entry)$/;

/** Styles and list styles of `styles.xml` and `content.xml`. */
export class OdtStyles {
  readonly #styles = new Map<string, XmlElement>();
  readonly #lists = new Map<string, ListStyle>();
  readonly #fonts = new Map<string, string>();
  readonly #known = new Map<string, OdtStyle>();

  /** The numbers of headings. */
  readonly outline: ListStyle = [];

  constructor(containers: readonly (XmlElement | undefined)[]) {
    for (const element of containers.flatMap((container) => elements(container))) {
      if (element.name === 'style:style')
        this.#styles.set(`${element.attributes['style:family']} ${element.attributes['style:name']}`, element);
      if (element.name === 'text:list-style')
        this.#lists.set(element.attributes['style:name'] ?? '', listStyleOf(element));
      if (element.name === 'text:outline-style') this.outline = listStyleOf(element);
      if (element.name === 'style:font-face') {
        const { 'style:name': name = '', 'svg:font-family': font = name } = element.attributes;
        this.#fonts.set(name, font.replace(/^'|'$/g, ''));
      }
    }
  }

  /** `family` is `paragraph` or `text`. */
  get(family: string, name: string | undefined): OdtStyle {
    return name === undefined ? NONE : this.#resolve(family, name, 0);
  }

  list(name: string | undefined): ListStyle | undefined {
    return this.#lists.get(name ?? '');
  }

  #resolve(family: string, name: string, depth: number): OdtStyle {
    const key = `${family} ${name}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const element = this.#styles.get(key);
    const parent = element?.attributes['style:parent-style-name'];
    const inherited = parent === undefined || depth > MAX_ANCESTORS ? NONE : this.#resolve(family, parent, depth + 1);
    const style = { ...inherited, ...this.#own(element, family), ...named(name) };
    this.#known.set(key, style);
    return style;
  }

  #own(element: XmlElement | undefined, family: string): OdtStyle {
    const look = child(element, 'style:text-properties')?.attributes ?? {};
    const name = look['style:font-name'];
    const font = name === undefined ? look['fo:font-family'] : (this.#fonts.get(name) ?? name);
    return { ...ownStyle(element, family), ...(font === undefined ? {} : { font, typewriter: isMonospace(font) }) };
  }
}

function named(name: string): OdtStyle {
  if (CODE.test(name)) return { code: true };
  if (name === 'Quotations') return { quote: true };
  return name === 'Title' ? { title: true } : NONE;
}

function ownStyle(element: XmlElement | undefined, family: string): OdtStyle {
  const look = child(element, 'style:text-properties')?.attributes ?? {};
  const level = Number(element?.attributes['style:default-outline-level'] ?? 0);
  const weight = look['fo:font-weight'];
  const slant = look['fo:font-style'];
  const line = look['style:text-line-through-style'];
  const position = look['style:text-position'];
  return {
    // A paragraph that is bold throughout by its named style is not emphasised.
    ...(weight === undefined || (family === 'paragraph' && !isAutomatic(element))
      ? {}
      : { strong: weight === 'bold' || Number(weight) >= 600 }),
    ...(slant === undefined || (family === 'paragraph' && !isAutomatic(element))
      ? {}
      : { emphasis: slant === 'italic' || slant === 'oblique' }),
    ...(line === undefined ? {} : { strike: line !== 'none' }),
    ...(look['text:display'] === 'none' ? { hidden: true } : {}),
    ...(position === undefined ? {} : { script: scriptOf(position) }),
    ...(element?.attributes['style:list-style-name'] === '' ? { unnumbered: true } : {}),
    ...(level >= 1 ? { heading: level } : {}),
  };
}

/** `super 58%`, `sub 58%`, or by how much the text is raised, in percent. */
function scriptOf(position: string): 'super' | 'sub' | undefined {
  const first = position.trim().split(/\s/, 1)[0]!;
  const raised = first === 'super' ? 1 : first === 'sub' ? -1 : Number.parseFloat(first);
  return raised > 0 ? 'super' : raised < 0 ? 'sub' : undefined;
}

/** Automatic styles, such as P1 and T12, hold formatting that the author applied directly. */
function isAutomatic(element: XmlElement | undefined): boolean {
  return /^[PT]\d+$/.test(element?.attributes['style:name'] ?? '');
}
