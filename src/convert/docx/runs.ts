import { addressOf, linkOfField, textOfField } from '../fields.ts';
import { ommlTex } from '../math/omml.ts';
import { boxOf, symbolOf, symbolText } from '../symbols.ts';
import { type Inline, type Look, text } from '../tree/inlines.ts';
import { child, elements, textOf, type XmlElement } from '../xml.ts';
import type { DocxContext } from './body.ts';
import { findAll } from './graphics.ts';
import { runLook } from './styles.ts';

/** A field such as HYPERLINK: its instruction comes first, then its result, the text that is shown. */
interface Field {
  instruction: string;
  shows: boolean;
}

/** Something in a paragraph that holds blocks: a text box, or the part of a drawing. */
export type Anchored = { readonly box: XmlElement } | { readonly part: string };

/** Reads the runs of a paragraph in order. What holds blocks is collected separately. */
export class Runs {
  readonly inlines: Inline[] = [];
  readonly anchored: Anchored[] = [];
  readonly #context: DocxContext;
  readonly #fields: Field[] = [];
  /** Whether the style of the paragraph has a monospaced font. */
  readonly #typewriter: boolean;

  constructor(context: DocxContext, typewriter: boolean) {
    this.#context = context;
    this.#typewriter = typewriter;
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
        const href = addressOf(target, element.attributes['w:anchor']);
        this.read(element, href === undefined ? look : { ...look, href });
        break;
      }
      case 'w:fldSimple': {
        const href = linkOfField(element.attributes['w:instr'] ?? '');
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
        if (!isPrompt(element)) this.read(child(element, 'w:sdtContent') ?? element, look);
        break;
      case 'mc:AlternateContent':
        this.#readAlternative(element, (chosen) => this.read(chosen, look));
        break;
    }
  }

  #formula(formula: XmlElement, fence: string, look: Look): void {
    const value = ommlTex(formula);
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
    const { strong, emphasis, strike, hidden, typewriter = this.#typewriter, script } = {
      ...style,
      ...runLook(properties),
    };
    if (hidden) return;
    const look: Look = {
      strong: strong || undefined,
      emphasis: emphasis || undefined,
      strike: strike || undefined,
      code: style.code || typewriter || undefined,
      script,
      href: outer.href ?? this.#fieldTarget(),
    };
    this.#content(run, look, fontOf(properties));
  }

  #content(run: XmlElement, look: Look, font: string | undefined): void {
    for (const element of elements(run)) {
      switch (element.name) {
        case 'w:t':
          this.#text(symbolText(font, textOf(element)), look);
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
          this.#fieldMark(element, look);
          break;
        case 'mc:AlternateContent':
          this.#readAlternative(element, (chosen) => this.#content(chosen, look, font));
          break;
        case 'w:ruby':
          this.read(child(element, 'w:rubyBase') ?? element, look);
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

  #fieldMark(element: XmlElement, look: Look): void {
    const field = this.#fields.at(-1);
    switch (element.attributes['w:fldCharType']) {
      case 'begin':
        this.#text(formValue(child(element, 'w:ffData')), look);
        this.#fields.push({ instruction: '', shows: false });
        break;
      case 'separate':
        if (field !== undefined) field.shows = !textOfField(field.instruction);
        break;
      case 'end':
        this.#fields.pop();
        if (field?.shows === false) this.#text(textOfField(field.instruction) ?? '', look);
        break;
    }
  }

  /** Between a field's beginning and its result there is only its instruction. */
  #shown(): boolean {
    return this.#fields.every((field) => field.shows);
  }

  #fieldTarget(): string | undefined {
    for (const field of this.#fields) {
      const target = field.shows ? linkOfField(field.instruction) : undefined;
      if (target !== undefined) return target;
    }
    return undefined;
  }

  /** A text box, diagram or chart; a picture is an image with its description. */
  #drawing(element: XmlElement, look: Look): void {
    if (!this.#shown()) return;
    const boxes = findAll(element, 'w:txbxContent');
    const parts = [...findAll(element, 'dgm:relIds').map(({ attributes }) => attributes['r:dm']),
      ...findAll(element, 'c:chart').map(({ attributes }) => attributes['r:id'])];
    this.anchored.push(...boxes.map((box) => ({ box })), ...parts.map((part) => ({ part: part ?? '' })));
    for (const { attributes } of findAll(element, 'v:textpath')) this.#text(attributes['string'] ?? '', look);
    if (boxes.length > 0) return;
    const properties = findAll(element, 'wp:docPr')[0] ?? findAll(element, 'v:shape')[0];
    const { descr, title, alt } = properties?.attributes ?? {};
    const description = [descr, alt, title].find((said) => said !== undefined && said.trim() !== '');
    if (description === undefined) return;
    const said = description.replace(/\s+/g, ' ').trim();
    this.#context.budget.take(said.length);
    this.inlines.push({ kind: 'image', alt: said, url: '', look: look.href === undefined ? {} : { href: look.href } });
  }
}

/** Whether a content control shows only the prompt to fill it in. */
export function isPrompt(control: XmlElement): boolean {
  const prompt = child(child(control, 'w:sdtPr'), 'w:showingPlcHdr');
  return prompt !== undefined && !['0', 'false', 'off'].includes(prompt.attributes['w:val'] ?? '');
}

/** What a form field shows that has no result of its own: its box, or the chosen entry of its list. */
function formValue(data: XmlElement | undefined): string {
  const box = child(data, 'w:checkBox');
  if (box !== undefined) {
    const ticked = child(box, 'w:checked') ?? child(box, 'w:default');
    return boxOf(ticked !== undefined && !['0', 'false', 'off'].includes(ticked.attributes['w:val'] ?? ''));
  }
  const list = child(data, 'w:ddList');
  const chosen = child(list, 'w:result') ?? child(list, 'w:default');
  const entries = elements(list, 'w:listEntry');
  return entries[Number(chosen?.attributes['w:val'] ?? 0) || 0]?.attributes['w:val'] ?? '';
}

function fontOf(properties: XmlElement | undefined): string | undefined {
  const fonts = child(properties, 'w:rFonts')?.attributes;
  return fonts?.['w:ascii'] ?? fonts?.['w:hAnsi'];
}

/** A character of a symbol font; other fonts have letters there. */
function symbol(element: XmlElement): string {
  const code = Number.parseInt(element.attributes['w:char'] ?? '', 16);
  if (!Number.isInteger(code) || code < 0x20 || code > 0xffff || (code >= 0xd800 && code < 0xe000)) return '';
  const font = element.attributes['w:font'];
  return symbolOf(font, code) || (code >= 0xe000 && code <= 0xf8ff ? '' : String.fromCharCode(code));
}
