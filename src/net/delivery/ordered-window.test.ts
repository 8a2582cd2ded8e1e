import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OrderedWindow, type Sequenced } from './ordered-window.ts';

/** Whether the later delivery must wait for the earlier one, by definition. */
function mustWait(earlier: Sequenced, later: Sequenced): boolean {
  if (earlier.group !== later.group) return false;
  return earlier.key === undefined || later.key === undefined || earlier.key === later.key;
}

describe('the window of a lane', () => {
  it('lets exactly those be sent that nothing before them holds back', () => {
    const item = fc.record({
      group: fc.constantFrom('a', 'b'),
      key: fc.option(fc.constantFrom('x', 'y', 'z'), { nil: undefined, freq: 5 }),
    });
    fc.assert(
      fc.property(fc.array(item, { maxLength: 30 }), fc.array(fc.nat(), { maxLength: 60 }), (given, choices) => {
        const items: Sequenced[] = given.map(({ group, key }, i) => ({
          seq: i + 1,
          group,
          ...(key !== undefined && { key }),
        }));
        const window = new OrderedWindow<Sequenced>();
        const open: Sequenced[] = [];
        const ready = new Set<number>();
        const expectReady = () => {
          const expected = open.filter((each) => !open.some((other) => other.seq < each.seq && mustWait(other, each)))
            .map(({ seq }) => seq);
          expect([...ready].sort((a, b) => a - b)).toEqual(expected);
          expect(window.seqs()).toEqual(open.map(({ seq }) => seq));
        };
        let next = 0;
        for (const choice of choices) {
          if (choice % 2 === 0 && next < items.length) {
            const added = items[next++]!;
            open.push(added);
            if (window.add(added)) ready.add(added.seq);
          } else if (ready.size > 0) {
            const seq = [...ready][choice % ready.size]!;
            ready.delete(seq);
            open.splice(open.findIndex((each) => each.seq === seq), 1);
            for (const freed of window.done(seq)) ready.add(freed.seq);
          }
          expectReady();
        }
      }),
    );
  });
});
