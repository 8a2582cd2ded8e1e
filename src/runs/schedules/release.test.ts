// With a real repository and git.
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Run, Schedule } from '../../../generated/runs/sdk/types.gen.ts';
import { Origin } from '../../testkit/git-origin.ts';
import { RunsApi } from '../../testkit/runs-api.ts';

const HOUR = 3_600_000;
let origin: Origin;
let api: RunsApi;
let dataDir: string;
afterEach(async () => {
  await api.stop();
  origin.remove();
  rmSync(dataDir, { recursive: true, force: true });
});

/** A project that releases every hour; the time is that of its first check. */
async function start(release: string, more = ''): Promise<void> {
  origin = new Origin();
  dataDir = mkdtempSync(join(tmpdir(), 'quire-release-'));
  api = await RunsApi.start({
    config: `
data_dir: ${dataDir}
local: {git_protocols: [file]}
scheduler: {jitter: '0'}
projects: [{id: alpha, repository: '${origin.url}', release_interval: 1h, release: ${release}}]
pipelines: [{name: release, checkout: shallow, steps: [{name: s, run: x}]}]
${more}`,
  });
  await api.schedules.tick();
}

async function hourLater(): Promise<void> {
  api.clock.ms += HOUR;
  await api.schedules.tick();
}

const runs = async (): Promise<Run[]> => (await api.send('GET', '/runs')).json<{ data: Run[] }>().data;
const schedule = async (): Promise<Schedule> =>
  (await api.send('GET', '/schedules')).json<{ data: Schedule[] }>().data[0]!;
const inputOf = async ({ id }: Run): Promise<Record<string, unknown>> =>
  JSON.parse((await api.queue.material(id))!.input!) as Record<string, unknown>;
const succeed = (): Promise<string> => api.work({ outcome: 'succeeded', started: true });

describe('a release', () => {
  it('is queued with the commits since the newest tag of the branch, and not without any', async () => {
    await start("{only_if_changed: true, tag: 'v*'}");
    const { two } = origin.commits;
    // A tag of another branch, and one that is no release.
    origin.git('tag', 'v9', origin.commits.feature);
    await hourLater();
    expect(await runs()).toEqual([]);
    expect(await schedule()).toMatchObject({
      last_run: null,
      last_skip: { at: api.clock.ms / 1000, reason: 'nothing was committed since v2' },
    });
    const three = origin.commit('three\n\nbody');
    origin.git('tag', 'nightly');
    const four = origin.commit('four');
    await hourLater();
    const [run] = await runs();
    expect(run).toMatchObject({ task: 'release', commit: four, source: { type: 'schedule', schedule: 'release' } });
    expect(await inputOf(run!)).toEqual({
      previous_tag: 'v2',
      previous_commit: two,
      head: four,
      commits: [{ commit: four, author: 't', date: expect.stringMatching(/^\d{4}-/), subject: 'four' }, {
        commit: three,
        author: 't',
        date: expect.any(String),
        subject: 'three',
      }],
      truncated: 0,
    });
    expect(await schedule()).toMatchObject({ last_run: { id: run!.id }, last_skip: null });
  });

  it('without a tag counts from the last one that succeeded, also if somebody started it', async () => {
    await start('{only_if_changed: true}');
    await hourLater();
    const [first] = await runs();
    expect(await inputOf(first!)).toMatchObject({ previous_tag: null, previous_commit: null, truncated: 0 });
    await succeed();
    await hourLater();
    expect((await schedule()).last_skip!.reason).toBe(`nothing was committed since ${origin.commits.two.slice(0, 12)}`);
    const three = origin.commit('three');
    const asked = await api.send('POST', '/schedules/alpha/release/run', { key: 'release-now' });
    expect(asked.status).toBe(202);
    expect(asked.json<{ data: Run }>().data.commit).toBe(three);
    await succeed();
    // A commit that the history has lost does not count.
    origin.git('reset', '--quiet', '--hard', origin.commits.two);
    const other = origin.commit('other');
    await hourLater();
    const last = (await runs())[0]!;
    expect(await inputOf(last)).toMatchObject({
      previous_commit: origin.commits.two,
      commits: [expect.objectContaining({ commit: other })],
    });
  });

  it('is queued in any case without only_if_changed, and by hand', async () => {
    await start("{tag: 'v*'}");
    await hourLater();
    const [run] = await runs();
    expect(await inputOf(run!)).toMatchObject({ previous_tag: 'v2', commits: [] });
    await succeed();
    const again = await api.send('POST', '/schedules/alpha/release/run', { key: 'release-now' });
    expect(again.status).toBe(202);
  });

  it('waits for a repository that cannot be read, shows that, and is queued once', async () => {
    await start("{only_if_changed: true, tag: 'v*'}");
    const three = origin.commit('three');
    renameSync(origin.path, `${origin.path}-away`);
    await hourLater();
    const { last_skip: skip } = await schedule();
    expect(skip!.reason).toContain('git says: ');
    const now = await api.send('POST', '/schedules/alpha/release/run', { key: 'release-now' });
    expect([now.status, now.json<{ error: { code: string } }>().error.code]).toEqual([400, 'pipeline_unavailable']);
    await api.schedules.tick();
    expect([await runs(), api.warnings.length]).toEqual([[], 1]);
    renameSync(`${origin.path}-away`, origin.path);
    api.clock.ms += 60_000;
    await api.schedules.tick();
    await api.schedules.tick();
    expect((await runs()).map(({ commit }) => commit)).toEqual([three]);
    expect((await schedule()).last_skip).toBeNull();
  });

  it('that is refused shows why', async () => {
    await start("{tag: 'v*'}");
    api.configure(`
data_dir: ${dataDir}
scheduler: {jitter: '0'}
projects: [{id: alpha, repository: '${origin.url}', release_interval: 1h}]
pipelines: [{name: release, steps: [{name: s, run: x, when: {event: push}}]}]
`);
    await hourLater();
    expect((await schedule()).last_skip!.reason).toBe(
      'the pipeline release has no step left: s is for push, not for schedule',
    );
  });
});
