// A fleet in one process: real ships, over gRPC with mutual TLS, whose work does nothing. Controlled by messages of its
// parent.
import { Outcome } from '../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { silentLog } from '../../src/lib/log.ts';
import { RemoteLink } from '../../src/ship/grpc/index.ts';
import { type Identity, joinFleet, readJoinToken } from '../../src/ship/identity/index.ts';
import { createShip, type Executor, type Ship, type ShipDescription, systemShipTime,
  toShipInfo } from '../../src/ship/index.ts';
import { MemorySpools } from '../../src/testkit/ship/memory-spools.ts';
import { sideBySide } from './side-by-side.ts';

export type ShipsOrder =
  /** Each with a token; returns the duration in seconds. */
  | { readonly do: 'join'; readonly enrol: string; readonly tokens: readonly string[] }
  /** Connects disconnected ships until the given number are connected; answers when all are. */
  | { readonly do: 'sail'; readonly ships: number; readonly capacity: number }
  /** Ends all ships except the given number; answers when they have ended. */
  | { readonly do: 'end'; readonly ships: number }
  /** Discards the records of executed runs. */
  | { readonly do: 'forget' }
  /** Answers when the given number of runs were executed and their ends are recorded by the server. */
  | { readonly do: 'wait'; readonly runs: number }
  /** Answers with the time when the work of this run began or will begin, in milliseconds since 1970. */
  | { readonly do: 'began'; readonly run: string };

/** Times of the runs, in milliseconds since 1970. */
export interface Drained {
  readonly firstStart: number;
  readonly lastStart: number;
  readonly lastRecorded: number;
  /** Number of runs whose work was done more than once. */
  readonly twice: number;
}

/** Concurrent joins; the server accepts ten from one address, and lets others wait. */
const JOINS = 8;

const now = (): number => performance.timeOrigin + performance.now();

const identities: Identity[] = [];
const sailing: { readonly ship: Ship; readonly link: RemoteLink; readonly ended: Promise<unknown> }[] = [];
const starts = new Map<string, number>();
const waiting = new Map<string, (at: number) => void>();
let [twice, recorded, firstStart, lastStart, lastRecorded] = [0, 0, 0, 0, 0];
let whenRecorded: { readonly runs: number; readonly resolve: () => void } | undefined;

const executor: Executor = {
  kinds: ['pipeline'],
  refuses: () => undefined,
  async execute({ ref }, _output, { started }) {
    started();
    lastStart = now();
    firstStart ||= lastStart;
    if (starts.has(ref!.runId)) twice += 1;
    else starts.set(ref!.runId, lastStart);
    waiting.get(ref!.runId)?.(lastStart);
    return { outcome: Outcome.SUCCEEDED };
  },
};

async function handle(order: ShipsOrder): Promise<unknown> {
  switch (order.do) {
    case 'join':
      return join(order.enrol, order.tokens);
    case 'sail':
      return sail(order.ships, order.capacity);
    case 'end':
      return end(order.ships);
    case 'forget':
      return forget();
    case 'wait':
      return drained(order.runs);
    case 'began':
      return starts.get(order.run) ?? new Promise((resolve) => waiting.set(order.run, resolve));
  }
}

const describe = (name: string, capacity: number): ShipDescription => ({
  name,
  version: '1.0.0',
  os: 'linux',
  arch: 'amd64',
  keyVariables: [],
  capacity,
  ephemeral: false,
});

async function join(enrol: string, tokens: readonly string[]): Promise<number> {
  const [host, port] = enrol.split(':');
  const begun = now();
  const first = identities.length;
  await sideBySide(tokens.length, JOINS, async (n) => {
    const info = toShipInfo(describe(`ship-${first + n}`, 1), executor.kinds);
    identities.push(await joinFleet({
      host: host!,
      port: Number(port),
      token: readJoinToken(tokens[n]!)!,
      info,
      now: () => Date.now(),
    }));
  });
  return (now() - begun) / 1000;
}

async function sail(ships: number, capacity: number): Promise<void> {
  while (sailing.length < ships) launch(identities[sailing.length]!, capacity);
  while (!sailing.every(({ ship }) => ship.isConnected)) await new Promise((resolve) => setTimeout(resolve, 20));
}

async function end(but: number): Promise<void> {
  await Promise.all(sailing.splice(but).map(async ({ ship, link, ended }) => {
    ship.stop();
    await ended;
    link.close();
  }));
}

function launch(identity: Identity, capacity: number): void {
  const [host, port] = identity.fleetAddress.split(':');
  const link = new RemoteLink({
    address: { host: host!, port: Number(port) },
    credentials: identity,
    onTrustBundle: () => undefined,
    provesRevocation: () => false,
  });
  const ship = createShip({
    executor,
    spools: new MemorySpools(),
    time: systemShipTime,
    log: silentLog,
    description: describe(identity.name, capacity),
    link: {
      connect: (events) => link.connect(events),
      appendLogs: (request) => link.appendLogs(request),
      recordSource: (request) => link.recordSource(request),
      downloadArtifacts: (ref, signal) => link.downloadArtifacts(ref, signal),
      uploadArtifact: (parts, signal) => link.uploadArtifact(parts, signal),
      downloadCache: (request, signal) => link.downloadCache(request, signal),
      discardCache: (request) => link.discardCache(request),
      uploadCache: (parts, signal) => link.uploadCache(parts, signal),
      async completeRun(request) {
        const answer = await link.completeRun(request);
        recorded += 1;
        lastRecorded = now();
        if (whenRecorded !== undefined && recorded >= whenRecorded.runs) whenRecorded.resolve();
        return answer;
      },
    },
  });
  sailing.push({ ship, link, ended: ship.run() });
}

function forget(): void {
  starts.clear();
  waiting.clear();
  [twice, recorded, firstStart, lastStart, lastRecorded] = [0, 0, 0, 0, 0];
}

async function drained(runs: number): Promise<Drained> {
  await new Promise<void>((resolve) => {
    if (recorded >= runs) resolve();
    else whenRecorded = { runs, resolve };
  });
  whenRecorded = undefined;
  return { firstStart, lastStart, lastRecorded, twice };
}

process.on('message', ({ id, order }: { id: number; order: ShipsOrder }) => {
  handle(order).then((answer) => process.send!({ id, answer }),
    (error: unknown) => process.send!({ id, error: String(error) }));
});
process.on('disconnect', () => process.exit());
