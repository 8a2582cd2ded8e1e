import { expect, it } from 'vitest';
import { ServiceError } from '../../errors/index.ts';
import type { Sql, Transaction } from '../../storage/index.ts';
import { type Append, JoinedAppends } from './joined-appends.ts';

const appendOf = (run: string, firstSeq = 0): Append => ({
  ref: { runId: run, attempt: 1, fence: 1 },
  shipId: 'ship',
  firstSeq,
  lines: [],
  cut: false,
});

/** Transactions that do nothing but their work, one after another. */
const sql = {
  transaction: async <T>(work: (tx: Transaction) => Promise<T>): Promise<T> => work({} as Transaction),
} as Pick<Sql, 'transaction'>;

it('writes the calls that arrive during a write together, those of one attempt one after another', async () => {
  const batches: string[] = [];
  const joined = new JoinedAppends(sql, async (_, appends) => {
    batches.push(appends.map(({ ref, firstSeq }) => `${ref.runId}${firstSeq}`).join(' '));
    return appends.map(({ firstSeq }) => ({ status: 'stored', nextSeq: firstSeq + 1 }));
  });
  const answers = await Promise.all(
    [appendOf('a', 0), appendOf('a', 1), appendOf('b', 5), appendOf('a', 2), appendOf('c', 7)].map((append) =>
      joined.add(append)
    ),
  );
  expect(batches).toEqual(['a0', 'a1 b5 c7', 'a2']);
  expect(answers.map(({ nextSeq }) => nextSeq)).toEqual([1, 2, 6, 3, 8]);
});

it('rejects only the call that cannot be written', async () => {
  const joined = new JoinedAppends(sql, async (_, appends) => {
    if (appends.some(({ ref }) => ref.runId === 'broken')) throw new Error('no');
    return appends.map(() => ({ status: 'stored', nextSeq: 1 }));
  });
  const settled = await Promise.allSettled(['first', 'broken', 'other'].map((run) => joined.add(appendOf(run))));
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

it('rejects all calls once when the store is not there, and goes on afterwards', async () => {
  let writes = 0;
  const joined = new JoinedAppends(sql, async (_, appends) => {
    writes += 1;
    if (writes <= 2) throw new ServiceError('unavailable', 'the store is not there');
    return appends.map(() => ({ status: 'stored', nextSeq: 1 }));
  });
  const settled = await Promise.allSettled(['a', 'b', 'c'].map((run) => joined.add(appendOf(run))));
  expect([settled.map(({ status }) => status), writes]).toEqual([['rejected', 'rejected', 'rejected'], 2]);
  expect(await joined.add(appendOf('d'))).toEqual({ status: 'stored', nextSeq: 1 });
});
