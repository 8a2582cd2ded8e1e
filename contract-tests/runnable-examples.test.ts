import { create } from '@bufbuild/protobuf';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createClient, createConfig } from '../generated/docs/sdk/client/index.ts';
import * as docs from '../generated/docs/sdk/sdk.gen.ts';
import { ShipInfoSchema } from '../generated/proto/quire/fleet/v1/fleet_pb.js';
import { createClient as createRunsClient,
  createConfig as createRunsConfig } from '../generated/runs/sdk/client/index.ts';
import * as runs from '../generated/runs/sdk/sdk.gen.ts';
import { joinFleet, readJoinToken } from '../src/ship/identity/index.ts';
import type { DocsServer } from '../src/testkit/docs-server.ts';
import { API_TOKEN, type RunsServer, startRunsServer } from '../src/testkit/runs-server.ts';
import { ADMIN, AT_REST, startWithAuth, tokenOf } from './support/access-server.ts';
import { type ExampleCall, exampleCalls } from './support/examples.ts';
import { type Played, Player, type Prepare } from './support/player.ts';

// Every operation's example in the specification is run unchanged, and must return the success that it shows.

type SdkFunction = (options: object) => Promise<Played>;

const functionOf = (sdk: object, { operationId }: ExampleCall) => (sdk as Record<string, SdkFunction>)[operationId]!;

describe("each operation's example in the description of the document service", () => {
  /** Examples that cannot be run here. */
  const NOT_HERE: Readonly<Record<string, string>> = {
    importUrl: 'fetches a page of the web',
    setCollectionConfig: 'checks a bucket of the web; its other fields are set in scenarios/collections.ts',
    streamEvents: 'is a stream, which scenarios/events.ts reads',
    startOidcSignIn: 'needs an issuer; src/docs/access/oidc/oidc.test.ts has one',
    finishOidcSignIn: 'needs an issuer, too',
    changePassword: 'ends the token of the other examples; scenarios/access.ts changes one',
  };

  /** Signing out comes last, because it ends the token of the other examples. */
  const calls = exampleCalls('docs').sort((one, other) =>
    Number(one.operationId === 'logout') - Number(other.operationId === 'logout')
  );
  let server: DocsServer;
  let folder: string;
  let token: string;
  let client: ReturnType<typeof createClient>;
  let player: Player;

  const send = (call: ExampleCall) => functionOf(docs, call)({ client, ...call.options });
  const add = (collection: string, key: string, contentMd = '# Title\n\nText') =>
    docs.addDocument({ client, body: { collection, key, lang: 'en', contentMd } });
  const user = (username: string) =>
    docs.registerUser({ client, body: { username, password: 'correct horse battery staple' } });

  const after = (...operationIds: readonly string[]): Prepare => (one) => one.first(...operationIds);
  const PREPARE: Readonly<Record<string, Prepare>> = {
    listRevisions: after('addDocument'),
    restoreRevision: after('addDocument', 'listRevisions'),
    // Another job delays the job of the example.
    cancelBulkIngest: async (one) => {
      const documents = Array.from({ length: 2000 }, (_, i) => ({ key: `k${i}`, lang: 'en', contentMd: 'text' }));
      for (let i = 0; i < 3; i++) await docs.submitBulkIngest({ client, body: { collection: 'busy', documents } });
      await one.first('submitBulkIngest');
    },
    createBackup: async () => {
      for (const file of await readdir(server.folder, { recursive: true }))
        if (file.endsWith('backup-1766400000.db')) await rm(join(server.folder, file));
    },
    listCurationRules: after('createCurationRule'),
    updateCurationRule: after('createCurationRule'),
    setDefaultEmbeddingConfig: after('createEmbeddingConfig'),
    getCodeGraph: async () => void (await add('blog', 'theme/post.html')),
    queryCodeGraph: async () => void (await add('blog', 'theme/post.html')),
    updateWebhook: after('createWebhook'),
    redeliverWebhooks: after('createWebhook'),
    // That of the example is on the internet.
    testWebhook: async (one) => {
      const { data } = await docs.createWebhook({
        client,
        body: { url: 'http://127.0.0.1:1/', events: ['doc.added'] },
      });
      one.say('wh_5f2b8c0d9e1a4736b2c8d0e1', (data as { id: string }).id);
    },
    updateAutomationRule: async (one) => {
      const { data } = await docs.createAutomationRule({
        client,
        body: { type: 'webhook', name: 'Room', url: 'http://127.0.0.1:1/' },
      });
      one.say('auto_2b8c0d9e1a4736b2c8d0e15f', (data as unknown as { id: string }).id);
      await one.first('createAutomationRule');
    },
    testAutomationRule: after('createAutomationRule'),
    // The example of a configuration, which is now the default, uses a provider on the internet.
    recallMemory: after('deleteEmbeddingConfig'),
    login: after('registerUser'),
    registerUser: after('deleteUser'),
    ...Object.fromEntries(['deleteApiKey', 'revokeApiKey'].map((id) => [id, async (one: Player) => {
      await one.first('createApiKey');
      const { data } = await docs.listApiKeys({ client });
      one.say('600476e62bc11acb132d4b74bf0714c190d1c07c987d307662543e344592b417',
        (data as { keys: { keyHash: string }[] }).keys[0]!.keyHash);
    }])),
    redeemPasswordReset: async (one) => {
      await one.first('registerUser');
      const { data } = await docs.createPasswordReset({ client, path: { username: 'alice' }, body: {} });
      one.say('svc_reset_4f1c2b9a7d3e8f60a5b4c3d2e1f00918273645546372819a', (data as { token: string }).token);
    },
    ...Object.fromEntries(
      ['deleteUser', 'updateUser', 'listApiKeys', 'createPasswordReset', 'setUserRoles', 'explainAccess'].map((
        id,
      ) => [id, after('registerUser')]),
    ),
    ...Object.fromEntries(['drainNode', 'undrainNode'].map((id) => [id, async (one: Player) => {
      const { data } = await docs.listNodes({ client });
      one.say('quire-1', (data as { self: string }).self);
    }])),
    listNodes: async () => void (await add('blog', 'first')),
    deleteRole: after('setRole'),
    setGroupRoles: after('createGroup'),
    listPermissions: after('registerUser'),
    createGroup: async (one) => {
      for (const name of ['alice', 'bob']) await user(name);
      await one.first('deleteGroup');
    },
    getGroup: after('createGroup'),
    listGroupPermissions: after('createGroup'),
    ...Object.fromEntries(['disableMcpKey', 'deleteMcpKey'].map((id) => [id, async (one: Player) => {
      const { data } = await docs.createMcpKey({ client, body: { name: id } });
      one.say('mcp_9f86d081884c7d659a2feaa0c55ad015', (data as { key: string }).key);
    }])),
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quire-geo-'));
    await mkdir(join(folder, 'postcodes'));
    await writeFile(join(folder, 'postcodes', 'de.csv'), '10117,52.5163,13.3777\n');
    server = await startWithAuth({
      ...AT_REST,
      SVC_SPELL: 'true',
      SVC_EMBEDDING_PROVIDER: 'builtin',
      SVC_GEO_DATA_DIR: folder,
    });
    token = await tokenOf(server.url, ADMIN);
    client = createClient(
      createConfig({ baseUrl: server.url, auth: ({ scheme }) => (scheme === 'bearer' ? token : undefined) }),
    );
    for (const key of ['Hello-World', 'guide']) await add('docs', key);
    player = new Player(calls, send, PREPARE);
  });
  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  });

  it.each(calls.filter(({ operationId }) => !(operationId in NOT_HERE)).map(({ operationId }) => operationId))(
    'of %s is answered with a success',
    async (operationId) => {
      const { response, error } = await player.play(operationId);
      expect([response?.ok, error]).toEqual([true, undefined]);
    },
  );

  it('is run here, or named as one that cannot be', () => {
    expect(Object.keys(NOT_HERE).filter((id) => !calls.some(({ operationId }) => operationId === id))).toEqual([]);
    expect(Object.keys(NOT_HERE).length).toBeLessThan(7);
  });
});

describe("each operation's example in the description of the run queue", () => {
  const NOT_HERE: Readonly<Record<string, string>> = {
    streamRunLogs: 'is a stream, which src/client/services.test.ts reads',
    redeliverNotifications: 'names a dead letter, which src/runs/notifications/notifications.test.ts has',
    startOidcSignIn: 'needs an issuer; src/runs/people/people.test.ts has one',
    finishOidcSignIn: 'needs an issuer, too',
    logout: 'ends the session of a person, and this token is one of the configuration',
    receiveForgeEvent: 'has to be signed, as in src/runs/forge/forge.test.ts',
    getForgeDelivery: 'names a delivery, which src/runs/forge/forge.test.ts has',
    redeliverForgeEvent: 'names a delivery, which src/runs/forge/forge.test.ts has',
  };

  /** The run and the ship of the examples. */
  const RUN = '019b45a500007c3e9a41d2f0b6e85713';
  const SHIP = '019b45970c407f10a5b8c2e4d6f80913';

  const YAML = `
pipelines:
  - {name: build, steps: [{name: test, run: 'echo hello; printf done > "$QUIRE_RESULT_FILE"; echo well > "$QUIRE_SUMMARY"'}]}
  - {name: release, steps: [{name: tag, run: 'true'}]}
  - {name: waits, steps: [{name: wait, run: 'sleep 600'}]}
  - {name: packs, steps: [{name: pack, run: 'mkdir dist; head -c 2000 /dev/zero > dist/alpha-1.2.0.tgz', artifacts: [dist]}]}
  - {name: asks, approval: {required: true}, steps: [{name: go, run: 'true'}]}
fleet: {enabled: true, listen: '127.0.0.1:0', enrol_listen: '127.0.0.1:0', advertise: 127.0.0.1}
queue: {cancel_grace: 1s}
id_tokens: {issuer: 'https://runs.example.org'}
ai: {roles: [{name: writer, endpoint: 'http://127.0.0.1:1/v1', model: m, api_key_env: WRITER_KEY}]}
projects: [{id: alpha, repository: org/alpha}, {id: timed, repository: org/timed}]
schedules: [{name: nightly, project: timed, cron: '0 3 * * *', kind: pipeline, task: build}]
`;

  const calls = exampleCalls('runs');
  let server: RunsServer;
  let client: ReturnType<typeof createRunsClient>;
  let player: Player;
  let keys = 0;

  async function queued(task: string): Promise<string> {
    const { data } = await runs.enqueueRun({
      client,
      headers: { 'Idempotency-Key': `a-key-of-the-test-${++keys}` },
      body: { project_id: 'alpha', kind: 'pipeline', task },
    });
    return (data as { data: { id: string } }).data.id;
  }
  const ended = async (id: string): Promise<string> => {
    await vi.waitFor(
      async () => expect((await runs.getRun({ client, path: { id } })).data!.data.finished_at).not.toBeNull(),
      { timeout: 15_000 },
    );
    return id;
  };
  const finished = async (one: Player): Promise<void> => one.say(RUN, await ended(await queued('build')));
  const waiting = async (one: Player): Promise<void> => one.say(RUN, await queued('waits'));

  const undecided = async (one: Player): Promise<void> => one.say(RUN, await queued('asks'));

  /** One of the examples deletes their project, which is not possible while it has a schedule. */
  const scheduled = async (one: Player): Promise<void> => one.say('alpha', 'timed');

  /** Ends all runs: a project with unfinished runs cannot be deleted. */
  async function idle(one: Player): Promise<void> {
    one.say('alpha', 'alpha');
    const { data } = await runs.listRuns({ client, query: { limit: 100 } });
    for (const { id, finished_at: isOver } of data!.data) {
      if (isOver !== null) continue;
      await runs.cancelRun({ client, path: { id } });
      await ended(id);
    }
  }

  let ships = 0;
  /** A ship that has joined with a token, and is disconnected. */
  async function joined(one: Player): Promise<void> {
    const name = `ship-${++ships}`;
    const { data } = await runs.createJoinToken({ client, body: { name, labels: [] } });
    const { token, command } = (data as { data: { token: string; command: string } }).data;
    const [, host, port] = /(127\.0\.0\.1):(\d+)/.exec(command)!;
    const info = create(ShipInfoSchema, {
      name,
      version: '1.0.0',
      protocol: 1,
      os: 'linux',
      arch: 'amd64',
      kinds: ['pipeline'],
      capacity: 1,
    });
    const { shipId } = await joinFleet({
      host: host!,
      port: Number(port),
      token: readJoinToken(token)!,
      info,
      now: () => Date.now(),
    });
    one.say(SHIP, shipId);
  }

  const PREPARE: Readonly<Record<string, Prepare>> = {
    getRun: finished,
    cancelRun: waiting,
    retryRun: async (one) => {
      const id = await queued('waits');
      await runs.cancelRun({ client, path: { id } });
      one.say(RUN, await ended(id));
      // A key is for one request; the key of the examples was used by the one that queues.
      one.say('nightly-2025-12-22', 'nightly-2025-12-22-again');
    },
    rerunRun: async (one) => {
      await finished(one);
      one.say('nightly-2025-12-22', 'nightly-2025-12-22-rerun');
    },
    getRunResult: finished,
    getRunSummary: finished,
    listRunLogs: finished,
    deleteRunLogs: finished,
    getRunArtifact: async (one) => one.say(RUN, await ended(await queued('packs'))),
    listCaches: scheduled,
    deleteCaches: scheduled,
    getBadge: scheduled,
    pauseSchedule: scheduled,
    resumeSchedule: scheduled,
    runSchedule: async (one) => {
      await scheduled(one);
      one.say('nightly-2025-12-22', 'nightly-2025-12-22-by-hand');
    },
    approveRun: undecided,
    rejectRun: undecided,
    createProject: async (one) => {
      await idle(one);
      await one.first('deleteProject');
    },
    deleteProject: idle,
    drainShip: joined,
    undrainShip: joined,
    revokeShip: joined,
    deleteShip: async (one) => {
      await joined(one);
      await one.first('revokeShip');
    },
  };

  beforeAll(async () => {
    server = await startRunsServer(YAML);
    client = createRunsClient(createRunsConfig({ baseUrl: server.url, auth: API_TOKEN }));
    player = new Player(calls, (call) => functionOf(runs, call)({ client, ...call.options }), PREPARE);
  });
  afterAll(() => server.remove());

  it.each(calls.filter(({ operationId }) => !(operationId in NOT_HERE)).map(({ operationId }) => operationId))(
    'of %s is answered with a success',
    async (operationId) => {
      const { response, error } = await player.play(operationId);
      expect([response?.ok, error, JSON.stringify(error)]).toEqual([true, undefined, undefined]);
    },
  );

  it('is run here, or named as one that cannot be', () => {
    expect(Object.keys(NOT_HERE).filter((id) => !calls.some(({ operationId }) => operationId === id))).toEqual([]);
  });
});
