import type { Meta } from '../../../text/flatten-meta.ts';

/** A document as it was read, ready to be sent. */
export interface SourceDocument {
  readonly key: string;
  readonly lang: string;
  readonly contentMd: string;
  readonly meta: Meta;
  /** Supplied vectors by field, as the row has them. */
  readonly vectors?: Readonly<Record<string, unknown>>;
  /** Seconds until it expires; absent if it does not. */
  readonly ttl?: number;
  /** A file that the service converts to the document; `contentMd` is then empty. */
  readonly file?: UploadedSource;
}

/** A file on disk that is sent unchanged. */
interface UploadedSource {
  readonly path: string;
  readonly bytes: number;
}

/** One item of a source, and its position: a path, or `line 17`. */
export type SourceItem = { readonly origin: string; readonly position: number } & (
  | {
    readonly kind: 'document';
    readonly document: SourceDocument;
    /** Its bytes were not valid UTF-8 and were repaired. */
    readonly sanitized: boolean;
    /** What was omitted or left unchanged, such as front matter that is not YAML. */
    readonly notes: readonly string[];
  }
  /** It cannot become a document. */
  | { readonly kind: 'problem'; readonly problem: string }
  /** It is a document that need not be stored: it has expired. */
  | { readonly kind: 'skipped' }
);

/** The source of documents: a folder, a file, or standard input. It is read once, in order, as items are requested. */
export interface Source {
  /** Its name in messages. */
  readonly name: string;
  /** The unit of `position` and `total`. */
  readonly unit: 'files' | 'bytes';
  /** Undefined if it is not known before the end. */
  readonly total: number | undefined;
  /** Files of kinds that cannot become documents. */
  readonly passedOver?: readonly string[];
  items(signal: AbortSignal): AsyncIterable<SourceItem>;
}
