/** The result of an operation that returns a file rather than JSON. */
export interface Download {
  readonly contentType: string;
  /** The suggested file name; absent for text that is displayed rather than saved. */
  readonly fileName?: string;
  /** Each piece must reach the client at once, so compression must not buffer it. */
  readonly live?: boolean;
  readonly content: AsyncIterable<Uint8Array> | string;
}
