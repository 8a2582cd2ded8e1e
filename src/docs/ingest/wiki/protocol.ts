import type { DumpBatch } from '../../../convert/wiki/index.ts';

/** Messages to the thread. */
export type ToThread =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'end' }
  /** A batch is written, so that there is room for another. */
  | { readonly kind: 'written' };

/** Messages from the thread. */
export type FromThread =
  /** A piece of the dump was read; its buffer is returned for another piece. */
  | { readonly kind: 'read'; readonly buffer: ArrayBuffer }
  | { readonly kind: 'batch'; readonly batch: DumpBatch }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly message: string; readonly isTooLarge: boolean };
