import type { Root } from 'mdast';

/** Metadata of a conversion: values in order. */
export type ConvertedMeta = Record<string, string[]>;

/** The result of a reader for one file: a tree, or text that already is markdown. */
export interface Parts {
  readonly content: Root | string;
  readonly meta: ConvertedMeta;
  readonly warnings: readonly string[];
  /** Number of characters that were replaced because they were invalid. */
  readonly repaired: number;
}

/** What every reader needs to know about a job. */
export interface ReadOptions {
  readonly contentType: string | undefined;
  readonly mainContent: boolean | undefined;
  readonly baseUrl: string | undefined;
  /** Maximum number of characters that the file may become; readers that multiply their input stop there. */
  readonly maxOutput: number;
}
