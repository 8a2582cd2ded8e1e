/** A file of the playground, compressed for both encodings that browsers know. */
export interface PlaygroundFile {
  readonly type: string;
  /** Of the content, in quotes. */
  readonly etag: string;
  readonly br: Uint8Array;
  readonly gzip: Uint8Array;
}

/** The files by their path below the playground's; the page itself has the empty one. */
export type PlaygroundFiles = ReadonlyMap<string, PlaygroundFile>;
