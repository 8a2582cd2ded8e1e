import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { LogEvent, Run, RunArtifact, RunAttempt, RunResult, Schedule,
  Ship } from '../../generated/runs/sdk/types.gen.ts';
import { silentLog } from '../lib/log.ts';
import { placesOf, restore } from '../runs/backup/index.ts';
import { loadRunsConfig } from '../runs/config/index.ts';
import { IdentityFile } from '../ship/identity/index.ts';
import { RUN_QUEUE_MIGRATIONS } from '../storage/index.ts';
import { recordedFormats, unpackRecording } from '../testkit/formats/recording.ts';
import { API_TOKEN, keyOf, requestOf, RUNS, SHIP, storyConfig } from '../testkit/formats/runs-story.ts';
import { ManualTimer } from '../testkit/manual-timer.ts';
import { startRunQueueService } from './runs-service.ts';

const formats = await recordedFormats('runs');
const VARIABLES = { PATH: process.env['PATH'], RUNS_API_TOKEN: API_TOKEN };

/** Far below a lease, which the ship in this process renews by real time while it works. */
const STEP_MS = 100;
/**
 * Ends leases sooner, while this process has no run. Below half of a lease: the queue extends all leases after a longer
 * standstill.
 */
const LONG_STEP_MS = 4000;

/** The files of a recording, in a folder of the test. */
async function unpacked(format: number): Promise<{ folder: string; config: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'quire-format-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await unpackRecording('runs', format, folder);
  const config = join(folder, 'runs.yaml');
  await writeFile(config, storyConfig(join(folder, 'data')));
  return { folder, config };
}

/** When the recording was made, in milliseconds since 1970. */
function recordedAt(folder: string): number {
  const database = new DatabaseSync(join(folder, 'data', 'runs.db'));
  const { at } = database.prepare('SELECT max(updated_at) AS at FROM runs').get() as { at: number };
  database.close();
  return at * 1000;
}

/** Today's service over a recording, at the time of the recording; the test advances the time. */
class Reopened {
  readonly #clock: { ms: number };
  readonly #timer: ManualTimer;
  readonly #url: string;

  static async start(format: number): Promise<Reopened> {
    const { folder, config } = await unpacked(format);
    const clock = { ms: recordedAt(folder), now: (): number => clock.ms };
    const timer = new ManualTimer();
    const service = await startRunQueueService({
      loaded: await loadRunsConfig({ source: config, env: VARIABLES }),
      variables: VARIABLES,
      log: silentLog,
      clock,
      timer,
      validateResponses: true,
    });
    onTestFinished(() => service.stop());
    return new Reopened(service.url, clock, timer);
  }

  private constructor(url: string, clock: { ms: number }, timer: ManualTimer) {
    this.#url = url;
    this.#clock = clock;
    this.#timer = timer;
  }

  async #call(method: string, path: string, body?: object, key: string = crypto.randomUUID()): Promise<Response> {
    const response = await fetch(`${this.#url}/api/v1${path}`, {
      method,
      headers: { 'Authorization': `Bearer ${API_TOKEN}`, 'Content-Type': 'application/json', 'Idempotency-Key': key },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response;
  }

  async get<T>(path: string): Promise<T> {
    return ((await (await this.#call('GET', path)).json()) as { data: T }).data;
  }

  async post<T>(path: string, body?: object, key?: string): Promise<T> {
    return ((await (await this.#call('POST', path, body, key)).json()) as { data: T }).data;
  }

  async text(path: string): Promise<string> {
    return (await this.#call('GET', path)).text();
  }

  /** The run of a pipeline. */
  async run(task: string): Promise<Run> {
    const found = (await this.get<Run[]>('/runs?limit=100&cells=false')).find((run) => run.task === task);
    if (found === undefined) throw new Error(`there is no run of ${task}`);
    return found;
  }

  async output(task: string, attempt: number): Promise<string[]> {
    const { id } = await this.run(task);
    return (await this.get<LogEvent[]>(`/runs/${id}/logs?attempt=${attempt}`)).filter(({ stream }) =>
      stream !== 'system'
    ).map(({ message }) => message);
  }

  /** Lets the queue look after its runs until one matches; `stepMs` pass between two looks. */
  async until(task: string, fits: (run: Run) => boolean, stepMs = STEP_MS): Promise<Run> {
    for (;;) {
      const run = await this.run(task);
      if (fits(run)) return run;
      this.#clock.ms += stepMs;
      await this.#timer.elapse();
    }
  }
}

const succeeded = ({ state }: Run): boolean => state === 'succeeded';

describe.each(formats)('what a run queue of format %i stored when it was killed', (format) => {
  it('is there', async () => {
    const queue = await Reopened.start(format);
    for (const recorded of RUNS.filter(({ state }) =>
      state === 'succeeded' || state === 'failed' || state === 'cancelled'
    )) {
      expect(await queue.run(recorded.task)).toMatchObject({ state: recorded.state, project_id: recorded.project });
      expect(await queue.post('/runs', requestOf(recorded), keyOf(recorded))).toMatchObject({
        id: (await queue.run(recorded.task)).id,
      });
    }
    const { id } = await queue.run('hello');
    expect(await queue.output('hello', 1)).toEqual(['hello, world']);
    expect(await queue.get<RunResult>(`/runs/${id}/result`)).toMatchObject({ value: { greeted: true } });
    expect(await queue.output('broken', 1)).toEqual(['attempt 1']);
    expect(await queue.get<RunAttempt[]>(`/runs/${(await queue.run('broken')).id}/attempts`)).toMatchObject([{
      attempt: 1,
    }, { attempt: 2 }]);
    expect((await queue.get<Ship[]>('/ships')).filter(({ name }) => name === SHIP.name)).toMatchObject([{
      revoked: false,
      labels: expect.arrayContaining([SHIP.label]) as string[],
    }]);
    const path = `/runs/${(await queue.run('pack')).id}/artifacts`;
    expect(await queue.get<RunArtifact[]>(path)).toMatchObject([{ name: 'parcel', size: 7 }]);
    expect(await queue.text(`${path}/parcel`)).toBe('packed\n');
    expect(await queue.get<Schedule[]>('/schedules')).toMatchObject([{ name: 'nightly', paused_by: 'api' }]);
    expect(await queue.get('/notifications')).toMatchObject([{ name: 'hook', waiting: expect.any(Number) as number }]);
    const cells = await queue.get<Run[]>(`/runs?parent_id=${(await queue.run('grid')).id}`);
    expect(
      cells.map(({ matrix, state }) => ({ matrix, state })).sort((a, b) =>
        JSON.stringify(a).localeCompare(JSON.stringify(b))
      ),
    ).toEqual([{ matrix: { n: 1 }, state: 'succeeded' }, { matrix: { n: 2 }, state: 'succeeded' }]);
  });

  it('goes on: runs under way get another attempt, those that wait are executed, and a cancellation ends', async () => {
    const queue = await Reopened.start(format);
    await queue.until('hanging', succeeded);
    expect(await queue.output('hanging', 2)).toEqual(['attempt 2']);
    await queue.until('waiting', succeeded);
    await queue.until('holder', succeeded);
    await queue.until('follower', succeeded);
    const asking = await queue.run('asking');
    expect(asking).toMatchObject({ state: 'queued', waiting_reason: 'approval' });
    await queue.post(`/runs/${asking.id}/approve`);
    await queue.until('asking', succeeded);
    const staged = await queue.run('staged');
    expect(staged).toMatchObject({ state: 'queued', attempt: 1, approval: { state: 'waiting', step: 'ask' } });
    await queue.post(`/runs/${staged.id}/approve`);
    await queue.until('staged', succeeded);
    expect(await queue.output('staged', 1)).toEqual(['built']);
    // The recording lacks the caches of the ship, but not those of the service.
    await queue.post(`/runs`, { project_id: 'alpha', kind: 'pipeline', task: 'cached' });
    await queue.until('cached', succeeded);
    expect(await queue.output('cached', 1)).toEqual(['kept']);
    await queue.until('stubborn', ({ state }) => state === 'cancelled', LONG_STEP_MS);
    const lost = await queue.until('distant', ({ attempt }) => attempt === 2, LONG_STEP_MS);
    expect(lost).toMatchObject({ state: 'queued' }); // its ship is not there
    expect(await queue.output('distant', 1)).toEqual(['attempt 1']);
  });

  it('has a backup that can be restored, and a ship that keeps its identity', async () => {
    const { folder, config } = await unpacked(format);
    const places = placesOf((await loadRunsConfig({ source: config, env: VARIABLES })).config)!;
    const at = recordedAt(folder);
    const restored = await restore(places, join(folder, 'backup'), { clock: { now: () => at }, unfinished: 'fail' });
    const held = RUNS.filter(({ state }) => (state === 'running' || state === 'cancelling')).length;
    const queued = RUNS.filter(({ state }) => state === 'queued').length;
    expect(restored.unfinished).toEqual({ held, queued });
    expect(await new IdentityFile(join(folder, 'far')).read()).toMatchObject({ name: SHIP.name });
  });
});

it('the format of this version is recorded; if not: node src/testkit/formats/record-runs.ts', () => {
  expect(formats.at(-1)).toBe(RUN_QUEUE_MIGRATIONS.length);
});
