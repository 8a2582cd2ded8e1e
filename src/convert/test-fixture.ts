// Files built in code, and the conversion of bytes in this thread.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { zipStream } from '../lib/zip-stream.ts';
import type { Conversion, ConversionError, ConversionFault, ConversionOptions } from './contract.ts';
import { convertFile, faultOf } from './convert-file.ts';

const MAX_OUTPUT = 10_000_000;

/** Converts bytes or a text in the same way as a worker. @throws ConversionError */
export async function convert(content: Uint8Array | string, name: string,
  options: ConversionOptions & { contentType?: string; maxOutput?: number } = {}): Promise<Conversion>
{
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : Uint8Array.from(content);
  const { contentType, textOnly, mainContent, baseUrl, maxOutput = MAX_OUTPUT } = options;
  return convertFile({ bytes, name, contentType, textOnly, mainContent, baseUrl, maxOutput }).catch(
    (error: unknown) => {
      throw faultOf(error);
    },
  );
}

/** Only the markdown, without the line end after it. */
export async function markdown(content: Uint8Array | string, name: string,
  options: Parameters<typeof convert>[2] = {}): Promise<string>
{
  return (await convert(content, name, options)).contentMd.trimEnd();
}

export async function fault(content: Uint8Array | string, name: string,
  options: Parameters<typeof convert>[2] = {}): Promise<ConversionFault | 'none'>
{
  return convert(content, name, options).then(() => 'none', (error: unknown) => (error as ConversionError).fault);
}

export async function zip(entries: Readonly<Record<string, string | Buffer>>): Promise<Uint8Array> {
  const parts: Buffer[] = [];
  const list = async function*() {
    for (const [name, content] of Object.entries(entries)) yield { name, content: Buffer.from(content), modified: 0 };
  };
  for await (const part of zipStream(list())) parts.push(part);
  return Uint8Array.from(Buffer.concat(parts));
}

const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" ' +
  'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" ' +
  'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" ' +
  'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"';

/** A DOCX with the given body elements; other parts are given by path. */
export function docx(body: string, parts: Readonly<Record<string, string>> = {}): Promise<Uint8Array> {
  const wrapped = Object.fromEntries(
    Object.entries(parts).map(([path, content]) => [path, content.replace(/^<w:(\w+)>/, `<w:$1 ${W}>`)]),
  );
  return zip({
    '[Content_Types].xml': '<Types/>',
    'word/document.xml': `<?xml version="1.0"?><w:document ${W}><w:body>${body}</w:body></w:document>`,
    ...wrapped,
  });
}

const ODF = ['office', 'text', 'table', 'style', 'meta', 'manifest'].map((area) =>
  `xmlns:${area}="urn:oasis:names:tc:opendocument:xmlns:${area}:1.0"`
).join(' ');
const ODF_MORE = 'xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0" ' +
  'xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:xlink="http://www.w3.org/1999/xlink" ' +
  'xmlns:dc="http://purl.org/dc/elements/1.1/"';

/** An ODT with the given text elements and automatic styles; other parts are given by path. */
export function odt(text: string, styles = '', parts: Readonly<Record<string, string>> = {}): Promise<Uint8Array> {
  const content = `<?xml version="1.0"?><office:document-content ${ODF} ` +
    `${ODF_MORE}><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:text>${text}</office:text></office:body></office:document-content>`;
  const wrapped = Object.fromEntries(
    Object.entries(parts).map(([path, part]) => [path, part.replace(/^<([\w:-]+)>/, `<$1 ${ODF} ${ODF_MORE}>`)]),
  );
  return zip({ mimetype: 'application/vnd.oasis.opendocument.text', 'content.xml': content, ...wrapped });
}

export interface PdfText {
  readonly x: number;
  readonly y: number;
  readonly text: string;
  readonly size?: number;
  /** Bold Helvetica, or a font that names a CMap without embedding it. */
  readonly font?: 'bold' | 'UniJIS-UTF16-H' | 'UniKS-UTF16-H';
}

export interface PdfPageContent {
  readonly texts: readonly PdfText[];
  readonly rotate?: number;
  readonly link?: { readonly url: string; readonly rect: readonly number[] };
  /** Further annotations, as their dictionaries. */
  readonly annotations?: readonly string[];
  /** Operators before the texts. */
  readonly drawing?: string;
}

const PDF_FONTS = {
  F1: '3 0 R',
  bold: '<</Type/Font/Subtype/Type1/BaseFont/Helvetica-Bold/Encoding/WinAnsiEncoding>>',
  'UniJIS-UTF16-H': cjkFont('UniJIS-UTF16-H', 'Japan1'),
  'UniKS-UTF16-H': cjkFont('UniKS-UTF16-H', 'Korea1'),
};

function cjkFont(cmap: string, ordering: string): string {
  return `<</Type/Font/Subtype/Type0/BaseFont/Sans/Encoding/${cmap}/DescendantFonts[<</Type/Font/Subtype/` +
    `CIDFontType0/BaseFont/Sans/CIDSystemInfo<</Registry(Adobe)/Ordering(${ordering})/Supplement 1>>/FontDescriptor` +
    '<</Type/FontDescriptor/FontName/Sans/Flags 4/Ascent 800/Descent -200>>/DW 1000>>]>>';
}

/**
 * A PDF with texts at positions, in Helvetica unless they name another font, on pages of 612 by 792 points. `trailer`
 * is added to its trailer.
 */
export function pdf(pages: readonly PdfPageContent[], info = '', trailer = ''): Uint8Array {
  const objects = ['<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Count ${pages.length}/Kids[${pages.map((_, i) => `${5 + 2 * i} 0 R`).join(' ')}]>>`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>', `<<${info}>>`];
  const fonts = Object.entries(PDF_FONTS).map(([name, font]) => `/${name} ${font}`).join('');
  for (const { texts, rotate = 0, link, annotations = [], drawing = '' } of pages) {
    const all = link === undefined
      ? annotations
      : [...annotations, `<</Type/Annot/Subtype/Link/Rect[${link.rect.join(' ')}]/A<</S/URI/URI(${link.url})>>>>`];
    const matrix = rotate === 90 ? '0 1 -1 0' : '1 0 0 1';
    const shown = ({ text, font = 'bold' }: PdfText) =>
      font.startsWith('Uni')
        ? `<${Buffer.from(text, 'utf16le').swap16().toString('hex')}>`
        : `(${text.replace(/[\\()]/g, '\\$&')})`;
    const stream = [drawing, ...texts.map((text) =>
      `BT /${text.font ?? 'F1'} ${text.size ?? 10} Tf ${matrix} ${text.x} ${text.y} Tm ${shown(text)} Tj ET`
    )].join('\n');
    objects.push(
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Rotate ${rotate}/Resources<</Font<<${fonts}>>>>/Contents ${
        objects.length + 2
      } 0 R/Annots[${all.join('')}]>>`,
      `<</Length ${stream.length}>>stream\n${stream}\nendstream`,
    );
  }
  let file = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const start = file.length;
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${
    offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  }trailer\n<</Size ${objects.length + 1}/Root 1 0 R/Info 4 0 R${trailer}>>\nstartxref\n${start}\n%%EOF\n`;
  return Uint8Array.from(Buffer.from(file, 'latin1'));
}

/** The real files of the public corpus, if it is in a folder beside the checkout. */
export function officeCorpus(): { folder: string; files: { file: string; expect: string[] }[] } | undefined {
  const beside = ['../../../shared/corpus/office/', '../../../../shared/corpus/office/'].map((path) =>
    fileURLToPath(new URL(path, import.meta.url))
  );
  const folder = beside.find((path) => existsSync(path));
  if (folder === undefined) return undefined;
  return {
    folder,
    files: JSON.parse(readFileSync(`${folder}expected.json`, 'utf8')) as { file: string; expect: string[] }[],
  };
}
