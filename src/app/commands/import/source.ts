import type { Meta } from '../../../text/flatten-meta.ts';

/** A document as it was read, ready to be sent. */
export interface SourceDocument {
  readonly key: string;
  readonly lang: string;
  readonly contentMd: string;
  readonly meta: Meta;
  /** Seconds until it expires; absent when it does not. */
  readonly ttl?: number;
  /** A file that the service makes the document of; `contentMd` is empty then. */
  readonly file?: UploadedSource;
}

/** A file on disk that is sent as it is. */
export interface UploadedSource {
  readonly path: string;
  readonly bytes: number;
}

/** One thing that a source holds, and where: a path, or `line 17`. */
export type SourceItem = { readonly origin: string; readonly position: number } & (
  | {
      readonly kind: 'document';
      readonly document: SourceDocument;
      /** Its bytes were not valid UTF-8 and were repaired (decision D-39). */
      readonly sanitized: boolean;
      /** What was left out or left as it was, such as front matter that is not YAML. */
      readonly notes: readonly string[];
    }
  /** It cannot become a document. */
  | { readonly kind: 'problem'; readonly problem: string }
  /** It is a document that need not be stored: it has expired. */
  | { readonly kind: 'skipped' }
);

/** Where documents come from: a folder, a file, or standard input. Read once, in order, as it is asked for. */
export interface Source {
  /** How messages call it. */
  readonly name: string;
  /** What `position` and `total` count. */
  readonly unit: 'files' | 'bytes';
  /** Undefined when it is not known before the end. */
  readonly total: number | undefined;
  items(signal: AbortSignal): AsyncIterable<SourceItem>;
}
