import { type Inline, type Look, MONOSPACE, text } from '../tree/inlines.ts';
import { child, elements, textOf, type XmlElement } from '../xml.ts';
import type { DocxContext } from './body.ts';
import { runLook } from './styles.ts';

/** Converts a formula of Word (OMML) to LaTeX. Supports fractions, scripts, roots, sums and brackets. */
function mathText(element: XmlElement): string {
  return elements(element).map(part).join('');
}

const inner = (parent: XmlElement, name: string): string => {
  const found = child(parent, name);
  return found === undefined ? '' : mathText(found);
};

function part(element: XmlElement): string {
  switch (element.name) {
    case 'm:r':
      return elements(element, 'm:t').map(textOf).join('');
    case 'm:f':
      return `\\frac{${inner(element, 'm:num')}}{${inner(element, 'm:den')}}`;
    case 'm:sSup':
      return `${inner(element, 'm:e')}^{${inner(element, 'm:sup')}}`;
    case 'm:sSub':
      return `${inner(element, 'm:e')}_{${inner(element, 'm:sub')}}`;
    case 'm:sSubSup':
      return `${inner(element, 'm:e')}_{${inner(element, 'm:sub')}}^{${inner(element, 'm:sup')}}`;
    case 'm:rad': {
      const degree = inner(element, 'm:deg');
      return `\\sqrt${degree === '' ? '' : `[${degree}]`}{${inner(element, 'm:e')}}`;
    }
    case 'm:nary':
      return `${child(child(element, 'm:naryPr'), 'm:chr')?.attributes['m:val'] ?? '\\int'}_{${
        inner(element, 'm:sub')
      }}^{${inner(element, 'm:sup')}}{${inner(element, 'm:e')}}`;
    case 'm:d': {
      const properties = child(element, 'm:dPr');
      const [open, close] = [child(properties, 'm:begChr')?.attributes['m:val'] ?? '(',
        child(properties, 'm:endChr')?.attributes['m:val'] ?? ')'];
      return `${open}${elements(element, 'm:e').map(mathText).join(', ')}${close}`;
    }
    default:
      return element.name.endsWith('Pr') ? '' : mathText(element);
  }
}

/** A field such as HYPERLINK: its instruction comes first, then its result, the text that is shown. */
interface Field {
  instruction: string;
  shows: boolean;
}

/** A quoted part of a field's instruction: `HYPERLINK "https://..." \o "..."`. */
const HYPERLINK = /^\s{0,20}HYPERLINK\s{1,20}(?!\\l)"?([^"\s]{1,4000})"?/;

/** Reads the runs of a paragraph in order. Text boxes are collected separately, because they hold blocks. */
export class Runs {
  readonly inlines: Inline[] = [];
  readonly boxes: XmlElement[] = [];
  /** Whether a style, rather than a font, marks some of it as code. */
  codeByStyle = false;
  readonly #context: DocxContext;
  readonly #fields: Field[] = [];

  constructor(context: DocxContext) {
    this.#context = context;
  }

  read(parent: XmlElement, look: Look = {}): void {
    for (const element of elements(parent)) this.#readChild(element, look);
  }

  #readChild(element: XmlElement, look: Look): void {
    switch (element.name) {
      case 'w:r':
        this.#run(element, look);
        break;
      case 'w:hyperlink': {
        const target = this.#context.links.get(element.attributes['r:id'] ?? '');
        this.read(element, target === undefined ? look : { ...look, href: target });
        break;
      }
      case 'w:fldSimple': {
        const href = HYPERLINK.exec(element.attributes['w:instr'] ?? '')?.[1];
        this.read(element, href === undefined ? look : { ...look, href });
        break;
      }
      case 'm:oMathPara':
        for (const formula of elements(element, 'm:oMath')) this.#formula(formula, '$$', look);
        break;
      case 'm:oMath':
        this.#formula(element, '$', look);
        break;
      case 'w:ins':
      case 'w:moveTo':
      case 'w:smartTag':
      case 'w:customXml':
      case 'w:sdtContent':
      case 'w:dir':
      case 'w:bdo':
        this.read(element, look);
        break;
      case 'w:sdt':
        this.read(child(element, 'w:sdtContent') ?? element, look);
        break;
      case 'mc:AlternateContent':
        this.#readAlternative(element, (chosen) => this.read(chosen, look));
        break;
    }
  }

  #formula(formula: XmlElement, fence: string, look: Look): void {
    const value = mathText(formula).trim();
    if (value === '') return;
    this.#context.budget.take(value.length);
    this.inlines.push({ kind: 'math', value: `${fence}${value}${fence}`, look });
  }

  #readAlternative(element: XmlElement, read: (chosen: XmlElement) => void): void {
    const chosen = child(element, 'mc:Choice') ?? child(element, 'mc:Fallback');
    if (chosen !== undefined) read(chosen);
  }

  #run(run: XmlElement, outer: Look): void {
    const properties = child(run, 'w:rPr');
    const style = this.#context.styles.get(child(properties, 'w:rStyle')?.attributes['w:val']);
    const { strong, emphasis, strike, hidden } = { ...style, ...runLook(properties) };
    if (hidden) return;
    this.codeByStyle ||= style.code === true;
    const code = style.code || MONOSPACE.test(child(properties, 'w:rFonts')?.attributes['w:ascii'] ?? '');
    this.#content(run, {
      strong: strong || undefined,
      emphasis: emphasis || undefined,
      strike: strike || undefined,
      code: code || undefined,
      href: outer.href ?? this.#fieldTarget(),
    });
  }

  #content(run: XmlElement, look: Look): void {
    for (const element of elements(run)) {
      switch (element.name) {
        case 'w:t':
          this.#text(textOf(element), look);
          break;
        case 'w:tab':
        case 'w:ptab':
          this.#text('\t', look);
          break;
        case 'w:noBreakHyphen':
          this.#text('‑', look);
          break;
        case 'w:br':
        case 'w:cr':
          if (this.#shown()) this.inlines.push({ kind: 'break', look });
          break;
        case 'w:sym':
          this.#text(symbol(element), look);
          break;
        case 'w:footnoteReference':
        case 'w:endnoteReference':
          this.#note(element, look);
          break;
        case 'w:instrText': {
          const field = this.#fields.at(-1);
          if (field !== undefined && !field.shows && field.instruction.length < 5000)
            field.instruction += textOf(element);
          break;
        }
        case 'w:fldChar':
          this.#fieldMark(element.attributes['w:fldCharType']);
          break;
        case 'mc:AlternateContent':
          this.#readAlternative(element, (chosen) => this.#content(chosen, look));
          break;
        case 'w:drawing':
        case 'w:pict':
        case 'w:object':
          this.#drawing(element, look);
          break;
      }
    }
  }

  #text(value: string, look: Look): void {
    if (!this.#shown() || value === '') return;
    this.#context.budget.take(value.length);
    // Editors insert a tab where text is indented; in markdown it becomes a space.
    this.inlines.push(text(look.code ? value : value.replaceAll('\t', ' '), look));
  }

  #note(element: XmlElement, look: Look): void {
    const id = this.#context.note(element.name === 'w:footnoteReference' ? 'footnote' : 'endnote',
      element.attributes['w:id'] ?? '');
    if (id !== undefined)
      this.inlines.push({ kind: 'note', id, look: look.href === undefined ? {} : { href: look.href } });
  }

  #fieldMark(type: string | undefined): void {
    if (type === 'begin') this.#fields.push({ instruction: '', shows: false });
    else if (type === 'separate' && this.#fields.length > 0) this.#fields.at(-1)!.shows = true;
    else if (type === 'end') this.#fields.pop();
  }

  /** Between a field's beginning and its result there is only its instruction. */
  #shown(): boolean {
    return this.#fields.every((field) => field.shows);
  }

  #fieldTarget(): string | undefined {
    for (const field of this.#fields) {
      const target = field.shows ? HYPERLINK.exec(field.instruction)?.[1] : undefined;
      if (target !== undefined) return target;
    }
    return undefined;
  }

  #drawing(element: XmlElement, look: Look): void {
    const alt = find(element, 'wp:docPr')?.attributes['descr'];
    const box = find(element, 'w:txbxContent');
    if (box !== undefined) this.boxes.push(box);
    else if (alt !== undefined && alt.trim() !== '') this.#text(alt.replace(/\s+/g, ' ').trim(), look);
  }
}

/** A character of a symbol font. The private use area repeats the font's codes. */
function symbol(element: XmlElement): string {
  const code = Number.parseInt(element.attributes['w:char'] ?? '', 16);
  if (!Number.isInteger(code) || code < 0x20 || code > 0xffff || (code >= 0xd800 && code < 0xe000)) return '';
  return code >= 0xf000 && code <= 0xf0ff ? (code === 0xf0b7 || code === 0xf0a7 ? '•' : '') : String.fromCharCode(code);
}

function find(element: XmlElement, name: string): XmlElement | undefined {
  for (const node of element.children) {
    if (typeof node === 'string') continue;
    const found = node.name === name ? node : find(node, name);
    if (found !== undefined) return found;
  }
  return undefined;
}
