import { describe, expect, it } from 'vitest';
import type { HybridRequest } from './request.ts';
import { rareWordOf } from './search-hybrid.ts';

type Request = Pick<HybridRequest, 'words'>;
/** Documents 0 to 99: their numbers by word. */
const DOCUMENTS = new Map([['food', Array.from({ length: 50 }, (_, i) => i)], ['price',
  Array.from({ length: 40 }, (_, i) => i)], ['khamsa', [3]]]);
const index = {
  documents: 100,
  documentsOf: (form: string) => DOCUMENTS.get(form)?.length ?? 0,
  matchesExactly: (form: string, _: unknown, ords: readonly number[]) =>
    ords.map((ord) => DOCUMENTS.get(form)?.includes(ord) ?? false),
};
const asking = (...readings: string[][]) =>
  ({
    words: { plan: { readings: readings.map((forms) => ({ words: forms.map((form) => ({ form })) })) } },
  }) as unknown as Request;
const valuesOf = (request: Request) => [2, 3, 60].map(rareWordOf(index, request, [2, 3, 60]));

describe('the rare word of a query', () => {
  it('counts where a document has it, by how much rarer it is than the next', () => {
    const [without, named] = valuesOf(asking(['food', 'khamsa', 'price']));
    expect(without).toBe(0);
    expect(named).toBeCloseTo(1 - Math.log(1 + 60.5 / 40.5) / Math.log(1 + 99.5 / 1.5), 10);
    expect(valuesOf(asking(['food', 'price']))[0]).toBeLessThan(0.3);
  });

  it('is none if only one word is known, the words are equally rare, or there are none', () => {
    for (const request of [asking(['khamsa']), asking(['khamsa', 'unheard']), asking(['khamsa', 'khamsa']), asking([]),
      asking()]) expect(valuesOf(request)).toEqual([0, 0, 0]);
    expect(rareWordOf(undefined, asking(['food', 'khamsa']), [3])(3)).toBe(0);
  });

  it('counts by the reading in which it is rarer', () => {
    expect(valuesOf(asking(['food', 'price'], ['food', 'khamsa']))).toEqual([valuesOf(asking(['food', 'price']))[0],
      valuesOf(asking(['food', 'khamsa']))[1], 0]);
  });
});
