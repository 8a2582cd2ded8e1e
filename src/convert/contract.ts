/** What a file is converted from, by its content; the extensions of uploads name them too. */
export type FileFormat =
  'md' | 'txt' | 'html' | 'htm' | 'pdf' | 'docx' | 'odt' | 'rtf' | 'yaml' | 'yml' | 'log' | 'lex' | 'tex' | 'latex';

/** A file to convert. The bytes are handed over: their buffer may be detached. */
export interface FileToConvert {
  readonly bytes: Uint8Array;
  /** Its name; the extension says what it claims to be. */
  readonly name: string;
  /** The media type that came with it, with its charset; a hint beside the extension. */
  readonly contentType?: string | undefined;
}

export interface ConversionOptions {
  /** Whether to return the plain text of HTML, DOCX and ODT instead of markdown. */
  readonly textOnly?: boolean | undefined;
  /** Whether HTML is a whole web page, of which only the main content is kept; absent decides by its structure. */
  readonly mainContent?: boolean | undefined;
  /** Where the page lies, for its relative links. */
  readonly baseUrl?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A file as markdown. */
export interface Conversion {
  readonly contentMd: string;
  /** What the content was found to be. */
  readonly format: FileFormat;
  /** False for `.md` and `.txt`, which stay as they are. */
  readonly converted: boolean;
  /** What the file says of itself: `title`, `author`, `lang`, `created`, `modified`, front matter; values in order. */
  readonly meta: Readonly<Record<string, readonly string[]>>;
  /** Characters that were no valid text in the file's encoding and were replaced. */
  readonly repaired: number;
  /** What a reader should know, such as an extension that the content contradicts; whole sentences. */
  readonly warnings: readonly string[];
}

/** Why a file has no conversion. */
export type ConversionFault =
  | 'unsupported' // neither its extension nor its content is a format of ours
  | 'no_text' // such as a scanned PDF
  | 'damaged'
  | 'encrypted'
  | 'too_large' // its content or output, such as an archive that unpacks to too much
  | 'too_deep' // nested beyond any honest document
  | 'timeout'
  | 'out_of_memory'
  | 'crashed' // the worker ended while it converted this file
  | 'aborted';

/** Thrown by `convert`; the message is a sentence's end for a user, such as `is encrypted`. */
export class ConversionError extends Error {
  override readonly name = 'ConversionError';
  readonly fault: ConversionFault;

  constructor(fault: ConversionFault, message: string) {
    super(message);
    this.fault = fault;
  }
}

export interface ConverterSettings {
  /** Worker threads, started when the first file comes. */
  readonly workers: number;
  /** Longest time for one file, in milliseconds. */
  readonly timeoutMs: number;
  /** Most memory of one worker's heap, in MiB. */
  readonly memoryMb: number;
  /** Most characters of markdown that one file may become. */
  readonly maxOutput: number;
}

/** Converts files in worker threads; a file that kills its worker fails alone. */
export interface Converter {
  /** @throws ConversionError */
  convert(file: FileToConvert, options?: ConversionOptions): Promise<Conversion>;
  /** Ends the workers; conversions under way fail as `aborted`. Safe twice. */
  close(): Promise<void>;
}
