import type { FileFormat } from './contract.ts';

/** Extensions of files that can be converted, without the dot. */
const CONVERTIBLE: readonly FileFormat[] = ['md', 'txt', 'html', 'htm', 'pdf', 'docx', 'odt', 'rtf', 'yaml', 'yml',
  'log', 'lex', 'tex', 'latex'];

const MEDIA_TYPES: Readonly<Record<string, FileFormat>> = {
  'text/markdown': 'md',
  'text/x-markdown': 'md',
  'text/plain': 'txt',
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'application/pdf': 'pdf',
  'application/x-pdf': 'pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.oasis.opendocument.text': 'odt',
  'application/rtf': 'rtf',
  'text/rtf': 'rtf',
  'text/richtext': 'rtf',
  'application/yaml': 'yaml',
  'text/yaml': 'yaml',
  'application/x-yaml': 'yaml',
  'text/x-yaml': 'yaml',
  'application/x-tex': 'tex',
  'application/x-latex': 'latex',
  'text/x-tex': 'tex',
};

/** The extension of a file name, in lower case; '' if it has none. */
export function extensionOf(name: string): string {
  const base = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
  const dot = base.lastIndexOf('.');
  return dot <= 0 ? '' : base.slice(dot + 1).toLowerCase();
}

export function isConvertible(extension: string): extension is FileFormat {
  return (CONVERTIBLE as readonly string[]).includes(extension);
}

/** The format that a media type names; its parameters are ignored. */
export function formatOfMediaType(contentType: string | undefined): FileFormat | undefined {
  return MEDIA_TYPES[contentType?.split(';', 1)[0]!.trim().toLowerCase() ?? ''];
}
