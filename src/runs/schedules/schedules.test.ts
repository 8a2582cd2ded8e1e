import { afterEach, describe, expect, it } from 'vitest';
import { ServiceError } from '../../errors/index.ts';
import { systemTimer } from '../../lib/clock.ts';
import { type Log, silentLog } from '../../lib/log.ts';
import { migrate, openDatabase, RUN_QUEUE_MIGRATIONS, type Sql } from '../../storage/index.ts';
import { type LoadedRunsConfig, parseRunsConfig } from '../config/index.ts';
import type { RunRequest } from '../definitions/index.ts';
import type { RunRecord } from '../queue/port.ts';
import { createSchedules } from './schedules.ts';

const HOUR = 3_600_000;
/** Twenty minutes past an hour. */
const START = 490_000 * HOUR + 20 * 60_000;

const CONFIG = `
projects: [{id: alpha, repository: org/alpha, release_interval: 1h, content: {enabled: true, interval: 2h, min_score: 70}}]
pipelines: [{name: release, steps: [{name: go, run: 'true'}]}]
ai: {roles: [{name: writer, endpoint: 'http://localhost/v1', model: m}]}
scheduler: {jitter: '0'}
`;

const opened: Sql[] = [];
afterEach(() => Promise.all(opened.splice(0).map((sql) => sql.close())));

async function open(text = CONFIG) {
  const sql = await openDatabase({ path: ':memory:' });
  opened.push(sql);
  await migrate(sql, RUN_QUEUE_MIGRATIONS);
  const world = {
    now: START,
    config: parseRunsConfig(text),
    runs: new Map<string, { finishedAt: number | null }>(),
    refuse: undefined as Error | undefined,
    keys: [] as string[],
    requests: [] as RunRequest[],
    lines: [] as unknown[][],
    changed: () => {},
  };
  const log: Log = { ...silentLog, info: (...line) => void world.lines.push(line) };
  const onChange = (listener: (loaded: LoadedRunsConfig) => void) => {
    world.changed = () => listener({ config: world.config } as LoadedRunsConfig);
    return () => undefined;
  };
  const node = () =>
    createSchedules({
      env: {
        sql,
        clock: { now: () => world.now },
        timer: systemTimer,
        config: { current: () => ({ config: world.config }) as LoadedRunsConfig, onChange },
        log,
      },
      queue: { get: async (id) => world.runs.get(id) as RunRecord | undefined },
      repositories: { commitsSince: async () => undefined },
      enqueueOnce: async (_, key, request) => {
        if (world.refuse !== undefined) throw world.refuse;
        const queued = { run: { id: key } as RunRecord, replayed: world.keys.includes(key) };
        if (queued.replayed) return queued;
        world.keys.push(key);
        world.requests.push(request);
        return queued;
      },
    });
  return { world, node, schedules: node() };
}

const key = (what: string, hours: number) => `sched:alpha:${what}:${hours * 3600}`;

describe('schedules (run-queue decisions, section 2.6)', () => {
  it('wait for the next slot of a new project, then queue one run a slot', async () => {
    const { world, schedules } = await open();
    for (let minutes = 0; minutes < 130; minutes += 5) {
      await schedules.tick();
      world.now += 5 * 60_000;
    }
    expect(world.keys).toEqual([key('release', 490_001), key('release', 490_002), key('content', 490_002)]);
    expect(world.requests[0]).toEqual({
      projectId: 'alpha',
      kind: 'pipeline',
      task: 'release',
      schedule: 'release',
      event: 'schedule',
    });
    expect(world.requests[2]).toMatchObject({
      kind: 'ai_text',
      task: 'writer',
      minScore: 70,
      input: expect.stringContaining('org/alpha'),
    });
  });

  it('log one line for each run that they queue', async () => {
    const { world, schedules } = await open();
    await schedules.tick();
    world.now += HOUR;
    await schedules.tick();
    await schedules.tick();
    expect(world.lines).toEqual([[{ project: 'alpha', what: 'release', run: key('release', 490_001) },
      'a schedule has fired']]);
  });

  it('queue one run for all slots that were missed, after a restart as well', async () => {
    const { world, node, schedules } = await open();
    await schedules.tick();
    world.now += 10 * HOUR;
    await node().tick();
    expect(world.keys).toEqual([key('release', 490_010), key('content', 490_010)]);
  });

  it('queue a slot once, however many nodes there are', async () => {
    const { world, node, schedules } = await open();
    const nodes = [schedules, node(), node()];
    await Promise.all(nodes.map((each) => each.tick()));
    world.now += HOUR;
    await Promise.all(nodes.map((each) => each.tick()));
    expect(world.keys).toEqual([key('release', 490_001)]);
  });

  it('queue none while the last is unfinished, and one afterwards', async () => {
    const { world, schedules } = await open();
    await schedules.tick();
    world.now += HOUR;
    await schedules.tick();
    const first = key('release', 490_001);
    world.runs.set(first, { finishedAt: null });
    world.now += HOUR;
    await schedules.tick();
    expect(world.keys).toEqual([first, key('content', 490_002)]);
    world.runs.set(first, { finishedAt: 1 });
    world.now += 5 * 60_000;
    await schedules.tick();
    expect(world.keys).toEqual([first, key('content', 490_002), key('release', 490_002)]);
  });

  it('go on when the clock was days ahead and has been corrected', async () => {
    const { world, schedules } = await open();
    await schedules.tick();
    world.now += 1000 * HOUR;
    await schedules.tick();
    world.now = START + HOUR;
    world.keys.length = 0;
    await schedules.tick();
    expect(world.keys).toEqual([]);
    world.now += HOUR;
    await schedules.tick();
    expect(world.keys).toEqual([key('release', 490_002), key('content', 490_002)]);
  });

  it('fire once when the clock of a node is a little behind', async () => {
    const { world, schedules } = await open(CONFIG.replace('release_interval: 1h', 'release_interval: 1w'));
    await schedules.tick();
    const next = schedules.nextRuns(world.config.projects[0]!).release!;
    for (const seconds of [0, -30, 0]) {
      world.now = (next + seconds) * 1000;
      await schedules.tick();
    }
    expect(world.lines.filter(([fields]) => (fields as { what: string }).what === 'release')).toHaveLength(1);
  });

  it('skip a slot that is refused, and try one again that met a failure', async () => {
    const { world, schedules } = await open();
    await schedules.tick();
    world.now += HOUR;
    world.refuse = new ServiceError('storage_unavailable', 'busy');
    await schedules.tick();
    world.refuse = undefined;
    await schedules.tick();
    expect(world.keys).toEqual([key('release', 490_001)]);
    world.now += HOUR;
    world.refuse = new ServiceError('pipeline_unavailable', 'none');
    await schedules.tick();
    world.refuse = undefined;
    await schedules.tick();
    expect(world.keys).toEqual([key('release', 490_001)]);
  });

  it('start over with another interval, and end with the project', async () => {
    const { world, schedules } = await open();
    await schedules.tick();
    world.config = parseRunsConfig(CONFIG.replace('release_interval: 1h', 'release_interval: 3h'));
    world.now += HOUR;
    await schedules.tick();
    expect(world.keys).toEqual([]);
    world.config = parseRunsConfig(CONFIG.replace('id: alpha,', 'id: alpha, enabled: false,'));
    world.now += 24 * HOUR;
    await schedules.tick();
    expect([world.keys, schedules.nextRuns(world.config.projects[0]!)]).toEqual([[], { release: null, content: null }]);
  });

  it('report when the next runs come, jitter included', async () => {
    const { world, schedules } = await open();
    expect(schedules.nextRuns(world.config.projects[0]!)).toEqual({ release: 490_001 * 3600, content: 490_002 * 3600 });
    world.config = parseRunsConfig(CONFIG.replace("jitter: '0'", 'jitter: 30s'));
    const { release } = schedules.nextRuns(world.config.projects[0]!);
    expect(release! - 490_001 * 3600).toBeGreaterThan(0);
    expect(release! - 490_001 * 3600).toBeLessThanOrEqual(30);
  });

  it('wait for the moment of what is due within a minute', async () => {
    const { world, schedules } = await open();
    await schedules.tick();
    world.now += 40 * 60_000 - 300; // this long before the hour
    schedules.start();
    await new Promise((done) => setTimeout(done, 50));
    expect(world.keys).toEqual([]);
    world.now += 300;
    await expect.poll(() => world.keys).toEqual([key('release', 490_001)]);
    await schedules.stop();
  });

  it('look at once when they start, and when the configuration changes', async () => {
    const { world, schedules } = await open();
    await schedules.tick();
    world.now += HOUR;
    schedules.start();
    await expect.poll(() => world.keys).toEqual([key('release', 490_001)]);
    world.now += HOUR;
    world.changed();
    await expect.poll(() => world.keys).toHaveLength(3);
    await schedules.stop();
  });
});

describe('schedules with cron expressions', () => {
  const nightly = `
projects: [{id: alpha, repository: org/alpha}]
pipelines: [{name: build, steps: [{name: go, run: 'true'}]}]
schedules:
  - {name: nightly, project: alpha, cron: '30 2 * * *', timezone: Europe/Berlin, task: build, input: {depth: 1}, runs_on: [os=linux]}
`;
  const slots = ({ keys }: { keys: string[] }) =>
    keys.map((text) => new Date(Number(text.split(':')[3]) * 1000).toISOString().slice(0, 16));

  it('queue their input at their times, one for what was missed in an outage', async () => {
    const { world, node, schedules } = await open(nightly);
    world.now = Date.parse('2026-03-26T12:00:00Z');
    await schedules.tick();
    expect(world.keys).toEqual([]);
    world.now = Date.parse('2026-03-27T01:30:00Z');
    await schedules.tick();
    world.now = Date.parse('2026-04-02T00:00:00Z');
    await node().tick();
    await node().tick();
    expect(slots(world)).toEqual(['2026-03-27T01:30', '2026-04-01T00:30']);
    expect(world.requests[0]).toEqual({
      projectId: 'alpha',
      kind: 'pipeline',
      task: 'build',
      schedule: 'nightly',
      event: 'schedule',
      input: { depth: 1 },
      runsOn: ['os=linux'],
    });
  });

  it('wait while the run before is unfinished', async () => {
    const { world, schedules } = await open(nightly);
    await schedules.tick();
    world.now += 24 * HOUR;
    await schedules.tick();
    expect(world.keys).toHaveLength(1);
    world.runs.set(world.keys[0]!, { finishedAt: null });
    world.now += 24 * HOUR;
    await schedules.tick();
    expect(world.keys).toHaveLength(1);
    world.runs.set(world.keys[0]!, { finishedAt: 1 });
    await schedules.tick();
    expect(world.keys).toHaveLength(2);
  });

  it('start over with another expression or time zone', async () => {
    const { world, schedules } = await open(nightly);
    await schedules.tick();
    world.now += 24 * HOUR;
    world.config = parseRunsConfig(nightly.replace('Europe/Berlin', 'Asia/Tokyo'));
    await schedules.tick();
    expect(world.keys).toEqual([]);
  });
});
