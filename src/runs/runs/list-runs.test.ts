import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RunsApi } from '../../testkit/runs-api.ts';

let api: RunsApi;
beforeEach(async () => {
  api = await RunsApi.start();
});
afterEach(() => api.stop());

interface Page {
  data: { id: string; state: string; project_id: string; kind: string }[];
  next_cursor: string | null;
}
const page = async (query = ''): Promise<Page> => {
  const answer = await api.send('GET', `/runs${query}`);
  expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
  return answer.json<Page>();
};
const error = async (query: string) => {
  const answer = await api.send('GET', `/runs${query}`);
  return [answer.status, answer.json<{ error: { code: string } }>().error.code];
};
let keys = 0;
const queue = (project = 'beta') => api.queued(`list-key-${++keys}`, project);
const ids = ({ data }: Page) => data.map(({ id }) => id);

describe('the list of runs', () => {
  it('is empty where there are none, and says that there is no further page', async () => {
    expect(await page()).toEqual({ data: [], next_cursor: null });
  });

  it('is newest first, by pages that end exactly with the last run', async () => {
    const queued = [];
    for (let i = 0; i < 6; i++) {
      queued.unshift(await queue());
      if (i % 2 === 0) api.clock.ms += 1000;
    }
    const first = await page('?limit=3');
    expect(ids(first)).toEqual(queued.slice(0, 3));
    const second = await page(`?limit=3&before=${first.next_cursor}`);
    expect([ids(second), second.next_cursor]).toEqual([queued.slice(3), null]);
    expect(await page('?limit=6')).toMatchObject({ next_cursor: null });
  });

  it('has 50 runs on a page unless said otherwise, and never more than 100', async () => {
    for (let i = 0; i < 110; i++) await queue();
    expect((await page()).data.length).toBe(50);
    expect((await page('?limit=1000')).data.length).toBe(100);
    expect((await page('?limit=100')).next_cursor).not.toBeNull();
  });

  it('neither repeats nor skips a run while others are queued between its pages', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 4 }), fc.boolean(), async (between, limit, ticks) => {
        const known = ids(await page('?limit=100'));
        const before = known.length;
        const expected = [...Array.from({ length: Math.max(0, 5 - before) }, () => ''), ...known];
        for (let i = 0; i < 5 - before; i++) expected[4 - before - i] = await queue();
        const seen: string[] = [];
        let cursor = '';
        for (let turn = 0;; turn++) {
          const next = await page(`?limit=${limit}${cursor}`);
          seen.push(...ids(next));
          if (next.next_cursor === null) break;
          cursor = `&before=${next.next_cursor}`;
          for (let i = 0; i < (between[turn] ?? 0); i++) await queue();
          if (ticks) api.clock.ms += 500;
        }
        expect(seen.slice(0, 100)).toEqual(expected.slice(0, seen.length));
        expect(seen.length).toBe(expected.length);
      }),
      { numRuns: 6 },
    );
  });

  it('can be narrowed by project, state and kind, together', async () => {
    const [a, b] = [await queue('alpha'), await queue('beta')];
    const text =
      (await api.enqueue('text-key', { project_id: 'beta', kind: 'ai_text', task: 'writer', input: 'x' })).json<
        { data: { id: string } }
      >().data.id;
    await api.send('POST', `/runs/${b}/cancel`);
    expect(ids(await page('?project_id=beta'))).toEqual([text, b]);
    expect(ids(await page('?state=queued'))).toEqual([text, a]);
    expect(ids(await page('?kind=diagnostic'))).toEqual([b, a]);
    expect(ids(await page('?project_id=beta&state=queued&kind=ai_text'))).toEqual([text]);
    expect(ids(await page('?project_id=nope'))).toEqual([]);
    const first = await page('?kind=diagnostic&limit=1');
    expect(ids(await page(`?kind=diagnostic&limit=1&before=${first.next_cursor}`))).toEqual([a]);
  });

  it('stays readable by the cursor of a run that was deleted', async () => {
    const [oldest, middle] = [await queue(), await queue()];
    await queue();
    const { next_cursor } = await page('?limit=2');
    await api.sql.transaction((tx) => tx.run('DELETE FROM runs WHERE id = ?', [middle]));
    expect(ids(await page(`?before=${next_cursor}`))).toEqual([oldest]);
  });

  it.each(['0', '-1', '1.5', 'x', '', '1e400', '1&limit=2'])('refuses the limit %s', async (limit) => {
    expect(await error(`?limit=${limit}`)).toEqual([400, 'invalid_input']);
  });

  it.each(['%21', '', 'MToxOng', 'bm90LWEtY3Vyc29y', 'a'.repeat(600),
    'MjoxNzY2NDAwMDAwOjAxOWI0NWE1MDAwMDdjM2U5YTQxZDJmMGI2ZTg1NzEz'])('refuses the cursor %s', async (cursor) => {
      expect(await error(`?before=${cursor}`)).toEqual([400, 'invalid_cursor']);
    });

  it('refuses unknown states and kinds', async () => {
    expect(await error('?state=lost')).toEqual([400, 'invalid_input']);
    expect(await error('?kind=shell')).toEqual([400, 'unsupported_kind']);
  });
});
