import type { DumpBatch } from '../../../convert/wiki/index.ts';

/** What the thread is told. */
export type ToThread =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'end' }
  /** A batch is written, so that there is room for another. */
  | { readonly kind: 'written' };

/** What it tells. */
export type FromThread =
  /** A piece of the dump is read; its buffer goes back for another. */
  | { readonly kind: 'read'; readonly buffer: ArrayBuffer }
  | { readonly kind: 'batch'; readonly batch: DumpBatch }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly message: string; readonly isTooLarge: boolean };
