import type { Root } from 'mdast';

/** The format of a file, determined by its content; the extensions of uploads use the same names. */
export type FileFormat = 'md' | 'txt' | 'html' | 'htm' | 'pdf' | 'docx' | 'odt' | 'rtf' | 'yaml' | 'yml' | 'log' | 'lex'
  | 'tex' | 'latex';

/** A file to convert. The bytes are transferred: their buffer may be detached. */
export interface FileToConvert {
  readonly bytes: Uint8Array;
  /** The file's name; its extension states the claimed format. */
  readonly name: string;
  /** The media type that was sent with the file, with its charset; a hint in addition to the extension. */
  readonly contentType?: string | undefined;
}

export interface ConversionOptions {
  /** Whether to return the plain text of HTML, DOCX and ODT instead of markdown. */
  readonly textOnly?: boolean | undefined;
  /** Whether HTML is a complete web page, of which only the main content is kept; if absent, its structure decides. */
  readonly mainContent?: boolean | undefined;
  /** The URL of the page, for its relative links. */
  readonly baseUrl?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A file converted to markdown. */
export interface Conversion {
  readonly contentMd: string;
  /** The format that was detected from the content. */
  readonly format: FileFormat;
  /** False for `.md` and `.txt`, which stay unchanged. */
  readonly converted: boolean;
  /** The file's own metadata: `title`, `author`, `lang`, `created`, `modified`, front matter; values in order. */
  readonly meta: Readonly<Record<string, readonly string[]>>;
  /** Number of characters that were invalid in the file's encoding and were replaced. */
  readonly repaired: number;
  /** Notes for the reader, such as an extension that contradicts the content; complete sentences. */
  readonly warnings: readonly string[];
}

/** Why a file could not be converted. */
export type ConversionFault =
  | 'unsupported' // neither its extension nor its content is a supported format
  | 'no_text' // a PDF of pictures
  | 'empty' // nothing is left of a file that holds something, such as pictures or scripts alone
  | 'damaged'
  | 'encrypted'
  | 'too_large' // its content or output is too large, for example an archive that unpacks to too much
  | 'too_deep' // nested more deeply than any real document
  | 'timeout'
  | 'out_of_memory'
  | 'crashed' // the worker ended while it converted this file
  | 'aborted';

/** Thrown by `convert`. The message is the end of a sentence for a user, such as `is encrypted`. */
export class ConversionError extends Error {
  override readonly name = 'ConversionError';
  readonly fault: ConversionFault;

  constructor(fault: ConversionFault, message: string) {
    super(message);
    this.fault = fault;
  }
}

export interface ConverterSettings {
  /** Number of worker threads, which are started when the first file arrives. */
  readonly workers: number;
  /** Time limit for one file, in milliseconds. */
  readonly timeoutMs: number;
  /** Memory limit of one worker's heap, in MiB. */
  readonly memoryMb: number;
  /** Maximum number of characters of markdown that one file may produce. */
  readonly maxOutput: number;
}

/** Converts files in worker threads. If a file crashes its worker, only that file fails. */
export interface Converter {
  /** @throws ConversionError */
  convert(file: FileToConvert, options?: ConversionOptions): Promise<Conversion>;
  /** Ends the workers; conversions in progress fail as `aborted`. May be called twice. */
  close(): Promise<void>;
}

/** Metadata of a conversion: values in order. */
export type ConvertedMeta = Record<string, string[]>;

/** The result of a reader for one file: a tree, or text that already is markdown. */
export interface Parts {
  readonly content: Root | string;
  readonly meta: ConvertedMeta;
  readonly warnings: readonly string[];
  /** Number of characters that were replaced because they were invalid. */
  readonly repaired: number;
  /** If the content is empty: what the file holds instead, such as `only pictures`. */
  readonly instead?: string;
}

/** What every reader needs to know about a job. */
export interface ReadOptions {
  readonly contentType: string | undefined;
  readonly mainContent: boolean | undefined;
  readonly baseUrl: string | undefined;
  /** Maximum number of characters that the file may become; readers that multiply their input stop there. */
  readonly maxOutput: number;
}

/** Reads a file inside another one by the reader of its format; undefined if none reads it. @throws ConversionError */
export type ReadEmbedded = (bytes: Uint8Array, name: string) => Promise<Parts | undefined>;

const FORMATS: readonly FileFormat[] = ['md', 'txt', 'html', 'htm', 'pdf', 'docx', 'odt', 'rtf', 'yaml', 'yml', 'log',
  'lex', 'tex', 'latex'];

/** Extensions of files that can be converted, in lower case and without the dot, with their formats. */
const EXTENSIONS: ReadonlyMap<string, FileFormat> = new Map<string, FileFormat>([
  ...FORMATS.map((format): [string, FileFormat] => [format, format]),
  ['markdown', 'md'],
  ['mdown', 'md'],
  ['mkd', 'md'],
  ['mdx', 'md'],
  ['text', 'txt'],
  ['xhtml', 'html'],
  ['xht', 'html'],
]);

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

/** The format that an extension (in lower case, without the dot) claims; undefined if none can be converted. */
export function formatOfExtension(extension: string): FileFormat | undefined {
  return EXTENSIONS.get(extension);
}

/** The extensions that can be converted, for messages: `.md, .txt, ...`. */
export const CONVERTIBLE_LIST: string = [...EXTENSIONS.keys()].map((extension) => `.${extension}`).join(', ');

/** The format that a media type names; its parameters are ignored. */
export function formatOfMediaType(contentType: string | undefined): FileFormat | undefined {
  const type = contentType?.split(';', 1)[0]!.trim().toLowerCase() ?? '';
  return Object.hasOwn(MEDIA_TYPES, type) ? MEDIA_TYPES[type] : undefined;
}
