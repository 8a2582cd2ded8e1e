import { describe, expect, it } from 'vitest';
import type { ToPrimary } from './messages.ts';
import { PrimarySlowBodies } from './primary.ts';

describe('the slow bodies of a worker', () => {
  const said: ToPrimary[] = [];
  const ended: string[] = [];
  const bodies = new PrimarySlowBodies((message) => void said.push(message));
  const body = (client: string) => ({ client, rate: 7, end: () => void ended.push(client) });

  it('are reported to the primary, once more when there are none left, and not before there are any', () => {
    bodies.report({}, []);
    bodies.report({}, [body('a'), body('b')]);
    bodies.report({}, []);
    bodies.report({}, []);
    expect(said).toEqual([{ type: 'slow', report: 1, bodies: [{ client: 'a', rate: 7 }, { client: 'b', rate: 7 }] }, {
      type: 'slow',
      report: 2,
      bodies: [],
    }]);
  });

  it('are ended when the primary says so of the last report', () => {
    bodies.report({}, [body('c'), body('d')]);
    bodies.end({ type: 'end-slow', report: 3, index: 1 });
    bodies.end({ type: 'end-slow', report: 1, index: 0 });
    expect(ended).toEqual(['d']);
  });
});
