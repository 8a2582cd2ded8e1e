import { isUtf8 } from 'node:buffer';
import { Archive } from './archive.ts';
import { decodeText } from './charset.ts';
import { ConversionError, extensionOf, type FileFormat, formatOfExtension, formatOfMediaType } from './contract.ts';
import { orderOfUtf16 } from './guess-encoding.ts';

interface FoundFormat {
  readonly format: FileFormat;
  /** The warning about a name that the content contradicts. */
  readonly warnings: readonly string[];
}

/** Names of formats in messages. */
const NAMES: Readonly<Record<FileFormat, string>> = {
  md: 'Markdown',
  txt: 'plain text',
  html: 'HTML',
  htm: 'HTML',
  pdf: 'PDF',
  docx: 'DOCX',
  odt: 'ODT',
  rtf: 'RTF',
  yaml: 'YAML',
  yml: 'YAML',
  log: 'a log',
  lex: 'a lex file',
  tex: 'LaTeX',
  latex: 'LaTeX',
};

/** First bytes of binary formats that are not supported. */
const OTHERS: readonly (readonly [name: string, bytes: string])[] = [['a PNG picture', '\x89PNG'], ['a JPEG picture',
  '\xff\xd8\xff'], ['a GIF picture', 'GIF8'], ['a TIFF picture', 'II*\x00'], ['a TIFF picture', 'MM\x00*'], [
  'a gzip archive',
  '\x1f\x8b',
], ['a bzip2 archive', 'BZh'], ['a 7z archive', "7z\xbc\xaf'\x1c"], ['an xz archive', '\xfd7zXZ'], ['a RAR archive',
  'Rar!'], ['a zstd archive', '\x28\xb5\x2f\xfd'], ['a program', '\x7fELF'], ['a program', 'MZ\x90'], ['PostScript',
  '%!PS'], ['a WebAssembly module', '\x00asm']];
const OLE = '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1';
/** As many bytes show what a text is. */
const HEAD = 4096;
/** PDF readers search this many bytes of a file for the header. */
const PDF_WITHIN = 1024;
const TEXTS: ReadonlySet<FileFormat> = new Set(['md', 'txt', 'html', 'htm', 'yaml', 'yml', 'log', 'lex', 'tex',
  'latex']);

/**
 * Determines the format of a file. The content decides between formats that can be told apart; for text formats the
 * extension decides, then the media type. A contradiction is a warning.
 * @throws ConversionError `unsupported`, `encrypted`, `damaged`
 */
export function formatOf(bytes: Uint8Array, name: string, contentType: string | undefined): FoundFormat {
  const extension = extensionOf(name);
  const claimed = formatOfExtension(extension);
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, HEAD)).toString('latin1');
  const binary = binaryFormat(bytes, head);
  const found = binary ??
    textFormat(bytes, head, { extension, claimed, media: formatOfMediaType(contentType), contentType });
  const same = claimed === undefined || NAMES[claimed] === NAMES[found];
  return {
    format: same && claimed !== undefined ? claimed : found,
    warnings: same ? [] : [`The name ends in .${extension}, but the content is ${NAMES[found]}.`],
  };
}

/** Formats that are identified by their first bytes. */
function binaryFormat(bytes: Uint8Array, head: string): FileFormat | undefined {
  if (head.slice(0, PDF_WITHIN).includes('%PDF-')) return 'pdf';
  if (/^(?:\xef\xbb\xbf)?\s{0,20}\{\\rtf/.test(head)) return 'rtf';
  if (head.startsWith('PK\x03\x04') || head.startsWith('PK\x05\x06')) return formatOfArchive(new Archive(bytes));
  if (head.startsWith(OLE)) throw oldOffice(bytes);
  const other = OTHERS.find(([, start]) => head.startsWith(start));
  if (other !== undefined) throw new ConversionError('unsupported', `is ${other[0]}, which has no text to convert`);
  return undefined;
}

function formatOfArchive(archive: Archive): FileFormat {
  const kind = archive.has('mimetype') ? archive.read('mimetype')!.toString('latin1').trim() : '';
  if (kind.startsWith('application/vnd.oasis.opendocument.text')) return 'odt';
  if (kind !== '')
    throw new ConversionError('unsupported',
      `is an archive of the type ${kind.slice(0, 80).replace(/[^\x20-\x7e]/g, '?')}, which cannot be converted`);
  const names = archive.names;
  if (archive.has('word/document.xml') ||
    (archive.has('[Content_Types].xml') && names.some((name) => /^word\/document[^/]*\.xml$/.test(name))))
    return 'docx';
  if (archive.has('content.xml') && archive.has('META-INF/manifest.xml')) return 'odt';
  const office = names.find((name) => /^(?:xl|ppt|visio)\//.test(name))?.split('/')[0];
  const what = office === 'xl'
    ? 'a spreadsheet (XLSX)'
    : office === 'ppt'
    ? 'a presentation (PPTX)'
    : office === 'visio'
    ? 'a drawing (VSDX)'
    : 'a ZIP archive; its files have to be uploaded one by one';
  throw new ConversionError('unsupported', `is ${what}${office === undefined ? '' : ', which cannot be converted'}`);
}

/** Office files from before 2007, and the container of encrypted current ones; their streams have names in UTF-16. */
function oldOffice(bytes: Uint8Array): ConversionError {
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (content.includes(Buffer.from('EncryptedPackage', 'utf16le')))
    return new ConversionError('encrypted', 'is encrypted with a password');
  return new ConversionError('unsupported',
    'is an office file of the kind before 2007 (.doc, .xls, .ppt); save it as .docx');
}

interface Claims {
  readonly extension: string;
  readonly claimed: FileFormat | undefined;
  readonly media: FileFormat | undefined;
  readonly contentType: string | undefined;
}

function textFormat(bytes: Uint8Array, start: string, { extension, claimed, media, contentType }: Claims): FileFormat {
  const textual = isText(bytes);
  const head = isUtf16(bytes) ? decodeText(bytes.subarray(0, HEAD)).text : start;
  if (claimed !== undefined && !TEXTS.has(claimed)) return insteadOf(claimed, textual, head, bytes.length);
  if (!textual) throw new ConversionError('unsupported', 'is neither text nor a format that can be converted');
  const page = beginsAsPage(head);
  if (claimed !== undefined) {
    if (page && claimed !== 'log' && claimed !== 'lex' && claimed !== 'md') return 'html';
    return page && claimed === 'md' && media === 'html' ? 'html' : claimed;
  }
  if (page) return 'html';
  if (media !== undefined && TEXTS.has(media)) return media;
  // A name without an extension, such as `README`, says nothing; its media type may say that it is no prose.
  if (extension === '' && (media !== undefined || isUnspecific(contentType)))
    return /^\s*(?:%[^\n]*\n\s*)*\\documentclass/.test(head) ? 'tex' : 'txt';
  throw new ConversionError('unsupported',
    extension === ''
      ? `has the media type ${contentType!.slice(0, 80)}, which cannot be converted`
      : `has an extension (.${extension.slice(0, 20)}) that cannot be converted`);
}

/** Whether a complete HTML page begins here, after white space, comments and the XML declaration. */
function beginsAsPage(head: string): boolean {
  let at = head.startsWith('\xef\xbb\xbf') ? 3 : 0;
  for (;;) {
    while (at < head.length && head.charCodeAt(at) <= 0x20) at += 1;
    const end = head.startsWith('<!--', at) ? '-->' : head.startsWith('<?xml', at) ? '?>' : undefined;
    if (end === undefined) return /^<(?:!doctype\s{1,9}html|html)[\s>]/i.test(head.slice(at, at + 40));
    const found = head.indexOf(end, at);
    if (found < 0) return false;
    at = found + end.length;
  }
}

/** The actual format of a file that contradicts its extension. */
function insteadOf(claimed: FileFormat, textual: boolean, head: string, length: number): FileFormat {
  if (length === 0) throw new ConversionError('damaged', `is empty, and no ${NAMES[claimed]}`);
  if (!textual) throw new ConversionError('damaged', `is damaged: it does not begin as ${NAMES[claimed]} does`);
  return /<(?:!doctype\s+html|html|body|p|div|h[1-6]|table)[\s>]/i.test(head) ? 'html' : 'txt';
}

/** Whether a media type says no more than that a file is bytes or text. */
function isUnspecific(contentType: string | undefined): boolean {
  const type = contentType?.split(';', 1)[0]!.trim().toLowerCase() ?? '';
  return ['', 'application/octet-stream', 'binary/octet-stream'].includes(type) || type.startsWith('text/');
}

function isUtf16(bytes: Uint8Array): boolean {
  return (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff) ||
    orderOfUtf16(bytes) !== undefined;
}

/** Text contains no control characters except white space, unless it is in UTF-16. */
function isText(bytes: Uint8Array): boolean {
  if (bytes[0] === 0xff && bytes[1] === 0xfe && bytes[2] === 0 && bytes[3] === 0)
    throw new ConversionError('unsupported', 'is text in UTF-32; save it as UTF-8');
  if (isUtf16(bytes)) return true;
  const sample = bytes.subarray(0, 65_536);
  let controls = 0;
  for (const byte of sample) {
    if (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d && byte !== 0x0c && byte !== 0x1b) controls += 1;
  }
  return controls <= sample.length * (isUtf8(sample) ? 0.02 : 0.005);
}
