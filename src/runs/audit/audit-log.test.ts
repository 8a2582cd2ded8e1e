import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RunsApi } from '../../testkit/runs-api.ts';

let api: RunsApi;
beforeEach(async () => {
  api = await RunsApi.start();
});
afterEach(() => api.stop());

interface Page {
  data: { at: number; actor: string; action: string; target: string; detail: Record<string, unknown> }[];
  next_cursor: string | null;
}
const page = async (query = '') => (await api.send('GET', `/audit${query}`)).json<Page>();

describe('the audit log', () => {
  it('lists actions with their actors, newest first', async () => {
    const id = await api.queued('the-first-key');
    api.clock.ms += 5000;
    await api.send('POST', `/runs/${id}/cancel`);
    const retry =
      (await api.send('POST', `/runs/${id}/retry`, { key: 'the-other-key' })).json<{ data: { id: string } }>().data.id;
    expect(await page()).toEqual({
      data: [{
        at: 1767225605,
        actor: 'api',
        action: 'retry',
        target: retry,
        detail: { project_id: 'beta', kind: 'diagnostic', task: '', retry_of: id },
      }, { at: 1767225605, actor: 'api', action: 'cancel', target: id, detail: {} }, {
        at: 1767225600,
        actor: 'api',
        action: 'enqueue',
        target: id,
        detail: { project_id: 'beta', kind: 'diagnostic', task: '' },
      }],
      next_cursor: null,
    });
  });

  it('does not list refused or repeated requests', async () => {
    await api.queued('the-first-key');
    await api.queued('the-first-key');
    await api.enqueue('the-other-key', { project_id: 'nope', kind: 'diagnostic' });
    expect((await page()).data.length).toBe(1);
  });

  it('is read by pages that neither repeat nor skip while entries are added, even when the clock goes back', async () => {
    for (let i = 0; i < 7; i++) {
      await api.queued(`audited-key-${i}`);
      api.clock.ms -= 1000;
    }
    const seen: string[] = [];
    for (let cursor: string | null = '', turn = 0; cursor !== null; turn++) {
      const next: Page = await page(`?limit=2${cursor && `&before=${cursor}`}`);
      seen.push(...next.data.map(({ target }) => target));
      await api.queued(`late-key-${turn}`);
      cursor = next.next_cursor;
    }
    expect([seen.length, new Set(seen).size]).toEqual([7, 7]);
  });

  it('can be narrowed to one action', async () => {
    await api.send('POST', `/runs/${await api.queued('the-first-key')}/cancel`);
    expect((await page('?action=cancel')).data.map(({ action }) => action)).toEqual(['cancel']);
    const refused = await api.send('GET', '/audit?action=steal');
    expect(refused.json()).toMatchObject({ error: { code: 'invalid_input' } });
  });

  it('refuses the cursor of another list', async () => {
    await api.queued('the-first-key');
    await api.queued('the-other-key');
    const { next_cursor } = (await api.send('GET', '/runs?limit=1')).json<{ next_cursor: string }>();
    expect((await api.send('GET', `/audit?before=${next_cursor}`)).json()).toEqual({
      error: { code: 'invalid_cursor' },
    });
  });
});
