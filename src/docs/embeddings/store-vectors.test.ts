import { expect, it } from 'vitest';
import { FreshVectors } from './store-vectors.ts';
import { fromBlob, toBlob } from './vector-blob.ts';

const model = { model: 'm', variant: 'v', dimensions: 4 };
const blobsOf = (count: number) =>
  Array.from({ length: count }, (_, i) => toBlob(Float32Array.of(1, -0.5, i, 0), 'int8'));
const document = (ord: number, count: number, space = '') => (
  { ord, space, model, stored: 'int8' as const, blobs: blobsOf(count) }
);

it('are what the table has, once', () => {
  const fresh = new FreshVectors();
  fresh.add(7, document(3, 2));
  expect(fresh.take({ lsn: 6, ord: 3 })).toBeUndefined();
  expect(fresh.take({ lsn: 7, ord: 3 })).toEqual({ ord: 3, space: '', model, stored: 'int8', vectors: blobsOf(2) });
  expect(fresh.take({ lsn: 7, ord: 3 })).toBeUndefined();
});

it('are numbers unless memory is to keep them as the table does', () => {
  const fresh = new FreshVectors();
  const full = [toBlob(Float32Array.of(1, -0.5, 2, 0))];
  fresh.add(7, { ...document(3, 2), stored: 'int4' });
  fresh.add(8, { ...document(4, 0), blobs: full });
  expect(fresh.take({ lsn: 7, ord: 3 })?.vectors).toEqual(blobsOf(2).map((blob) => fromBlob(blob, 4)));
  expect(fresh.take({ lsn: 8, ord: 4 })?.vectors).toEqual([Float32Array.of(1, -0.5, 2, 0)]);
});

it('are not those of another document, and can be forgotten', () => {
  const fresh = new FreshVectors();
  fresh.add(7, document(3, 1));
  expect(fresh.take({ lsn: 7, ord: 4 })).toBeUndefined();
  fresh.add(8, document(3, 1));
  fresh.clear();
  expect(fresh.take({ lsn: 8, ord: 3 })).toBeUndefined();
});

it('are none where several spaces of a document have changed, because the view may see only the last change', () => {
  const fresh = new FreshVectors();
  fresh.add(7, document(3, 1));
  fresh.add(8, document(3, 1, 'other'));
  expect(fresh.take({ lsn: 8, ord: 3 })).toBeUndefined();
  fresh.add(9, document(3, 1));
  fresh.add(10, document(3, 2));
  expect(fresh.take({ lsn: 10, ord: 3 })?.vectors).toHaveLength(2);
});

it('are the newest, up to a size', () => {
  const fresh = new FreshVectors();
  const blob = new Uint8Array(2 ** 20);
  for (let lsn = 1; lsn <= 20; lsn++)
    fresh.add(lsn, { ...document(lsn, 1), blobs: [blob], model: { ...model, dimensions: 2 ** 18 } });
  expect(Array.from({ length: 20 }, (_, i) => fresh.take({ lsn: i + 1, ord: i + 1 }) !== undefined).indexOf(true)).toBe(
    12,
  );
});
