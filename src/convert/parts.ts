import type { Root } from 'mdast';

/** Metadata of a conversion: values in order. */
export type ConvertedMeta = Record<string, string[]>;

/** What a reader makes of one file: a tree, or text that is markdown already. */
export interface Parts {
  readonly content: Root | string;
  readonly meta: ConvertedMeta;
  readonly warnings: readonly string[];
  /** Characters that were replaced because they were no valid text. */
  readonly repaired: number;
}

/** What every reader has to know of a job. */
export interface ReadOptions {
  readonly contentType: string | undefined;
  readonly mainContent: boolean | undefined;
  readonly baseUrl: string | undefined;
  /** Most characters that the file may become; readers that multiply their input stop there. */
  readonly maxOutput: number;
}
