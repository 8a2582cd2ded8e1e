import { afterEach, describe, expect, it } from 'vitest';
import { CONFIG, RunsApi } from '../../testkit/runs-api.ts';
import { badgePicture, LAST_ENDED, LAST_ENDED_AT_REF } from './index.ts';

let api: RunsApi;
afterEach(() => api.stop());

const ANONYMOUS = { headers: { Authorization: '' } };
const LABELS = ['os=linux', 'gpu=a100'];
const badge = async (query = '', options = {}) => (await api.send('GET', `/projects/alpha/badge.svg${query}`, options));

describe('the badge of a project', () => {
  it('reports how the last run that was not cancelled has ended', async () => {
    api = await RunsApi.start();
    expect((await badge()).text).toContain('>no runs<');
    for (const [key, outcome, expected] of [['key-one-1', 'failed', 'failing'], ['key-two-2', 'succeeded',
      'passing']] as const)
    {
      await api.enqueue(key, { project_id: 'alpha', kind: 'pipeline', task: 'build' });
      api.clock.ms += 1000;
      await api.work({ outcome, started: true }, LABELS);
      expect((await badge('?pipeline=build')).text).toContain(`aria-label="build: ${expected}"`);
    }
    const answer = await badge();
    expect(answer.headers).toMatchObject({
      'content-type': expect.stringContaining('image/svg+xml'),
      'cache-control': 'max-age=30',
    });
    expect(answer.text).toContain('aria-label="alpha: passing"');
    expect((await badge('?pipeline=secret')).text).toContain('aria-label="alpha: no runs"');
    expect((await api.send('GET', '/projects/none/badge.svg')).json()).toMatchObject({
      error: { code: 'project_not_found' },
    });
  });

  it('takes a token where reading does, unless badges are open', async () => {
    api = await RunsApi.start();
    expect((await badge('', ANONYMOUS)).status).toBe(401);
    api.configure(`${CONFIG}\nruntime: {public_badges: true}\n`);
    expect((await badge('', ANONYMOUS)).status).toBe(200);
    expect((await api.send('GET', '/runs', ANONYMOUS)).status).toBe(401);
  });

  it('holds names as text only, and short', () => {
    const text = badgePicture('<script>alert(1)</script>"&' + 'x'.repeat(100), 'passing');
    expect(text).not.toMatch(/<script|"&x|href|x{30}/);
  });

  it('is found without a look at history', async () => {
    api = await RunsApi.start();
    const [step] = await api.sql.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${LAST_ENDED}`, ['alpha', 'build']);
    expect(step!.detail).toMatch(/^SEARCH runs USING INDEX runs_ended /);
    const [ofRef] = await api.sql.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${LAST_ENDED_AT_REF}`, ['alpha', 'build',
      'main']);
    expect(ofRef!.detail).toMatch(/^SEARCH runs USING INDEX runs_ended_at_ref /);
  });
});
