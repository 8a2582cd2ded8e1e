import { expect, it } from 'vitest';
import type { Queries, Row } from '../../../storage/index.ts';
import { type BodyState, BodyStates } from './passage-rows.ts';

/** Documents 1 to 9, of which the even ones have vectors and 4 was changed since. */
class Tables implements Queries {
  readonly read: unknown[][] = [];

  async all<R extends Row>(_: string, params: readonly unknown[] = []): Promise<R[]> {
    this.read.push([...new Set(params)]);
    return ([...new Set(params)] as number[]).filter((ord) => ord > 0 && ord < 10).map((ord) =>
      ({
        ord,
        expires_at: ord === 6 ? 100 : null,
        crc: ord,
        bytes: 10,
        ...(ord % 2 === 0
          ? { e_crc: ord === 4 ? 0 : ord, e_bytes: 10, chunking: 'c' }
          : { e_crc: null, e_bytes: null, chunking: null }),
      }) as unknown as R
    );
  }

  async get<R extends Row>(): Promise<R | undefined> {
    throw new Error('no row is read alone');
  }
}

async function statesOf(ords: readonly number[], tables = new Tables()): Promise<[number, BodyState | undefined][]> {
  const passed: [number, BodyState | undefined][] = [];
  await new BodyStates(tables, '').each(ords, (ord, state) => passed.push([ord, state]));
  return passed;
}

it('say whether a document has vectors, of its present body', async () => {
  expect(await statesOf([1, 4, 6, 99])).toEqual([[1, { expiresAt: null, embedded: undefined, isFresh: false }], [4, {
    expiresAt: null,
    embedded: { ord: 4, space: '', crc: 0, bytes: 10, chunking: 'c' },
    isFresh: false,
  }], [6, { expiresAt: 100, embedded: { ord: 6, space: '', crc: 6, bytes: 10, chunking: 'c' }, isFresh: true }], [99,
    undefined]]);
});

it('are read a few hundred at a time, and passed in order, also twice', async () => {
  const tables = new Tables();
  const ords = [4, ...Array.from({ length: 300 }, (_, i) => 300 - i), 4];
  expect((await statesOf(ords, tables)).map(([ord]) => ord)).toEqual(ords);
  expect(tables.read.length).toBe(2);
});
