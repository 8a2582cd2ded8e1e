import { remembered } from '../remembered.ts';
import { isSymbolFont } from '../symbols.ts';
import { isMonospace } from '../tree/inlines.ts';
import { RtfLists } from './lists.ts';

/** Code pages of the character sets of fonts (RTF 1.9.1, "Font Table"). */
const CHARSETS: Readonly<Record<number, number>> = {
  77: 10000,
  128: 932,
  129: 949,
  130: 1361,
  134: 936,
  136: 950,
  161: 1253,
  162: 1254,
  163: 1258,
  177: 1255,
  178: 1256,
  186: 1257,
  204: 1251,
  222: 874,
  238: 1250,
  254: 437,
  255: 850,
};
const SYMBOL_CHARSET = 2;

const LABELS: Readonly<Record<number, string>> = {
  866: 'ibm866',
  874: 'windows-874',
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  10000: 'macintosh',
  10007: 'x-mac-cyrillic',
  20866: 'koi8-r',
  54936: 'gb18030',
  65001: 'utf-8',
};

/** Upper halves of DOS code pages, which the Encoding standard leaves out. */
const DOS: Readonly<Record<number, string>> = {
  437:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0',
  850:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0',
};

const decoders = new Map<number, (bytes: Uint8Array) => string>();

/** The code page of a font's character set; undefined if the document's code page applies. */
function codePageOfCharset(charset: number): number | undefined {
  return CHARSETS[charset];
}

/** Decodes bytes of a code page; an unknown one is taken for windows-1252. */
export function decodeCodePage(bytes: Uint8Array, codePage: number): string {
  let decode = decoders.get(codePage);
  if (decode === undefined) decoders.set(codePage, decode = decoderOf(codePage));
  return decode(bytes);
}

function decoderOf(codePage: number): (bytes: Uint8Array) => string {
  const upper = DOS[codePage];
  if (upper !== undefined)
    return (bytes) =>
      Array.from(bytes, (byte) => (byte < 0x80 ? String.fromCharCode(byte) : upper[byte - 0x80]!)).join('');
  const label = LABELS[codePage] ?? (codePage >= 1250 && codePage <= 1258 ? `windows-${codePage}` : 'windows-1252');
  const decoder = new TextDecoder(label, { ignoreBOM: true });
  return (bytes) => decoder.decode(bytes);
}

interface Font {
  codePage: number | undefined;
  symbol: boolean;
  name: string;
}

interface Style {
  name: string;
  outline: number | undefined;
  list: number | undefined;
  level: number;
}

const fontName = remembered((name) => name.split(';', 1)[0]!.trim());
const HEADING = /^heading ([1-9])\b/i;

/** The font table, style sheet and list tables at the beginning of a file, filled while they are read. */
export class FileTables {
  readonly #fonts = new Map<number, Font>();
  readonly #styles = new Map<number, Style>();
  readonly lists = new RtfLists();
  #font: Font | undefined;
  #style: Style | undefined;

  fontControl(word: string, parameter: number): void {
    if (word === 'f') this.#fonts.set(parameter, this.#font = { codePage: undefined, symbol: false, name: '' });
    else if (this.#font === undefined) return;
    else if (word === 'fcharset')
      Object.assign(this.#font, { codePage: codePageOfCharset(parameter), symbol: parameter === SYMBOL_CHARSET });
    else if (word === 'cpg') this.#font.codePage = parameter;
  }

  fontName(text: string): void {
    if (this.#font !== undefined && this.#font.name.length < 100) this.#font.name += text;
  }

  font(number: number | undefined): { codePage: number | undefined; symbol: boolean; code: boolean; name: string } {
    const font = this.#fonts.get(number ?? -1);
    const name = font === undefined ? '' : fontName(font.name);
    return {
      codePage: font?.codePage,
      symbol: (font?.symbol ?? false) || isSymbolFont(name),
      code: isMonospace(name),
      name,
    };
  }

  /** A style without a number is the default, 0; character and table styles do not apply to paragraphs. */
  styleControl(word: string, parameter: number): void {
    if (word === 's') this.#styles.set(parameter, this.#newStyle());
    else if (word === 'cs' || word === 'ds' || word === 'ts') this.#style = undefined;
    else if (this.#style === undefined) return;
    else if (word === 'outlinelevel') this.#style.outline = parameter;
    else if (word === 'ls') this.#style.list = parameter;
    else if (word === 'ilvl') this.#style.level = parameter;
  }

  styleGroup(): void {
    this.#style = undefined;
  }

  styleName(text: string): void {
    if (this.#style !== undefined && this.#style.name.length < 100) this.#style.name += text;
  }

  #newStyle(): Style {
    return (this.#style = { name: '', outline: undefined, list: undefined, level: 0 });
  }

  /** The level of a heading style, by its built-in name or its outline level; 0 for others. */
  headingOf(style: number | undefined): number {
    const { name = '', outline } = this.#styles.get(style ?? -1) ?? {};
    const level = HEADING.exec(name)?.[1];
    if (level !== undefined) return Number(level);
    if (/^title;?$/i.test(name.trim())) return 1;
    return outline !== undefined && outline < 9 ? outline + 1 : 0;
  }

  listOfStyle(style: number | undefined): { list: number; level: number } | undefined {
    const found = this.#styles.get(style ?? -1);
    return found?.list === undefined ? undefined : { list: found.list, level: found.level };
  }
}
