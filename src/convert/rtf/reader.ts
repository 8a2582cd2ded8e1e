// One class: the dispatch of control words, which all change the same state. Separable parts are in builder.ts,
// math.ts, tables-of-file.ts and lists.ts.
import { textOfField } from '../fields.ts';
import { MAX_DEPTH, type OutputBudget, tooDeep } from '../limits.ts';
import { boxOf, symbolOf } from '../symbols.ts';
import type { Block } from '../tree/blocks.ts';
import { type Destination, type FormField, type GroupState, INITIAL, lookOf, type Marker, newParagraph,
  type ParagraphState, RtfBuilder } from './builder.ts';
import { RtfMath } from './math.ts';
import { decodeCodePage, FileTables } from './tables-of-file.ts';
import type { RtfHandler } from './tokens.ts';

/** Groups whose text is not part of the document; this includes every unknown group that begins with `\*`. */
const SKIPPED = new Set(['colortbl', 'header', 'headerl', 'headerr', 'headerf', 'footer', 'footerl', 'footerr',
  'footerf', 'ftnsep', 'ftnsepc', 'ftncn', 'aftnsep', 'aftnsepc', 'aftncn', 'generator', 'xmlnstbl', 'themedata',
  'datastore', 'latentstyles', 'filetbl', 'revtbl', 'rsidtbl', 'bkmkstart', 'bkmkend', 'atnid', 'atnauthor',
  'annotation', 'atrfstart', 'atrfend', 'xe', 'tc', 'template', 'nonshppict', 'private', 'pgptbl', 'fchars', 'lchars',
  'datafield', 'nonesttables', 'do', 'listpicture', 'mmathPr', 'mmathPict', 'moMathParaPr', 'mctrlPr', 'pntxtb',
  'pntxta', 'objdata', 'objclass', 'deleted']);
const DESTINATIONS: Readonly<Record<string, Destination>> = {
  fonttbl: 'fonts',
  stylesheet: 'styles',
  listtable: 'lists',
  listoverridetable: 'overrides',
  info: 'info',
  fldinst: 'instruction',
  pntext: 'marker',
  listtext: 'marker',
  leveltext: 'label',
  pict: 'picture',
  shppict: 'picture',
  picprop: 'picture',
  object: 'picture',
  result: 'body',
  sn: 'property name',
  sv: 'property value',
};
const CHARACTERS: Readonly<Record<string, string>> = {
  tab: '\t',
  emdash: '—',
  endash: '–',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  bullet: '•',
  emspace: ' ',
  enspace: ' ',
  qmspace: ' ',
  zwj: '\u200d',
  zwnj: '\u200c',
  ltrmark: '\u200e',
  rtlmark: '\u200f',
  '~': '\u00a0',
  _: '‑',
  '{': '{',
  '}': '}',
  '\\': '\\',
};
/** Groups that only hold others. */
const WRAPPERS = new Set(['pn', 'shpinst', 'shptxt', 'moMathPara']);
/** Groups that stand for data of pictures; only descriptions inside are read. */
const DATA: ReadonlySet<Destination> = new Set(['skip', 'picture']);
const MAX_VALUE = 5000;
/** Destinations whose bytes are in the code page of the current font. */
const OF_FONT: ReadonlySet<Destination> = new Set(['body', 'info', 'marker', 'math']);
const NOTHING_CHOSEN = 25;
const INFO = new Set(['title', 'author', 'subject', 'creatim', 'revtim']);

/** Processes the tokens of a file and builds its blocks. */
export class RtfReader implements RtfHandler {
  readonly tables = new FileTables();
  readonly notes = new Map<string, Block[]>();
  readonly info: Record<string, string> = {};
  /** Whether all groups that were opened have been closed. */
  get whole(): boolean {
    return this.#stack.length === 0;
  }
  language: number | undefined;
  repaired = 0;
  readonly #stack: GroupState[] = [];
  readonly #budget: OutputBudget;
  #builder: RtfBuilder;
  #state: GroupState = { ...INITIAL };
  #paragraph: ParagraphState = newParagraph();
  #marker: Marker | undefined;
  #codePage = 1252;
  #pending: number[] = [];
  #skip = 0;
  #starred = false;

  constructor(budget: OutputBudget) {
    this.#budget = budget;
    this.#builder = new RtfBuilder(this.tables, budget);
  }

  finish(): Block[] {
    this.#flush();
    this.#endParagraph({ dropped: false });
    this.#builder.endTable();
    return this.#builder.blocks;
  }

  open(): void {
    this.#flush();
    this.#skip = 0;
    if (this.#stack.length >= MAX_DEPTH) throw tooDeep('groups');
    this.#stack.push(this.#state);
    this.#state = { ...this.#state, atEnd: undefined };
    if (this.#state.destination === 'styles') this.tables.styleGroup();
    this.#state.math?.openGroup();
  }

  close(): void {
    this.#flush();
    this.#skip = 0;
    this.#starred = false;
    this.#state.atEnd?.();
    const outer = this.#stack.pop();
    if (outer?.math !== undefined) outer.math.closeGroup();
    this.#state = outer ?? this.#state;
  }

  bytes(bytes: Uint8Array): void {
    const skipped = Math.min(this.#skip, bytes.length);
    this.#skip -= skipped;
    if (DATA.has(this.#state.destination)) return;
    for (let i = skipped; i < bytes.length; i += 1) this.#pending.push(bytes[i]!);
  }

  byte(value: number): void {
    if (this.#skip > 0) this.#skip -= 1;
    else if (!DATA.has(this.#state.destination)) this.#pending.push(value);
  }

  control(word: string, parameter: number | undefined): void {
    if (this.#skip > 0 && word in CHARACTERS) {
      this.#skip -= 1;
      return;
    }
    this.#flush();
    if (word === '*') {
      this.#starred = true;
      return;
    }
    const starred = this.#starred;
    this.#starred = false;
    if (this.#state.destination === 'skip') return;
    if (this.#destination(word, starred)) return;
    if (word === 'u') this.#unicode(parameter ?? 0);
    else if (word in CHARACTERS) this.#text(CHARACTERS[word]!);
    else this.#dispatch(word, parameter);
  }

  /** Returns whether the control word began a group of another kind. */
  #destination(word: string, starred: boolean): boolean {
    if (SKIPPED.has(word) && (starred || word !== 'deleted')) this.#state.destination = 'skip';
    else if (word === 'result' && this.#state.destination !== 'picture') return false;
    else if (word in DESTINATIONS) this.#state.destination = DESTINATIONS[word]!;
    else if (word === 'field') this.#field();
    else if (word === 'fldrslt') Object.assign(this.#state, { result: true, destination: 'body' });
    else if (word === 'footnote') this.#note();
    else if (word === 'sp') this.#property();
    else if (word === 'formfield') this.#form();
    else if (word === 'ffl' && this.#state.form !== undefined) {
      this.#state.form.entries.push('');
      this.#state.destination = 'entry';
    } else if (word === 'moMath') this.#math();
    else if (word === 'nesttableprops') this.#state.nested = true;
    else if (starred && word !== 'cs' && word !== 'ud' && !WRAPPERS.has(word)) this.#state.destination = 'skip';
    else return WRAPPERS.has(word);
    return true;
  }

  #dispatch(word: string, parameter: number | undefined): void {
    switch (this.#state.destination) {
      case 'fonts':
        this.tables.fontControl(word, parameter ?? 0);
        break;
      case 'styles':
        this.tables.styleControl(word, parameter ?? 0);
        break;
      case 'lists':
        this.tables.lists.listControl(word, parameter ?? 0);
        break;
      case 'overrides':
        this.tables.lists.overrideControl(word, parameter ?? 0);
        break;
      case 'info':
        this.#infoControl(word, parameter);
        break;
      case 'form':
        this.#formControl(word, parameter ?? 0);
        break;
      case 'math':
        this.#state.math?.control(word);
        break;
      case 'marker':
        // The paragraph's own properties come after its label.
        if (word === 'f') this.#state.font = parameter;
        break;
      case 'body':
        this.#bodyControl(word, parameter);
        break;
    }
  }

  #formControl(word: string, parameter: number): void {
    const { form } = this.#state;
    if (form === undefined) return;
    if (word === 'fftype') form.type = parameter;
    else if (word === 'ffres') form.result = parameter;
    else if (word === 'ffdefres') form.initial = parameter;
  }

  #infoControl(word: string, parameter: number | undefined): void {
    if (INFO.has(word)) {
      // Text that is present twice is in Unicode the second time (`\upr`).
      delete this.info[word];
      this.#state.info = word;
    } else if (['yr', 'mo', 'dy', 'hr', 'min', 'sec'].includes(word) && this.#state.info !== undefined) {
      const before = this.info[this.#state.info];
      const separator = before === undefined ? '' : word === 'hr' ? 'T' : word === 'min' || word === 'sec' ? ':' : '-';
      this.info[this.#state.info] = `${before ?? ''}${separator}${
        String(parameter ?? 0).padStart(word === 'yr' ? 4 : 2, '0')
      }`;
    }
  }

  #bodyControl(word: string, parameter: number | undefined): void {
    const on = parameter !== 0;
    switch (word) {
      case 'par':
      case 'sect':
        this.#endParagraph();
        break;
      case 'line':
        this.#builder.add({ kind: 'break', look: this.#look() });
        break;
      case 'pard':
        this.#paragraph = newParagraph();
        break;
      case 'plain':
        Object.assign(this.#state, {
          strong: false,
          emphasis: false,
          strike: false,
          hidden: false,
          font: undefined,
          script: undefined,
        });
        break;
      case 'b':
        this.#state.strong = on;
        break;
      case 'i':
        this.#state.emphasis = on;
        break;
      case 'strike':
      case 'striked':
        this.#state.strike = on;
        break;
      case 'super':
      case 'sub':
        this.#state.script = on ? word : undefined;
        break;
      case 'up':
      case 'dn':
        this.#state.script = on ? (word === 'up' ? 'super' : 'sub') : undefined;
        break;
      case 'nosupersub':
        this.#state.script = undefined;
        break;
      case 'v':
      case 'deleted':
        this.#state.hidden = on;
        break;
      case 'f':
        this.#state.font = parameter;
        break;
      case 'uc':
        this.#state.fallback = Math.max(0, Math.min(10, parameter ?? 1));
        break;
      default:
        this.#paragraphControl(word, parameter);
    }
  }

  #paragraphControl(word: string, parameter: number | undefined): void {
    switch (word) {
      case 's':
        this.#paragraph.style = parameter;
        break;
      case 'outlinelevel':
        this.#paragraph.outline = parameter;
        break;
      case 'ls':
        this.#paragraph.list = parameter;
        break;
      case 'ilvl':
        this.#paragraph.level = Math.max(0, Math.min(8, parameter ?? 0));
        break;
      case 'dropcapli':
        this.#paragraph.dropped = (parameter ?? 0) > 0;
        break;
      case 'pnlvlblt':
        this.#marker = { label: this.#marker?.label ?? '', ordered: false };
        break;
      case 'pnlvlbody':
      case 'pndec':
        this.#marker = { label: this.#marker?.label ?? '', ordered: true };
        break;
      case 'ansicpg':
        this.#codePage = parameter ?? 1252;
        break;
      case 'mac':
        this.#codePage = 10000;
        break;
      case 'pc':
        this.#codePage = 437;
        break;
      case 'pca':
        this.#codePage = 850;
        break;
      case 'deflang':
        this.language = parameter;
        break;
      default:
        this.#tableControl(word, parameter);
    }
  }

  #tableControl(word: string, parameter: number | undefined): void {
    const table = () => this.#builder.definitions(this.#state.nested);
    switch (word) {
      case 'intbl':
        this.#paragraph.inTable = true;
        break;
      case 'itap':
        Object.assign(this.#paragraph, { inTable: parameter !== 0, nesting: parameter ?? 1 });
        break;
      case 'trowd':
        table().defineRow();
        break;
      case 'clmrg':
        table().merge('mergesLeft');
        break;
      case 'clvmrg':
        table().merge('mergesUp');
        break;
      case 'cellx':
        table().defineCell(parameter ?? 0);
        break;
      case 'cell':
      case 'nestcell':
        this.#builder.endCell(this.#paragraph, this.#marker,
          word === 'cell' ? 1 : Math.max(2, this.#paragraph.nesting));
        this.#marker = undefined;
        break;
      case 'row':
      case 'nestrow':
        this.#builder.endRow(word === 'nestrow');
        break;
    }
  }

  #endParagraph(changes: Partial<ParagraphState> = {}): void {
    this.#builder.paragraph({ ...this.#paragraph, ...changes }, this.#marker);
    this.#marker = undefined;
  }

  #look(): ReturnType<typeof lookOf> {
    return lookOf(this.#state, this.tables.font(this.#state.font).code);
  }

  /** The text of a note goes to its own builder until the group ends. */
  #note(): void {
    const id = String(this.notes.size + 1);
    const [builder, paragraph] = [this.#builder, this.#paragraph];
    const { strong, emphasis, strike } = INITIAL;
    builder.add({ kind: 'note', id, look: {} });
    this.notes.set(id, []);
    this.#builder = new RtfBuilder(this.tables, this.#budget);
    this.#paragraph = newParagraph();
    Object.assign(this.#state, { strong, emphasis, strike, field: undefined, result: false });
    this.#state.atEnd = () => {
      this.#endParagraph({ dropped: false });
      this.#builder.endTable();
      this.notes.set(id, this.#builder.blocks);
      [this.#builder, this.#paragraph] = [builder, paragraph];
    };
  }

  /** A field whose result is empty may say what it shows in its instruction. */
  #field(): void {
    const field = { instruction: '', shown: false };
    this.#state.field = field;
    this.#state.atEnd = () => {
      if (!field.shown) this.#text(textOfField(field.instruction) ?? '');
    };
  }

  #form(): void {
    const form: FormField = { type: 0, result: NOTHING_CHOSEN, initial: 0, entries: [] };
    Object.assign(this.#state, { destination: 'form', form });
    this.#state.atEnd = () => {
      const chosen = form.result === NOTHING_CHOSEN ? form.initial : form.result;
      if (form.type === 1) this.#builder.text(boxOf(chosen === 1), this.#look());
      if (form.type === 2) this.#builder.text(form.entries[chosen] ?? '', this.#look());
      if (form.type !== 0 && this.#state.field !== undefined) this.#state.field.shown = true;
    };
  }

  /** A property of a shape or picture, of which the description and the text of WordArt are read. */
  #property(): void {
    const property = { name: '', value: '' };
    Object.assign(this.#state, { destination: 'picture', property });
    this.#state.atEnd = () => {
      const value = property.value.replace(/\s+/g, ' ').trim();
      const name = property.name.trim();
      if (value !== '' && name === 'wzDescription') this.#builder.add({ kind: 'image', alt: value, url: '', look: {} });
      if (name === 'gtextUNICODE') this.#builder.text(value, {});
    };
  }

  #math(): void {
    const math = new RtfMath();
    const look = this.#look();
    Object.assign(this.#state, { destination: 'math', math });
    this.#state.atEnd = () => {
      if (math.tex !== '') this.#builder.add({ kind: 'math', value: `$${math.tex}$`, look });
    };
  }

  /** `\u`: a code unit of UTF-16, negative above 32767. */
  #unicode(code: number): void {
    this.#skip = this.#state.fallback;
    const unit = code < 0 ? code + 0x10000 : code;
    if (unit <= 0 || unit > 0xffff) return;
    // Symbol fonts have their glyphs in the private use area, at the codes of their bytes.
    const symbol = unit >= 0xf000 && unit <= 0xf0ff && this.#state.destination !== 'label';
    this.#text(symbol ? symbolOf(this.tables.font(this.#state.font).name, unit) : String.fromCharCode(unit));
  }

  #flush(): void {
    if (this.#pending.length === 0) return;
    const bytes = Uint8Array.from(this.#pending);
    this.#pending = [];
    const { destination } = this.#state;
    const font = this.tables.font(OF_FONT.has(destination) ? this.#state.font : undefined);
    if (font.symbol && destination !== 'info') {
      this.#text(Array.from(bytes, (byte) => symbolOf(font.name, byte)).join(''));
      return;
    }
    this.#text(decodeCodePage(bytes, font.codePage ?? this.#codePage));
  }

  #text(value: string): void {
    const { destination, hidden, info, field, property, form } = this.#state;
    switch (destination) {
      case 'body':
        if (hidden) break;
        if (this.#state.result && field !== undefined && value.trim() !== '') field.shown = true;
        this.#builder.text(value, this.#look());
        break;
      case 'fonts':
        this.tables.fontName(value);
        break;
      case 'styles':
        this.tables.styleName(value);
        break;
      case 'label':
        this.tables.lists.levelText(value);
        break;
      case 'instruction':
        if (field !== undefined && field.instruction.length < MAX_VALUE) field.instruction += value;
        break;
      case 'info':
        if (info !== undefined && (this.info[info]?.length ?? 0) < 2000)
          this.info[info] = (this.info[info] ?? '') + value;
        break;
      case 'marker':
        this.#marker ??= { label: '', ordered: undefined };
        if (this.#marker.label.length < 200) this.#marker.label += value;
        break;
      case 'property name':
      case 'property value': {
        const part = destination === 'property name' ? 'name' : 'value';
        if (property !== undefined && property[part].length < MAX_VALUE) property[part] += value;
        break;
      }
      case 'entry':
        if (form !== undefined && form.entries.length > 0 && form.entries.at(-1)!.length < MAX_VALUE)
          form.entries[form.entries.length - 1] += value;
        break;
      case 'math':
        this.#budget.take(value.length);
        this.#state.math?.text(value);
        break;
    }
  }
}
