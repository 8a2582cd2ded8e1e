import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { silentLog } from '../../lib/log.ts';
import { ManualTimer } from '../../testkit/manual-timer.ts';
import { type IndexInMemory, IndexMemory, type IndexMemoryOptions, type RestingView } from './index-memory.ts';

type Sizes = Readonly<Record<string, Omit<IndexInMemory, 'name'>>>;

/** A view whose indexes rest when they are asked to, except some. */
function view(indexes: Sizes, busy: readonly string[] = []): RestingView & { readonly rested: string[] } {
  const rested: string[] = [];
  return {
    name: 'words',
    woken: 3,
    counts: () => ({ memory: Object.keys(indexes).length - rested.length, resting: rested.length, missing: 0 }),
    rested,
    inMemory: () =>
      Object.entries(indexes).filter(([name]) => !rested.includes(name)).map(([name, index]) => ({
        name,
        ...index,
      })),
    async rest(collection) {
      if (busy.includes(collection)) return false;
      rested.push(collection);
      return true;
    },
  };
}

async function round(views: readonly RestingView[], options: Partial<IndexMemoryOptions>): Promise<void> {
  const timer = new ManualTimer();
  const memory = new IndexMemory({
    views,
    restAfterMs: 0,
    limit: 0,
    log: silentLog,
    timer,
    now: () => 10_000,
    ...options,
  });
  await memory.start();
  await timer.elapse();
  await expect.poll(() => timer.sleeps.length).toBe(2);
  await memory.stop();
}

it('takes small indexes out of memory that nobody has used for a while', async () => {
  const words = view({
    fresh: { documents: 5, bytes: 10, usedAt: 9500 },
    old: { documents: 5000, bytes: 10, usedAt: 9000 },
    large: { documents: 5001, bytes: 10, usedAt: 0 },
  });
  await round([words], { restAfterMs: 1000 });
  expect(words.rested).toEqual(['old']);
});

it('takes those out of memory that were used least recently, of all views, until the rest fits', async () => {
  const words = view({
    a: { documents: 1e6, bytes: 40, usedAt: 1 },
    b: { documents: 1, bytes: 30, usedAt: 4 },
    c: { documents: 1, bytes: 50, usedAt: 9000 },
  }, ['a']);
  const columns = view({ a: { documents: 1e6, bytes: 20, usedAt: 2 }, b: { documents: 1, bytes: 1, usedAt: 5 } });
  await round([words, columns], { limit: 91 });
  expect([words.rested, columns.rested]).toEqual([['b'], ['a']]);
  await round([words, columns], { limit: 91 });
  expect([words.rested, columns.rested]).toEqual([['b'], ['a']]);
});

it('does nothing without a limit and a time', async () => {
  const timer = new ManualTimer();
  const memory = new IndexMemory({ views: [], restAfterMs: 0, limit: 0, log: silentLog, timer });
  await memory.start();
  await memory.stop();
  expect(timer.sleeps).toEqual([]);
});

it('reports where indexes are, and how many were read again', async () => {
  const registry = new Registry();
  const words = view({ a: { documents: 1, bytes: 1, usedAt: 1 } });
  new IndexMemory({ views: [words], restAfterMs: 0, limit: 0, log: silentLog }).registerMetrics([registry]);
  const text = await registry.metrics();
  expect(text).toContain('svc_indexes{view="words",state="memory"} 1');
  expect(text).toContain('svc_indexes{view="words",state="missing"} 0');
  expect(text).toContain('svc_index_reads_total{view="words"} 3');
});
