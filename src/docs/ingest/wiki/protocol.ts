import type { PackedBatch } from './packed-batch.ts';

/** Messages to the thread. After `written` there is room for another batch, and its bytes are free for one. */
export type ToThread = { readonly kind: 'bytes'; readonly bytes: Uint8Array<ArrayBuffer> } | { readonly kind: 'end' }
  | { readonly kind: 'written'; readonly bytes: Uint8Array<ArrayBuffer> };

/** Messages from the thread. After `read`, a piece of the dump is done, and its buffer is free for another piece. */
export type FromThread = { readonly kind: 'read'; readonly buffer: ArrayBuffer } | { readonly kind: 'batch';
  readonly batch: PackedBatch } | { readonly kind: 'done' } | { readonly kind: 'failed'; readonly message: string;
  readonly isTooLarge: boolean };
