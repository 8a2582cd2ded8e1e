import type { Row } from '../port.ts';
import type { KeyRing } from './key-ring.ts';
import { isSealed, isSealedText } from './record.ts';
import { refusePlaintext } from './required.ts';

/**
 * The columns that may be encrypted, and the additional data that binds each value to its place: `collection \0 kind \0
 * document id` for the body, the metadata and the supplied vectors of a document, which its revisions share, because a
 * version becomes a revision by being copied; the document's ordinal and the chunk for a vector of an embedding.
 */
type Kind = 'body' | 'meta' | 'vectors';

function boundTo(kind: Kind, id: string): string {
  return `${id.slice(0, id.indexOf('|'))}\0${kind}\0${id}`;
}

/** `stored` is the compression record of a body, `id` that of its document. */
export function sealBody(ring: KeyRing, id: string, stored: Uint8Array): Uint8Array {
  return ring.seal(stored, boundTo('body', id));
}

export function openBody(ring: KeyRing, id: string, stored: Uint8Array): Uint8Array {
  return isSealed(stored) ? ring.open(stored, boundTo('body', id)) : stored;
}

/** The metadata column is of type TEXT. */
export function sealMeta(ring: KeyRing, id: string, meta: string): string {
  return ring.seal(Buffer.from(meta, 'utf8'), boundTo('meta', id)).toString('base64');
}

export function openMeta(ring: KeyRing, id: string, stored: string): string {
  return isSealedText(stored) ? ring.open(Buffer.from(stored, 'base64'), boundTo('meta', id)).toString('utf8') : stored;
}

/** `stored` are all vectors that clients have supplied for a document. */
export function sealVectors(ring: KeyRing, id: string, stored: Uint8Array): Uint8Array {
  return ring.seal(stored, boundTo('vectors', id));
}

export function openVectors(ring: KeyRing, id: string, stored: Uint8Array): Uint8Array {
  return isSealed(stored) ? ring.open(stored, boundTo('vectors', id)) : stored;
}

/** The row of a vector. */
export interface VectorPlace {
  readonly ord: number;
  readonly space: string;
  readonly chunk: number;
}

const boundToPlace = ({ ord, space, chunk }: VectorPlace): string =>
  `\0vector\0${ord}/${chunk}${space === '' ? '' : `/${space}`}`;

export function sealVector(ring: KeyRing, place: VectorPlace, vector: Uint8Array): Uint8Array {
  return ring.seal(vector, boundToPlace(place));
}

export function openVector(ring: KeyRing, place: VectorPlace, stored: Uint8Array): Uint8Array {
  return isSealed(stored) ? ring.open(stored, boundToPlace(place)) : stored;
}

/** A write that replaces a document selects this in place of encrypted metadata, which it does not need. */
const NO_META = '{}';

/**
 * Decrypts `body`, `meta` and `vectors` of a row of documents, in place; a row without the document's `id` is left
 * unchanged. Throws `internal` for a plaintext value if `mustBeSealed` does not allow it.
 */
export function openRow<R extends Row>(ring: KeyRing, row: R, mustBeSealed: (collection: string) => boolean): R {
  const { id, body, meta, vectors } = row;
  if (typeof id !== 'string' || !id.includes('|')) return row;
  const isPlain = (body instanceof Uint8Array && !isSealed(body)) ||
    (typeof meta === 'string' && meta !== NO_META && !isSealedText(meta)) ||
    (vectors instanceof Uint8Array && !isSealed(vectors));
  if (isPlain && mustBeSealed(id.slice(0, id.indexOf('|')))) refusePlaintext();
  const open = row as Row;
  if (body instanceof Uint8Array && isSealed(body)) open['body'] = openBody(ring, id, body);
  if (typeof meta === 'string' && isSealedText(meta)) open['meta'] = openMeta(ring, id, meta);
  if (vectors instanceof Uint8Array && isSealed(vectors)) open['vectors'] = openVectors(ring, id, vectors);
  return row;
}

/** Converts the values of an encrypted collection to what is stored, under the primary key. */
export interface Sealer {
  /** `stored` is the compression record of a body. */
  body(documentId: string, stored: Uint8Array): Uint8Array;
  meta(documentId: string, meta: string): string;
  vectors(documentId: string, stored: Uint8Array): Uint8Array;
  vector(place: VectorPlace, vector: Uint8Array): Uint8Array;
}

export function sealerOf(keys: KeyRing): Sealer {
  return {
    body: (id, stored) => sealBody(keys, id, stored),
    meta: (id, meta) => sealMeta(keys, id, meta),
    vectors: (id, stored) => sealVectors(keys, id, stored),
    vector: (place, vector) => sealVector(keys, place, vector),
  };
}
