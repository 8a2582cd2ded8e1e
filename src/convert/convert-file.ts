import type { Root } from 'mdast';
import { type Conversion, ConversionError, type FileFormat, type Parts } from './contract.ts';
import type { ConvertRequest } from './conversion-worker.ts';
import { formatOf } from './format-of.ts';
import { tooMuchOutput } from './limits.ts';

/** Formats for which `textOnly` returns the plain text. */
const WITH_MARKUP: ReadonlySet<FileFormat> = new Set(['html', 'htm', 'docx', 'odt', 'rtf', 'pdf', 'tex', 'latex']);
const AS_THEY_ARE: ReadonlySet<FileFormat> = new Set(['md', 'txt']);

/** Converts a file in this thread; each reader is loaded with the first file of its format. @throws ConversionError */
export async function convertFile(request: ConvertRequest): Promise<Conversion> {
  const { format, warnings } = formatOf(request.bytes, request.name, request.contentType);
  const parts = await read(format, request);
  const contentMd = typeof parts.content === 'string' ? parts.content : await print(parts.content, format, request);
  if (contentMd.length > request.maxOutput) throw tooMuchOutput(request.maxOutput);
  // Nothing of something is a loss that nobody would see; a text is stored as it is, and may be front matter alone.
  if (contentMd.trim() === '' && !AS_THEY_ARE.has(format) && !isBlank(request.bytes)) throw nothingLeft(parts);
  return {
    contentMd,
    format,
    converted: !AS_THEY_ARE.has(format),
    meta: parts.meta,
    repaired: parts.repaired,
    warnings: [...warnings, ...parts.warnings],
  };
}

/** Whether a file has no bytes but white space. */
function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte <= 0x20);
}

function nothingLeft({ instead }: Parts): ConversionError {
  return new ConversionError('empty',
    `holds no text that can be converted${
      instead === undefined ? '; it may be empty or hold only pictures' : `, ${instead}`
    }`);
}

async function read(format: FileFormat, { bytes, ...options }: ConvertRequest): Promise<Parts> {
  switch (format) {
    case 'html':
    case 'htm':
      return (await import('./html/index.ts')).readHtml(bytes, options);
    case 'docx':
      return (await import('./docx/index.ts')).readDocx(bytes, options,
        (inner, name) => readInside(inner, { ...options, name }));
    case 'odt':
      return (await import('./odt/index.ts')).readOdt(bytes, options);
    case 'rtf':
      return (await import('./rtf/index.ts')).readRtf(bytes, options);
    case 'pdf':
      return (await import('./pdf/index.ts')).readPdf(bytes, options);
    case 'tex':
    case 'latex':
      return (await import('./latex/index.ts')).readLatex(bytes, options);
    case 'md':
      return (await import('./dialects/index.ts')).readMarkdown(bytes, options);
    case 'txt':
      return (await import('./plain/index.ts')).readText(bytes, options);
    default:
      return (await import('./plain/index.ts')).readFenced(bytes, format, options);
  }
}

/** A file inside a document. A document inside it is read as well, without the files inside that one. */
async function readInside(bytes: Uint8Array, outer: Omit<ConvertRequest, 'bytes'>): Promise<Parts> {
  const options = { ...outer, contentType: undefined, mainContent: false };
  const { format } = formatOf(bytes, options.name, undefined);
  return format === 'docx'
    ? (await import('./docx/index.ts')).readDocx(bytes, options)
    : read(format, { ...options, bytes });
}

async function print(root: Root, format: FileFormat, { textOnly }: ConvertRequest): Promise<string> {
  const { toMarkdown, toPlainText } = await import('./markdown.ts');
  return textOnly && WITH_MARKUP.has(format) ? toPlainText(root) : toMarkdown(root);
}

/** Converts whatever a reader threw to a fault, because only faults leave the worker. */
export function faultOf(error: unknown): ConversionError {
  if (error instanceof ConversionError) return error;
  if (error instanceof RangeError && /call stack/.test(error.message))
    return new ConversionError('too_deep', 'is nested more deeply than any honest document');
  if (error instanceof RangeError && /string length|array (?:buffer|length)/i.test(error.message))
    return new ConversionError('too_large', 'becomes more text than fits into memory');
  return new ConversionError('damaged',
    `is damaged: ${(error instanceof Error ? error.message : String(error)).slice(0, 200)}`);
}
