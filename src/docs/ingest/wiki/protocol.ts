import type { PackedBatch } from './packed-batch.ts';

/** Messages to the thread. */
export type ToThread =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'end' }
  /** A batch is written, so that there is room for another; its bytes are returned for one. */
  | { readonly kind: 'written'; readonly bytes: Uint8Array<ArrayBuffer> };

/** Messages from the thread. */
export type FromThread =
  /** A piece of the dump was read; its buffer is returned for another piece. */
  | { readonly kind: 'read'; readonly buffer: ArrayBuffer }
  | { readonly kind: 'batch'; readonly batch: PackedBatch }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly message: string; readonly isTooLarge: boolean };
