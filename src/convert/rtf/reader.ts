import { MAX_DEPTH, type OutputBudget, tooDeep } from '../limits.ts';
import type { Block } from '../tree/blocks.ts';
import { type Destination, type GroupState, INITIAL, lookOf, newParagraph, type ParagraphState,
  RtfBuilder } from './builder.ts';
import { decodeCodePage, FileTables } from './tables-of-file.ts';
import type { RtfHandler } from './tokens.ts';

/** Groups whose text is not part of the document; this includes every unknown group that begins with `\*`. */
const SKIPPED = new Set(['colortbl', 'pict', 'object', 'header', 'headerl', 'headerr', 'headerf', 'footer', 'footerl',
  'footerr', 'footerf', 'ftnsep', 'ftnsepc', 'ftncn', 'aftnsep', 'aftnsepc', 'aftncn', 'generator', 'xmlnstbl',
  'themedata', 'datastore', 'latentstyles', 'filetbl', 'revtbl', 'rsidtbl', 'bkmkstart', 'bkmkend', 'atnid',
  'atnauthor', 'annotation', 'atrfstart', 'atrfend', 'xe', 'tc', 'template', 'nonshppict', 'private', 'pgptbl',
  'fchars', 'lchars', 'datafield', 'nonesttables', 'do', 'sp', 'listpicture', 'mmathPr', 'deleted']);
const DESTINATIONS: Readonly<Record<string, Destination>> = {
  fonttbl: 'fonts',
  stylesheet: 'styles',
  listtable: 'lists',
  listoverridetable: 'overrides',
  info: 'info',
  fldinst: 'instruction',
  pntext: 'marker',
  listtext: 'marker',
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
    this.#builder.paragraph(this.#paragraph);
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
  }

  close(): void {
    this.#flush();
    this.#skip = 0;
    this.#starred = false;
    this.#state.atEnd?.();
    this.#state = this.#stack.pop() ?? this.#state;
  }

  bytes(bytes: Uint8Array): void {
    const skipped = Math.min(this.#skip, bytes.length);
    this.#skip -= skipped;
    if (this.#state.destination === 'skip') return;
    for (let i = skipped; i < bytes.length; i += 1) this.#pending.push(bytes[i]!);
  }

  byte(value: number): void {
    if (this.#skip > 0) this.#skip -= 1;
    else if (this.#state.destination !== 'skip') this.#pending.push(value);
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
    else if (word in DESTINATIONS) this.#state.destination = DESTINATIONS[word]!;
    else if (word === 'field') this.#state.field = { instruction: '' };
    else if (word === 'fldrslt') Object.assign(this.#state, { result: true, destination: 'body' });
    else if (word === 'footnote') this.#note();
    else if (word === 'pn' || word === 'shpinst' || word === 'shptxt' || word === 'nesttableprops' ||
      word === 'shppict')
    {
      if (word === 'shppict') this.#state.destination = 'skip';
    } else if (starred && word !== 'cs' && word !== 'ud') this.#state.destination = 'skip';
    else return false;
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
        this.tables.listControl(word, parameter ?? 0);
        break;
      case 'overrides':
        this.tables.overrideControl(word, parameter ?? 0);
        break;
      case 'info':
        this.#infoControl(word, parameter);
        break;
      default:
        this.#bodyControl(word, parameter);
    }
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
        this.#builder.paragraph(this.#paragraph);
        if (this.#paragraph.marker !== undefined) this.#paragraph.marker = undefined;
        break;
      case 'line':
        this.#builder.add({ kind: 'break', look: this.#look() });
        break;
      case 'pard':
        this.#paragraph = newParagraph();
        break;
      case 'plain':
        Object.assign(this.#state, { strong: false, emphasis: false, strike: false, hidden: false, font: undefined });
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
      case 'pnlvlblt':
        this.#paragraph.marker = { ordered: false };
        break;
      case 'pnlvlbody':
      case 'pndec':
        this.#paragraph.marker = { ordered: true };
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
    switch (word) {
      case 'intbl':
        this.#paragraph.inTable = true;
        break;
      case 'trowd':
        this.#builder.defineRow();
        break;
      case 'clmrg':
        this.#builder.merge('mergesLeft');
        break;
      case 'clvmrg':
        this.#builder.merge('mergesUp');
        break;
      case 'cellx':
        this.#builder.defineCell(parameter ?? 0);
        break;
      case 'cell':
        this.#builder.endCell(this.#paragraph);
        break;
      case 'row':
        this.#builder.endRow();
        break;
      case 'nestcell':
      case 'nestrow':
        this.#builder.paragraph({ ...this.#paragraph, inTable: true });
        break;
    }
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
      this.#builder.paragraph(this.#paragraph);
      this.#builder.endTable();
      this.notes.set(id, this.#builder.blocks);
      [this.#builder, this.#paragraph] = [builder, paragraph];
    };
  }

  /** `\u`: a code unit of UTF-16, negative above 32767. */
  #unicode(code: number): void {
    this.#skip = this.#state.fallback;
    const unit = code < 0 ? code + 0x10000 : code;
    // Symbol fonts have their glyphs in the private use area, at the codes of their bytes.
    const symbol = unit >= 0xf000 && unit <= 0xf0ff;
    if (unit <= 0 || unit > 0xffff) return;
    this.#text(symbol ? (unit === 0xf0b7 || unit === 0xf0a7 ? '•' : '') : String.fromCharCode(unit));
  }

  #flush(): void {
    if (this.#pending.length === 0) return;
    const bytes = Uint8Array.from(this.#pending);
    this.#pending = [];
    const font = this.tables.font(
      this.#state.destination === 'body' || this.#state.destination === 'info' ? this.#state.font : undefined,
    );
    if (font.symbol && this.#state.destination === 'body') {
      this.#text(bytes.every((byte) => byte === 0xb7) ? '•' : '');
      return;
    }
    this.#text(decodeCodePage(bytes, font.codePage ?? this.#codePage));
  }

  #text(value: string): void {
    const { destination, hidden, info, field } = this.#state;
    if (destination === 'body') {
      if (!hidden) this.#builder.text(value, this.#look());
    } else if (destination === 'fonts') this.tables.fontName(value);
    else if (destination === 'styles') this.tables.styleName(value);
    else if (destination === 'instruction' && field !== undefined && field.instruction.length < 5000)
      field.instruction += value;
    else if (destination === 'info' && info !== undefined && (this.info[info]?.length ?? 0) < 2000)
      this.info[info] = (this.info[info] ?? '') + value;
    else if (destination === 'marker' && value.trim() !== '')
      this.#paragraph.marker ??= { ordered: /^\W{0,3}\w{1,5}[.)]/.test(value) };
  }
}
