/** A file of the playground, compressed in both encodings that browsers accept. */
export interface PlaygroundFile {
  readonly type: string;
  /** Entity tag of the content, in quotes. */
  readonly etag: string;
  readonly br: Uint8Array;
  readonly gzip: Uint8Array;
}

/** The files by their path below the playground's path; the page itself has the empty path. */
export type PlaygroundFiles = ReadonlyMap<string, PlaygroundFile>;

/** The request to the thread. */
export interface PlaygroundOptions {
  readonly endpoint: string;
  readonly base: string;
}
