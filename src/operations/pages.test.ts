import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AnswerBudget } from './answer-budget.ts';
import { pageOf } from './answers.ts';
import { Reply } from './handler.ts';

const ITEMS = [0, 1, 2, 3, 4].map((n) => ({ n, text: 'x'.repeat(100) }));
const numbers = (items: readonly { n: number }[]): number[] => items.map(({ n }) => n);

/** Enough for two of the items, each with the bytes that are counted in addition to its text. */
const ROOM_FOR_TWO = 400;

describe('a page of a list', () => {
  const page = (input: object, bytes?: number) => {
    const { value } = pageOf('items',
      new Reply<{ items: typeof ITEMS; total: number; truncated?: true; nextOffset?: number }>({
        items: ITEMS,
        total: 5,
      }), input, new AnswerBudget(bytes));
    const { items, ...rest } = value;
    return [numbers(items), rest];
  };

  it('is the whole list where nothing is asked for', () => {
    expect(page({})).toEqual([[0, 1, 2, 3, 4], { total: 5 }]);
  });

  it('begins at the offset and has at most the limit, which is no truncation; the count is that of all', () => {
    expect(page({ offset: 1, limit: 2 })).toEqual([[1, 2], { total: 5 }]);
    expect(page({ offset: 4, limit: 2 })).toEqual([[4], { total: 5 }]);
    expect(page({ offset: 5 })).toEqual([[], { total: 5 }]);
    expect(page({ offset: 2_147_483_647, limit: 10_000 })).toEqual([[], { total: 5 }]);
  });

  it('ends with what fits the budget, and says where to go on', () => {
    expect(page({}, ROOM_FOR_TWO)).toEqual([[0, 1], { total: 5, truncated: true, nextOffset: 2 }]);
    expect(page({ offset: 2, limit: 3 }, ROOM_FOR_TWO)).toEqual([[2, 3], { total: 5, truncated: true, nextOffset: 4 }]);
    expect(page({ offset: 2, limit: 2 }, ROOM_FOR_TWO)).toEqual([[2, 3], { total: 5 }]);
    expect(page({ limit: 2 }, 1)).toEqual([[0], { total: 5, truncated: true, nextOffset: 1 }]);
  });

  it('leads through the whole list, once each, whatever the sizes, the limit and the budget', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 500 }), { maxLength: 30 }), fc.integer({ min: 1, max: 2000 }),
        fc.option(fc.integer({ min: 1, max: 10 }), { nil: undefined }), (sizes, bytes, limit) => {
        const all = sizes.map((size, n) => ({ n, text: 'ä'.repeat(size) }));
        const seen: number[] = [];
        for (let offset = 0, more = true; more;) {
          const input = { offset, ...(limit !== undefined && { limit }) };
          const { value } = pageOf('items', new Reply<{ items: typeof all; nextOffset?: number }>({ items: all }),
            input, new AnswerBudget(bytes));
          seen.push(...numbers(value.items));
          offset = value.nextOffset ?? offset + value.items.length;
          more = value.nextOffset !== undefined || (limit !== undefined && value.items.length === limit);
        }
        expect(seen).toEqual(numbers(all));
      }),
    );
  });

  it('leaves a response alone that has no list', () => {
    const reply = new Reply({ id: 'one' });
    expect(pageOf('items', reply, { offset: 5, limit: 1 }, new AnswerBudget(1))).toBe(reply);
  });

  it('keeps headers and status', () => {
    expect(pageOf('items', new Reply({ items: ITEMS }, { 'X-Other': '1' }, 202), { limit: 1 }, new AnswerBudget()))
      .toMatchObject({ headers: { 'X-Other': '1' }, status: 202 });
  });
});

describe('a page of a response that is a list', () => {
  const page = (input: object, bytes?: number) => {
    const { value, headers } = pageOf('*', new Reply(ITEMS, { 'X-Other': '1' }), input, new AnswerBudget(bytes));
    return [numbers(value), headers];
  };

  it('says in headers what another says in fields, and how long the list is', () => {
    expect(page({})).toEqual([[0, 1, 2, 3, 4], { 'X-Other': '1', 'X-Total-Count': '5' }]);
    expect(page({ offset: 1, limit: 1 })).toEqual([[1], { 'X-Other': '1', 'X-Total-Count': '5' }]);
    expect(page({ offset: 1 }, ROOM_FOR_TWO)).toEqual([[1, 2], {
      'X-Other': '1',
      'X-Total-Count': '5',
      'X-Truncated': 'true',
      'X-Next-Offset': '3',
    }]);
  });
});
