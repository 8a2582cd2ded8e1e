import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock, systemTimer } from '../lib/clock.ts';
import { silentLog } from '../lib/log.ts';
import { migrate, openPostgres, RUN_QUEUE_MIGRATIONS, type Sql } from '../storage/index.ts';
import { PostgresServer, WITHOUT_POSTGRES } from '../testkit/postgres-server.ts';
import { FakeShip, newRun } from '../testkit/runs-queue.ts';
import { WebhookEndpoint } from '../testkit/webhook-endpoint.ts';
import { createAuditLog } from './audit/index.ts';
import { type LoadedRunsConfig, parseRunsConfig } from './config/index.ts';
import type { RunsEnvironment } from './environment.ts';
import { createNotifications } from './notifications/index.ts';
import type { RunChange } from './queue/port.ts';
import { assembleQueue, type QueueParts } from './queue/queue.ts';
import { createRuns } from './runs/index.ts';
import { createSchedules } from './schedules/index.ts';

const YAML = `
projects:
  - {id: alpha, repository: org/alpha}
  - {id: one, repository: org/one, max_parallel: 1}
  - {id: timed, repository: org/timed, release_interval: 1h}
pipelines: [{name: release, steps: [{name: go, run: 'true'}]}]
scheduler: {jitter: '0'}
`;

/** The periodic work of a server is called by the test; messages to other servers are sent automatically. */
interface Node {
  readonly sql: Sql;
  readonly env: RunsEnvironment;
  readonly parts: QueueParts;
  readonly changes: RunChange[];
  readonly ships: FakeShip[];
}

describe.skipIf(WITHOUT_POSTGRES !== undefined)('several servers over one PostgreSQL', () => {
  let server: PostgresServer;
  let url: string;
  let nodes: Node[];
  let a: Node;
  let b: Node;

  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    url = await server.createSchema();
    nodes = [];
    [a, b] = [await open('a'), await open('b')];
  });
  afterEach(() => Promise.all(nodes.map(({ sql }) => sql.close())));

  async function open(nodeId: string): Promise<Node> {
    const sql = await openPostgres({ url, pool: 5 });
    await migrate(sql, RUN_QUEUE_MIGRATIONS);
    const loaded = {
      config: parseRunsConfig(YAML),
      apiTokens: [],
      source: 'test',
      folder: '/',
      readOnly: false,
      hash: '',
    } as LoadedRunsConfig;
    const env: RunsEnvironment = {
      sql,
      clock: systemClock,
      timer: systemTimer,
      log: silentLog,
      nodeId,
      version: '0',
      config: { current: () => loaded, onChange: () => () => {} },
    };
    const parts = assembleQueue({ env, note: async () => {} });
    const changes: RunChange[] = [];
    parts.queue.onChange((change) => changes.push(change));
    await parts.load();
    const ships = [1, 2, 3].map((i) => new FakeShip(`ship-${nodeId}${i}`, 4));
    for (const ship of ships) parts.queue.addWorker(ship);
    const node = { sql, env, parts, changes, ships };
    nodes.push(node);
    return node;
  }

  const submit = (node: Node, projectId: string) =>
    node.sql.transaction((tx) => node.parts.queue.insert(tx, newRun({ projectId })));

  /** Both servers assign runs at the same moment. */
  async function dispatch(): Promise<void> {
    for (const { parts } of nodes) await parts.tick();
    await Promise.all(nodes.map(({ parts }) => parts.dispatcher.dispatch()));
  }

  async function finishAll(): Promise<void> {
    await Promise.all(
      nodes.flatMap(({ parts, ships }) =>
        ships.flatMap((ship) =>
          ship.claims.splice(0).map(async ({ ref }) => {
            expect(await parts.queue.complete(ref, ship.shipId, { outcome: 'succeeded', started: true })).toBe(
              'recorded',
            );
          })
        )
      ),
    );
  }

  const count = async (where: string): Promise<number> =>
    (await a.sql.get<{ n: number }>(`SELECT count(*) AS n FROM runs WHERE ${where}`))!.n;

  it('assign each run once, each to their own ships', async () => {
    await Promise.all(Array.from({ length: 60 }, (_, i) => submit(nodes[i % 2]!, 'alpha')));
    while (await count("state <> 'succeeded'") > 0) {
      await dispatch();
      await finishAll();
    }
    expect(
      await a.sql.get(
        'SELECT count(*) AS n, count(DISTINCT seq) AS runs, min(fence) AS low, max(fence) AS high FROM attempts',
      ),
    ).toEqual({ n: 60, runs: 60, low: 1, high: 1 });
    const servers = await a.sql.all('SELECT DISTINCT substr(ship_id, 6, 1) AS server FROM attempts ORDER BY 1');
    expect(servers).toEqual([{ server: 'a' }, { server: 'b' }]);
  });

  it('keep a limit of 1 together', async () => {
    await Promise.all(Array.from({ length: 8 }, (_, i) => submit(nodes[i % 2]!, 'one')));
    for (let done = 0; done < 8; done++) {
      await dispatch();
      expect(await count("state = 'running'")).toBe(1);
      expect(nodes.flatMap(({ ships }) => ships.flatMap(({ claims }) => claims))).toHaveLength(1);
      await finishAll();
    }
    expect(await count("state = 'succeeded'")).toBe(8);
  });

  it('assign a ship that moves between them no more than it can hold', async () => {
    const mover = () => Object.assign(new FakeShip('mover', 2), { maxHeld: 2 });
    const [former, present] = [mover(), mover()];
    a.parts.queue.addWorker(former);
    for (const ship of nodes.flatMap(({ ships }) => ships)) ship.capacity = 0;
    await submit(a, 'alpha');
    await a.parts.dispatcher.dispatch();
    b.parts.queue.addWorker(present); // what it had never reached it
    await Promise.all(Array.from({ length: 3 }, () => submit(b, 'alpha')));
    await b.parts.tick();
    await Promise.all(nodes.map(({ parts }) => parts.dispatcher.dispatch()));
    expect(former.claims.length + present.claims.length).toBe(2);
    expect(await count("ship_id = 'mover' AND state = 'running'")).toBe(2);
    // The former server notices that the ship has left, and the rest goes to the present one.
    await Promise.all(former.claims.map(({ ref }) => a.parts.queue.reject(ref, 'mover', 'draining')));
    former.capacity = 0;
    await b.parts.tick();
    await b.parts.dispatcher.dispatch();
    expect(present.claims).toHaveLength(2);
    expect(await count("state = 'queued'")).toBe(2);
  });

  it('let a cancel at one and a report at the other agree', async () => {
    for (let round = 0; round < 10; round++) {
      const { id } = await submit(a, 'alpha');
      await b.parts.tick();
      await b.parts.dispatcher.dispatch();
      const ship = b.ships.find(({ claims }) => claims.length > 0)!;
      const { ref } = ship.claims.pop()!;
      const [cancelled, status] = await Promise.all([a.parts.queue.cancel(id, async () => {}),
        b.parts.queue.complete(ref, ship.shipId, { outcome: 'succeeded', started: true })]);
      expect(status).toBe('recorded');
      expect((await a.parts.queue.get(id))!.state).toBe(cancelled === undefined ? 'succeeded' : 'cancelled');
    }
  });

  it('notify each other of changes, and find those of which they were not notified', async () => {
    const heard = (node: Node, id: string, state: string) =>
      expect.poll(() => node.changes.some(({ run, isRemote }) => run.id === id && run.state === state && isRemote))
        .toBe(true);
    const { id } = await submit(a, 'alpha');
    await heard(b, id, 'queued');
    await b.parts.dispatcher.dispatch(); // without a tick: it was notified of the lane
    const ship = b.ships.find(({ claims }) => claims.length > 0)!;
    await heard(a, id, 'running');
    expect(a.parts.queue.runningOn(ship.shipId)).toBe(1);
    await a.parts.queue.cancel(id, async () => {});
    await heard(b, id, 'cancelling');
    await b.sql.transaction((tx) => tx.run("UPDATE runs SET state = 'cancelled', finished_at = 1 WHERE id = ?", [id]));
    await a.parts.tick();
    expect(a.changes.at(-1)).toMatchObject({ run: { id, state: 'cancelled' }, isRemote: true });
    expect(a.parts.queue.runningOn(ship.shipId)).toBe(0);
  });

  it('take over what a server held that is gone, once its leases end, and no sooner', async () => {
    const { id } = await submit(a, 'alpha');
    await a.parts.dispatcher.dispatch();
    await a.sql.close();
    nodes.shift();
    a = b;
    const c = await open('c');
    expect(c.sql.peers!.first).toBe(false); // so it renews no leases
    await dispatch();
    expect(await count("state = 'running'")).toBe(1);
    await b.sql.transaction((tx) => tx.run('UPDATE runs SET lease_ms = lease_ms - 60000, available_ms = 0'));
    await Promise.all([b.parts.tick(), c.parts.tick()]);
    expect(await b.parts.queue.get(id)).toMatchObject({ state: 'queued', attempt: 2, fence: 2 });
  });

  it('queue one run for one slot of a schedule', async () => {
    const audit = { record: createAuditLog(a.env).record };
    let now = Date.now();
    const both = nodes.map(({ env, parts: { queue } }) => {
      const timed = { ...env, clock: { now: () => now } };
      const runs = createRuns(timed, { queue, audit, keyVariableAvailable: () => true, logsAreFull: () => false });
      return createSchedules({
        env: timed,
        queue,
        repositories: { commitsSince: async () => undefined },
        enqueueOnce: runs.enqueueOnce,
      });
    });
    const tick = () => Promise.all(both.map((schedules) => schedules.tick()));
    await tick();
    for (let slot = 1; slot <= 3; slot++) {
      now += 3_600_000;
      await tick();
      expect(await count("project_id = 'timed'")).toBe(slot);
      await a.sql.transaction((tx) =>
        tx.run("UPDATE runs SET state = 'succeeded', finished_at = 1 WHERE project_id = 'timed'")
      );
    }
  });

  it('notify webhooks by one of them, of the runs of all, and by another when that one is gone', async () => {
    const endpoint = await WebhookEndpoint.open();
    const loaded = {
      ...a.env.config.current(),
      config: parseRunsConfig(
        `${YAML}\nnotifications: {allow_private: loopback, webhooks: [{name: chat, url: '${endpoint.url}', states: ` +
          '[queued]}]}',
      ),
    };
    const audit = { record: createAuditLog(a.env).record };
    const notifiers = nodes.map(({ env, parts: { queue } }) => {
      // Waits of a server take a hundredth of their normal time.
      const quick = {
        ...env,
        timer: { sleep: (ms: number, signal?: AbortSignal) => systemTimer.sleep(ms / 100, signal) },
        config: { current: () => loaded, onChange: () => () => {} },
      };
      const { present } = createRuns(quick, {
        queue,
        audit,
        keyVariableAvailable: () => true,
        logsAreFull: () => false,
      });
      return createNotifications(quick, { variables: {}, audit, present, onOutcome: () => {} });
    });
    for (const notifier of notifiers) await notifier.start();
    const tellByB = async (): Promise<void> => {
      const run = await submit(b, 'alpha');
      await b.sql.transaction((tx) => notifiers[1]!.notify(tx, { run, from: null, formerShipId: null }));
    };
    await tellByB();
    await endpoint.until(1);
    await notifiers[0]!.stop();
    await a.sql.close();
    nodes.shift();
    await tellByB();
    await endpoint.until(2);
    await notifiers[1]!.stop();
    expect(await b.sql.get('SELECT count(*) AS n FROM delivery_outbox')).toEqual({ n: 0 });
    await endpoint.close();
  });

  it('create the tables once, whichever starts first', async () => {
    url = await server.createSchema();
    const opened = await Promise.all([1, 2, 3].map(() => openPostgres({ url, pool: 2 })));
    await Promise.all(opened.map((sql) => migrate(sql, RUN_QUEUE_MIGRATIONS)));
    expect(await opened[0]!.get('SELECT count(*) AS n FROM schema_version')).toEqual({
      n: RUN_QUEUE_MIGRATIONS.length,
    });
    expect([await opened[0]!.peers!.claim('name'), await opened[1]!.peers!.claim('name')]).toEqual([true, false]);
    await Promise.all(opened.map((sql) => sql.close()));
  });
});
