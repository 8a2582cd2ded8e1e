import { describe, expect, it } from 'vitest';
import { isWithin } from '../../../search/filter/index.ts';
import { toConditions } from './range-conditions.ts';

describe('ranges (decision D-91)', () => {
  it.each([['10', { gt: '9' }, true], [' 1e3 ', { gte: 1000 }, true], ['10', { gt: 'a' }, false], ['b', {
    gt: 'a',
    lt: 'c',
  }, true], ['2025-12-24', { gte: '2025-12-01T00:00:00Z', lt: '2026-01' }, true], ['2025-12-24T12:00', {
    lte: '2025-12-24T12:00:00+00:00',
  }, true], ['1766400000', { gte: '2025-12-22', lt: '2025-12-23' }, true], ['2025-13-45', { gt: '2025-12-01' }, true], [
    'ä',
    { gt: 'z' },
    true,
  ], ['\u{1f600}', { gt: '\uffff' }, true], ['x', {}, true]])('%j within %j: %s',
    (value, bounds, within) => expect(isWithin(value, bounds)).toBe(within));

  it('understands both forms, and refuses times that are none', () => {
    expect(toConditions([{ field: 'n', gte: 1 }])).toEqual([{ field: 'n', bounds: { gte: 1 } }]);
    expect(toConditions({ n: { lt: 'x' }, addedAt: { gte: '2025-01-01' } })).toEqual([{
      field: 'n',
      bounds: { lt: 'x' },
    }, { field: 'addedAt', bounds: { gte: '2025-01-01' } }]);
    expect(() => toConditions([{ field: 'addedAt', lt: 'later' }])).toThrow('rangeMeta: lt of addedAt');
  });
});
