/** The answer of an operation whose result is a file rather than JSON. */
export interface Download {
  readonly contentType: string;
  /** Offered as the file's name; absent for text that is shown rather than saved. */
  readonly fileName?: string;
  /** Each piece is to reach the client at once, so that nothing may hold it back to compress it. */
  readonly live?: boolean;
  readonly content: AsyncIterable<Uint8Array> | string;
}
