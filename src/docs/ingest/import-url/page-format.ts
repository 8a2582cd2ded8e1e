import { isUtf8 } from 'node:buffer';
import { extensionOf, type Extension } from '../upload/file-key.ts';

/** Formats by their media types. */
const FORMATS: Readonly<Record<string, Extension>> = {
  'text/html': 'html', 'application/xhtml+xml': 'html',
  'text/markdown': 'md', 'text/x-markdown': 'md',
  'application/pdf': 'pdf', 'application/x-pdf': 'pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.oasis.opendocument.text': 'odt',
  'application/rtf': 'rtf', 'text/rtf': 'rtf',
  'application/yaml': 'yaml', 'application/x-yaml': 'yaml', 'text/yaml': 'yaml', 'text/x-yaml': 'yaml',
  'application/x-tex': 'tex', 'application/x-latex': 'tex', 'text/x-tex': 'tex',
};

/** What servers say of files that they know nothing of. */
const UNTOLD: ReadonlySet<string> = new Set(['', 'application/octet-stream', 'binary/octet-stream', 'text/plain']);

/** Bytes that are looked at where nobody says what they are. */
const HEAD_BYTES = 1024;

/**
 * What a page is: by its media type, else by the extension of its URL's path, else by how it begins. Undefined when it is
 * none of the formats that can be stored.
 */
export function formatOfPage(contentType: string, url: URL, bytes: Uint8Array): Extension | undefined {
  const type = mediaTypeOf(contentType);
  const told = Object.hasOwn(FORMATS, type) ? FORMATS[type] : undefined;
  if (told !== undefined) return told;
  if (UNTOLD.has(type)) return extensionOf(url.pathname) ?? (type === 'text/plain' ? 'txt' : sniffed(bytes));
  return type.startsWith('text/') ? 'txt' : undefined;
}

export function mediaTypeOf(contentType: string): string {
  return contentType.split(';', 1)[0]!.trim().toLowerCase();
}

function sniffed(bytes: Uint8Array): Extension | undefined {
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString('latin1').trimStart().toLowerCase();
  if (head.startsWith('%pdf-')) return 'pdf';
  if (head.startsWith('{\\rtf')) return 'rtf';
  if (head.startsWith('<!doctype html') || head.startsWith('<html')) return 'html';
  return isUtf8(bytes) && !bytes.includes(0) ? 'txt' : undefined;
}
