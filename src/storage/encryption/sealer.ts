import { sealBody, sealMeta, sealVector } from './columns.ts';
import type { KeyRing } from './key-ring.ts';

/** Converts the values of an encrypted collection to what is stored, under the primary key. */
export interface Sealer {
  /** `stored` is the compression record of a body. */
  body(documentId: string, stored: Uint8Array): Uint8Array;
  meta(documentId: string, meta: string): string;
  vector(ord: number, chunk: number, vector: Uint8Array): Uint8Array;
}

export function sealerOf(keys: KeyRing): Sealer {
  return {
    body: (id, stored) => sealBody(keys, id, stored),
    meta: (id, meta) => sealMeta(keys, id, meta),
    vector: (ord, chunk, vector) => sealVector(keys, ord, chunk, vector),
  };
}
