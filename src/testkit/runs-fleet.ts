// Above 400 lines: one fixture, with the clients and certificates that a test of the fleet makes.
import 'reflect-metadata';
import { create, type DescMessage, type DescMethod, fromBinary, type MessageInitShape, type MessageShape,
  toBinary } from '@bufbuild/protobuf';
import { Client, type ClientDuplexStream, credentials, type ServiceError as GrpcError,
  type StatusObject } from '@grpc/grpc-js';
import * as x509 from '@peculiar/x509';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Assignment, Enrolment, Fleet as FleetProtocol, type JoinResponse, type RunRef, type ServerMessage,
  type ShipInfo, ShipInfoSchema, type ShipMessage,
  ShipMessageSchema } from '../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { FleetAddresses, openAuthority, type RunningFleet, startFleet } from '../app/runs/fleet.ts';
import { silentLog } from '../lib/log.ts';
import { directClients } from '../lib/slow-bodies.ts';
import type { Context } from '../operations/index.ts';
import { Artifacts } from '../runs/artifacts/index.ts';
import { createAuditLog } from '../runs/audit/index.ts';
import { Caches } from '../runs/caches/index.ts';
import type { CacheEvents } from '../runs/caches/port.ts';
import { type LoadedRunsConfig, parseRunsConfig } from '../runs/config/index.ts';
import { FolderContents, openContents } from '../runs/contents/index.ts';
import type { RunsEnvironment } from '../runs/environment.ts';
import { KEY_ALGORITHM, makeKeys, toPem } from '../runs/fleet/authority/certificates.ts';
import { type Authority, createFleet, type Fleet, Roster } from '../runs/fleet/index.ts';
import { createRunLogs, type RunLogsService } from '../runs/logs/index.ts';
import type { NewRun, RunRecord } from '../runs/queue/port.ts';
import { assembleQueue, type QueueParts } from '../runs/queue/queue.ts';
import { Reports, routeUploads } from '../runs/reports/index.ts';
import { insertCertificate, insertShip } from '../runs/ships/index.ts';
import { RemoteLink } from '../ship/grpc/index.ts';
import { RUN_QUEUE_MIGRATIONS, type Sql } from '../storage/index.ts';
import { ManualTimer } from './manual-timer.ts';
import { openMigrated } from './migrated-database.ts';
import { newRun } from './runs-queue.ts';

export const DAY_MS = 86_400_000;

/** A separate connection for each client; an IP address is not a valid server name. */
const CHANNEL = { 'grpc.use_local_subchannel_pool': 1, 'grpc.ssl_target_name_override': 'localhost' };

export interface FleetFixtureOptions {
  /** Lines of the section `fleet`, in addition to those that a test needs. */
  readonly fleet?: string;
  readonly enabled?: boolean;
  /** A folder that another fixture has used. */
  readonly folder?: string;
  /** How far the server's clock is behind: the certificates that it issues must be valid at the real time. */
  readonly behindMs?: number;
  /** Opens no listeners: calls go to the service directly. */
  readonly direct?: boolean;
  /** Environment variables with the keys of buckets. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** A run queue whose remote ships connect over TLS on loopback; the test advances the time by hand. */
export class FleetFixture {
  readonly folder: string;
  readonly sql: Sql;
  readonly env: RunsEnvironment;
  readonly logs: RunLogsService;
  readonly logHandlers: ReturnType<RunLogsService['operations']>;
  readonly artifacts: Artifacts;
  readonly reports: Reports;
  /** Present with `caches.store` other than `ships`. */
  readonly caches: Caches | undefined;
  /** What the metrics of caches count. */
  readonly cacheEvents: string[] = [];
  readonly roster: Roster;
  readonly fleet: Fleet;
  readonly authority: Authority | undefined;
  readonly addresses: FleetAddresses;
  readonly timer = new ManualTimer();
  readonly logged: string[] = [];
  readonly secrets = new Map<string, string>();
  /** When the values of secrets are there. */
  secretsFetched: Promise<void> = Promise.resolve();
  readonly fenced: string[] = [];
  linesLost = 0;
  readonly ships: TestShip[] = [];
  readonly #links: RemoteLink[] = [];
  readonly loaded: LoadedRunsConfig;
  parts: QueueParts;
  listeners: RunningFleet | undefined;
  /** Starts at the machine's real time, by which certificates are checked. */
  now = Date.now();

  static async start(options: FleetFixtureOptions = {}): Promise<FleetFixture> {
    const folder = options.folder ?? await mkdtemp(join(tmpdir(), 'quire-fleet-'));
    const sql = await openMigrated({ path: join(folder, 'runs.db') }, RUN_QUEUE_MIGRATIONS);
    const yaml = `
data_dir: ${folder}
projects: [{id: alpha, repository: org/alpha}, {id: beta, repository: org/beta}]
fleet:
  enabled: ${options.enabled ?? true}
  listen: 127.0.0.1:0
  enrol_listen: 127.0.0.1:0
  advertise: 127.0.0.1
${options.fleet ?? ''}
`;
    const loaded: LoadedRunsConfig = {
      config: parseRunsConfig(yaml),
      apiTokens: [],
      source: 'test',
      folder: '/',
      readOnly: false,
      hash: '',
    };
    const holder: { fixture?: FleetFixture } = {};
    const startMs = Date.now() - (options.behindMs ?? 0);
    const clock = { now: () => holder.fixture?.now ?? startMs };
    const authority = await openAuthority(loaded.config, { clock, log: silentLog });
    const fixture = new FleetFixture(folder, sql, { loaded, authority, variables: options.variables });
    holder.fixture = fixture;
    fixture.now = startMs;
    await fixture.queue.start();
    await fixture.logs.start();
    await fixture.artifacts.start();
    await fixture.caches?.start();
    await fixture.roster.start();
    fixture.fleet.start();
    if (authority !== undefined && options.direct !== true) {
      fixture.listeners = await startFleet({
        service: fixture.fleet.service,
        authority,
        addresses: fixture.addresses,
        clock,
        timer: fixture.timer,
        log: silentLog,
        clients: directClients(0),
        messageMs: 60_000,
      });
    }
    return fixture;
  }

  private constructor(folder: string, sql: Sql,
    { loaded, authority, variables = {} }: { loaded: LoadedRunsConfig; authority: Authority | undefined;
      variables: FleetFixtureOptions['variables'] })
  {
    this.folder = folder;
    this.sql = sql;
    this.loaded = loaded;
    this.authority = authority;
    const note = (_fields: object, message: string): void => void this.logged.push(message);
    this.env = {
      sql,
      clock: { now: () => this.now },
      timer: this.timer,
      log: { ...silentLog, warn: note, error: note, child: () => this.env.log },
      config: { current: () => loaded, onChange: () => () => {} },
      nodeId: 'node',
      version: '1.2.3',
    };
    this.logs = createRunLogs({ env: this.env });
    const elapsed = (): number => this.now;
    this.parts = assembleQueue({
      env: this.env,
      note: this.logs.note,
      lines: this.logs.lines,
      random: () => 0.5,
      elapsed,
      nameShip: (id) => this.roster.describe(id),
    });
    this.logHandlers = this.logs.operations(this.queue, createAuditLog(this.env));
    this.addresses = new FleetAddresses(loaded.config);
    this.artifacts = new Artifacts({
      env: this.env,
      queue: this.queue,
      store: new FolderContents(join(folder, 'artifacts'), 'node'),
    });
    this.reports = new Reports({ env: this.env, queue: this.queue });
    if (loaded.config.caches.store !== 'ships')
      this.caches = new Caches({
        env: this.env,
        queue: this.queue,
        store: openContents(this.env, loaded.config, 'caches', variables),
        events: this.#cacheEvents(),
      });
    this.roster = new Roster(this.env, authority);
    this.fleet = createFleet(this.env, {
      roster: this.roster,
      caches: this.caches,
      artifacts: routeUploads(this.artifacts, this.reports),
      queue: this.queue,
      logs: this.logs,
      audit: createAuditLog(this.env),
      authority,
      addresses: this.addresses,
      secretsFor: () => this.secretsFetched.then(() => this.secrets),
      random: () => 0.5,
      fencedWrite: (rpc) => void this.fenced.push(rpc),
      linesLost: (count) => void (this.linesLost += count),
    });
  }

  #cacheEvents(): CacheEvents {
    const note = (event: string): void => void this.cacheEvents.push(event);
    return { received: note, asked: note, evicted: (why, count) => void (count > 0 && note(`${count} ${why}`)) };
  }

  get queue() {
    return this.parts.queue;
  }

  submit(run: Partial<NewRun> = {}): Promise<RunRecord> {
    return this.sql.transaction((tx) => this.queue.insert(tx, newRun(run)));
  }

  /** The connection of a real ship with the identity of this one. */
  linkOf({ identity: credentials }: TestShip): RemoteLink {
    const [host, port] = this.addresses.fleet().split(':');
    const link = new RemoteLink({
      address: { host: host!, port: Number(port) },
      credentials,
      provesRevocation: () => false,
      onTrustBundle: () => undefined,
    });
    this.#links.push(link);
    return link;
  }

  async token(name: string, labels: string[] = []): Promise<string> {
    const { data } = await this.handle('createJoinToken', { name, labels });
    return data.token;
  }

  /** Calls a handler like the API. */
  async handle<K extends keyof Fleet['handlers']>(operation: K, input: Parameters<Fleet['handlers'][K]>[0]) {
    const handler = this.fleet.handlers[operation] as (input: unknown,
      context: Context) => ReturnType<Fleet['handlers'][K]>;
    return await handler(input, {} as Context) as Exclude<Awaited<ReturnType<Fleet['handlers'][K]>>,
      { headers: unknown }>;
  }

  /** A ship that has joined. */
  async ship(name: string, labels: string[] = [],
    info: MessageInitShape<typeof ShipInfoSchema> = {}): Promise<TestShip>
  {
    const ship = new TestShip(this.addresses, name, info);
    this.ships.push(ship);
    await ship.join(await this.token(name, labels));
    return ship;
  }

  /** The same, already connected. */
  async connected(name: string, info: MessageInitShape<typeof ShipInfoSchema> = {},
    labels: string[] = []): Promise<{ ship: TestShip; stream: TestStream }>
  {
    const ship = await this.ship(name, labels, info);
    const stream = ship.connect();
    stream.hello();
    await stream.next('welcome');
    return { ship, stream };
  }

  /** A member with a certificate that it did not have to request, for tests that need many. */
  async enrolled(name: string): Promise<TestShip> {
    const ship = new TestShip(this.addresses, name);
    this.ships.push(ship);
    const { keys, der } = await makeRequest();
    const id = createHash('md5').update(name).digest('hex');
    const { der: certificate, serial, expiresMs } = await this.authority!.signShip(id, der);
    await this.sql.transaction(async (tx) => {
      await insertShip(tx, {
        id,
        name,
        labels: [],
        os: 'linux',
        arch: 'amd64',
        version: '1.0.0',
        kinds: ['pipeline'],
        keyVariables: [],
        capacity: 1,
        ephemeral: false,
        drainSession: null,
        joinedMs: this.now,
        lastSeenMs: 0,
        certExpiresMs: expiresMs,
        revokedMs: 0,
      });
      await insertCertificate(tx, { serial, shipId: id, expiresMs });
    });
    ship.identity = {
      key: await toPem(keys.privateKey),
      certificate: pem(certificate),
      roots: this.authority!.bundle().map(pem).join('\n'),
    };
    return ship;
  }

  /** The log of an attempt. */
  async lines(runId: string, attempt = 1): Promise<string[]> {
    const answer =
      await (this.logHandlers.listRunLogs as (input: object,
        context: object) => Promise<{ data: { message: string }[] }>)({ id: runId, offset: 0, attempt }, {});
    return answer.data.map(({ message }) => message);
  }

  async stop({ keepFolder = false } = {}): Promise<void> {
    for (const each of [...this.ships, ...this.#links]) each.close();
    await this.fleet.stop();
    await this.listeners?.stop(0);
    await this.queue.stop();
    await this.logs.stop();
    await this.artifacts.stop();
    await this.caches?.stop();
    await this.sql.close();
    if (!keepFolder) await rm(this.folder, { recursive: true });
  }
}

export interface Identity {
  readonly key: string;
  readonly certificate: string;
  readonly roots: string;
}

export const pem = (der: Uint8Array): string => x509.PemConverter.encode(Uint8Array.from(der).buffer, 'CERTIFICATE');

/** A certificate request, and the key that signed it. */
export async function makeRequest(): Promise<{ keys: CryptoKeyPair; der: Uint8Array }> {
  const keys = await makeKeys();
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: 'CN=whoever',
    keys,
    signingAlgorithm: KEY_ALGORITHM,
  });
  return { keys, der: new Uint8Array(request.rawData) };
}

/** A ship played by a test: it sends what the test says, over real connections. */
export class TestShip {
  readonly name: string;
  readonly sessionId = randomBytes(8);
  readonly info: ShipInfo;
  readonly #addresses: FleetAddresses;
  readonly #clients: Client[] = [];
  #identity: Identity | undefined;
  #joined: JoinResponse | undefined;

  constructor(addresses: FleetAddresses, name: string, info: MessageInitShape<typeof ShipInfoSchema> = {}) {
    this.#addresses = addresses;
    this.name = name;
    this.info = create(ShipInfoSchema, {
      name,
      version: '1.0.0',
      protocol: 1,
      os: 'linux',
      arch: 'amd64',
      kinds: ['diagnostic', 'pipeline', 'ai_text'],
      capacity: 4,
      ...info as object,
    });
  }

  get id(): string {
    return this.#joined!.shipId;
  }

  get joined(): JoinResponse {
    return this.#joined!;
  }

  get identity(): Identity {
    return this.#identity!;
  }

  set identity(identity: Identity) {
    this.#identity = identity;
    for (const client of this.#clients.splice(0)) client.close();
  }

  /** Like a real ship, it trusts only the root that a token pins. */
  async join(token: string,
    request: { der?: Uint8Array; info?: ShipInfo; roots?: string } = {}): Promise<JoinResponse>
  {
    const own = await makeRequest();
    const client = this.#client(this.#addresses.enrol(), { ca: request.roots });
    const answer = await call(client, Enrolment.method.join, {
      token,
      csrDer: request.der ?? own.der,
      info: request.info ?? this.info,
    });
    this.#joined = answer;
    this.#identity = {
      key: await toPem(own.keys.privateKey),
      certificate: pem(answer.certificateDer),
      roots: answer.trustBundleDer.map(pem).join('\n'),
    };
    return answer;
  }

  call<I extends DescMessage, O extends DescMessage>(method: Method<I, O>,
    request: MessageInitShape<I>): Promise<MessageShape<O>>
  {
    return call(this.#fleetClient(), method, request);
  }

  complete(ref: RunRef, outcome: number, more: object = {}) {
    return this.call(FleetProtocol.method.completeRun, { ref, outcome, started: true, ...more });
  }

  append(ref: RunRef, firstSeq: number, messages: readonly string[], unixMs = 0) {
    return this.call(FleetProtocol.method.appendLogs, {
      ref,
      firstSeq: BigInt(firstSeq),
      lines: messages.map((message) => ({ unixMs: BigInt(unixMs), level: 1, stream: 0, step: '', message })),
    });
  }

  connect(): TestStream {
    const { path } = definition(FleetProtocol.method.connect);
    const stream = this.#fleetClient().makeBidiStreamRequest(path,
      (message: ShipMessage) => Buffer.from(toBinary(ShipMessageSchema, message)),
      (bytes: Buffer) => fromBinary(FleetProtocol.method.connect.output, bytes));
    return new TestStream(this, stream);
  }

  close(): void {
    for (const client of this.#clients.splice(0)) client.close();
  }

  #fleetClient(): Client {
    if (this.#clients[0] !== undefined) return this.#clients[0];
    const { key, certificate, roots } = this.#identity!;
    const client = new Client(this.#addresses.fleet(),
      credentials.createSsl(Buffer.from(roots), Buffer.from(key), Buffer.from(certificate)), CHANNEL);
    this.#clients.push(client);
    return client;
  }

  /** Trusts every server unless roots are given; the tests of ships cover the other half of joining. */
  #client(address: string, { ca }: { ca: string | undefined }): Client {
    const secure = ca === undefined
      ? credentials.createSsl(null, null, null, { rejectUnauthorized: false, checkServerIdentity: () => undefined })
      : credentials.createSsl(Buffer.from(ca));
    const client = new Client(address, secure, CHANNEL);
    setTimeout(() => client.close(), 5000).unref();
    return client;
  }
}

type Method<I extends DescMessage, O extends DescMessage> = DescMethod & { readonly input: I; readonly output: O };

const definition = ({ parent, name }: DescMethod): { path: string } => ({ path: `/${parent.typeName}/${name}` });

function call<I extends DescMessage, O extends DescMessage>(client: Client, method: Method<I, O>,
  request: MessageInitShape<I>): Promise<MessageShape<O>>
{
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(definition(method).path,
      (message: MessageShape<I>) => Buffer.from(toBinary(method.input, message)),
      (bytes: Buffer) => fromBinary(method.output, bytes), create(method.input, request), {
      deadline: Date.now() + 10_000,
    }, (error: GrpcError | null, answer?: MessageShape<O>) => (error === null ? resolve(answer!) : reject(error)));
  });
}

type Body<Case extends ServerMessage['body']['case']> = Extract<ServerMessage['body'], { case: Case }>['value'];

/** A control stream of a test's ship. */
export class TestStream {
  readonly received: ServerMessage[] = [];
  /** How the stream ended. */
  readonly ended: Promise<StatusObject>;
  readonly raw: ClientDuplexStream<ShipMessage, ServerMessage>;
  readonly #ship: TestShip;
  #next = 0;
  #seq = 0n;
  #news = Promise.withResolvers<void>();

  constructor(ship: TestShip, raw: ClientDuplexStream<ShipMessage, ServerMessage>) {
    this.#ship = ship;
    this.raw = raw;
    raw.on('data', (message: ServerMessage) => {
      this.received.push(message);
      this.#ring();
    });
    raw.on('error', () => undefined);
    this.ended = new Promise((resolve) =>
      raw.on('status', (status: StatusObject) => {
        this.#ring();
        resolve(status);
      })
    );
  }

  send(body: MessageInitShape<typeof ShipMessageSchema>['body']): void {
    this.raw.write(create(ShipMessageSchema, { body: body! }));
  }

  hello(held: readonly { ref: RunRef; finished?: boolean }[] = [], sessionId: Uint8Array = this.#ship.sessionId,
    info: ShipInfo = this.#ship.info): void
  {
    this.send({
      case: 'hello',
      value: { sessionId, info, held: held.map(({ ref, finished = false }) => ({ ref, finished })) },
    });
  }

  heartbeat(held: readonly RunRef[], freeSlots: number, more: { draining?: boolean; unixMs?: bigint } = {}): bigint {
    this.send({ case: 'heartbeat', value: { seq: ++this.#seq, held: [...held], freeSlots, ...more } });
    return this.#seq;
  }

  accept(ref: RunRef): void {
    this.send({ case: 'accept', value: { ref } });
  }

  reject(ref: RunRef, reason: string): void {
    this.send({ case: 'reject', value: { ref, reason } });
  }

  /** The next message of this kind; earlier ones are skipped. */
  async next<Case extends NonNullable<ServerMessage['body']['case']>>(kind: Case): Promise<Body<Case>> {
    for (;;) {
      while (this.#next < this.received.length) {
        const { body } = this.received[this.#next++]!;
        if (body.case === kind) return body.value as Body<Case>;
      }
      await this.#news.promise;
    }
  }

  /** The next assignment, which it accepts. */
  async take(): Promise<Assignment & { ref: RunRef }> {
    const assignment = await this.next('assignment');
    this.accept(assignment.ref!);
    return assignment as Assignment & { ref: RunRef };
  }

  count(kind: ServerMessage['body']['case']): number {
    return this.received.filter(({ body }) => body.case === kind).length;
  }

  cancel(): void {
    this.raw.cancel();
  }

  #ring(): void {
    this.#news.resolve();
    this.#news = Promise.withResolvers<void>();
  }
}

/** Resolves when the condition holds; there is no limit other than the test's own. */
export async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!await condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

export const fingerprintOf = (der: Uint8Array): string => createHash('sha256').update(der).digest('base64url');
