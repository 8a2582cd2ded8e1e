import { isMonospace } from '../tree/inlines.ts';
import { child, elements, type XmlElement } from '../xml.ts';

/** The effect of an OpenDocument style on its paragraphs and runs. */
export interface OdtStyle {
  readonly strong?: boolean | undefined;
  readonly emphasis?: boolean | undefined;
  readonly strike?: boolean | undefined;
  readonly code?: boolean | undefined;
  readonly quote?: boolean | undefined;
  readonly hidden?: boolean | undefined;
  readonly title?: boolean | undefined;
  readonly heading?: number | undefined;
}

const NONE: OdtStyle = {};
const MAX_ANCESTORS = 32;
const CODE = /^(?:Preformatted_20_Text|Source_20_Text|Source_20_Code|Teletype|User_20_Entry)$/;

/** Styles and list styles of `styles.xml` and `content.xml`. */
export class OdtStyles {
  readonly #styles = new Map<string, XmlElement>();
  readonly #lists = new Map<string, Set<number>>();
  readonly #known = new Map<string, OdtStyle>();

  constructor(containers: readonly (XmlElement | undefined)[]) {
    for (const element of containers.flatMap((container) => elements(container))) {
      if (element.name === 'style:style')
        this.#styles.set(`${element.attributes['style:family']} ${element.attributes['style:name']}`, element);
      if (element.name === 'text:list-style') {
        const numbered = elements(element, 'text:list-level-style-number').filter(({ attributes }) =>
          (attributes['style:num-format'] ?? '1') !== ''
        );
        this.#lists.set(element.attributes['style:name'] ?? '', new Set(numbered.map(({ attributes }) =>
          Number(attributes['text:level'])
        )));
      }
    }
  }

  /** `family` is `paragraph` or `text`. */
  get(family: string, name: string | undefined): OdtStyle {
    return name === undefined ? NONE : this.#resolve(family, name, 0);
  }

  /** Whether a level of a list, counted from 1, has numbers. */
  ordered(list: string | undefined, level: number): boolean {
    return this.#lists.get(list ?? '')?.has(level) ?? false;
  }

  #resolve(family: string, name: string, depth: number): OdtStyle {
    const key = `${family} ${name}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const element = this.#styles.get(key);
    const parent = element?.attributes['style:parent-style-name'];
    const inherited = parent === undefined || depth > MAX_ANCESTORS ? NONE : this.#resolve(family, parent, depth + 1);
    const style = { ...inherited, ...named(name), ...ownStyle(element, family) };
    this.#known.set(key, style);
    return style;
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
    ...(isMonospace(look['style:font-name'] ?? '') && family === 'text' ? { code: true } : {}),
    ...(level >= 1 ? { heading: level } : {}),
  };
}

/** Automatic styles, such as P1 and T12, hold formatting that the author applied directly. */
function isAutomatic(element: XmlElement | undefined): boolean {
  return /^[PT]\d+$/.test(element?.attributes['style:name'] ?? '');
}
