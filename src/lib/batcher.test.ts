import { expect, it } from 'vitest';
import { ManualTimer } from '../testkit/manual-timer.ts';
import { Batcher, type BatcherOptions } from './batcher.ts';

/** Notes the batches; the outcome of a request is its text in capitals, and that of `broken` an error. */
function noting(options: Partial<BatcherOptions<string, string>> = {}) {
  const batches: string[] = [];
  const batcher = new Batcher<string, string>({
    process: async (requests) => {
      batches.push(requests.join(' '));
      if (requests.includes('broken')) throw new Error('no');
      return requests.map((request) => request.toUpperCase());
    },
    ...options,
  });
  return { batches, batcher };
}

it('processes together what arrives meanwhile, and gives each request its outcome', async () => {
  const { batches, batcher } = noting({ most: 3 });
  expect(await Promise.all(['a', 'b', 'c', 'd', 'e'].map((request) => batcher.add(request)))).toEqual(['A', 'B', 'C',
    'D', 'E']);
  expect(batches).toEqual(['a', 'b c d', 'e']);
});

it('begins before it returns, and says when nothing waits', async () => {
  let idle = 0;
  const { batches, batcher } = noting({ onIdle: () => idle++ });
  await batcher.idle();
  const added = batcher.add('a');
  expect([batches, idle]).toEqual([['a'], 0]);
  await batcher.idle();
  expect([await added, idle]).toEqual(['A', 1]);
});

it('lets requests wait that must not be together, in their order', async () => {
  const { batches, batcher } = noting({
    joining: () => {
      const seen = new Set<string>();
      return ([first]) => seen.size < seen.add(first!).size;
    },
  });
  await Promise.all(['a0', 'a1', 'b5', 'a2', 'c7'].map((request) => batcher.add(request)));
  expect(batches).toEqual(['a0', 'a1 b5 c7', 'a2']);
});

it('rejects all of a batch that fails, and goes on', async () => {
  const { batches, batcher } = noting();
  const settled = await Promise.allSettled(['a', 'broken', 'b'].map((request) => batcher.add(request)));
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
  expect(await batcher.add('c')).toBe('C');
  expect(batches).toEqual(['a', 'broken b', 'c']);
});

it('rejects only what fails alone, if the failure does not concern all', async () => {
  const { batches, batcher } = noting({ concernsAll: () => false });
  const settled = await Promise.allSettled(['a', 'broken', 'b'].map((request) => batcher.add(request)));
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(batches).toEqual(['a', 'broken b', 'broken', 'b']);
});

it('may rest before what has arrived meanwhile', async () => {
  const timer = new ManualTimer();
  const { batches, batcher } = noting({ most: 1, rest: () => timer.sleep(1000) });
  const first = batcher.add('a');
  const others = [batcher.add('b'), batcher.add('c')];
  await first;
  expect(batches).toEqual(['a']);
  await timer.elapse();
  await Promise.all(others);
  expect([batches, timer.sleeps]).toEqual([['a', 'b', 'c'], [1000, 1000]]);
  await timer.elapse();
  await batcher.idle();
});
