import { create } from '@bufbuild/protobuf';
import { DiscardCacheResponseSchema, DownloadArtifactsResponseSchema, DownloadCacheResponseSchema,
  UploadArtifactResponseSchema, UploadArtifactStatus, UploadCacheResponseSchema,
  UploadCacheStatus } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { RepeatedFailure } from '../../lib/log.ts';
import { uuidV7Generator } from '../../lib/uuid-v7.ts';
import type { ArtifactExchange } from '../artifacts/port.ts';
import type { Audit } from '../audit/index.ts';
import type { CacheExchange } from '../caches/port.ts';
import { assignmentOf } from '../definitions/index.ts';
import type { RunsEnvironment } from '../environment.ts';
import type { RunLogs } from '../logs/port.ts';
import type { FleetNumbers } from '../metrics/index.ts';
import type { Claim, Queue } from '../queue/port.ts';
import { createShipHandlers, isOnline, listShips, type ShipHandlers } from '../ships/index.ts';
import type { Authority } from './authority/authority.ts';
import { Holders } from './holders.ts';
import { MergingLogStream } from './log-stream.ts';
import { Members } from './members.ts';
import type { FleetService } from './port.ts';
import { requireRef } from './refs.ts';
import { Reports } from './reports.ts';
import type { Roster } from './roster.ts';
import { ClockOffsets } from './session/clock-offsets.ts';
import { Sessions } from './sessions.ts';
import { Upkeep } from './upkeep.ts';

export interface FleetDeps {
  readonly queue: Queue;
  readonly logs: RunLogs;
  readonly audit: Audit;
  readonly roster: Roster;
  /** Undefined while `fleet.enabled` is false: then only the ship in this process can connect. */
  readonly authority: Authority | undefined;
  /** Addresses at which ships reach this server, `host:port` each; read when a ship joins or a token is made. */
  readonly addresses: { readonly fleet: () => string; readonly enrol: () => string };
  /**
   * The values of the secrets and of the tokens that the attempt of a claim needs, by name. Rejects with
   * `SecretUnavailable` if one is not available.
   */
  readonly secretsFor: (claim: Claim) => Promise<ReadonlyMap<string, string>>;
  /** When the certificate of this server expires, in milliseconds since 1970; undefined without one. */
  readonly serverCertificateExpiresMs?: () => number | undefined;
  /** Stores files that steps produce, and sends them after an approval. Absent: no files are stored. */
  readonly artifacts?: ArtifactExchange;
  /** Stores caches of steps for all ships. Absent: each ship has caches of its own only. */
  readonly caches?: CacheExchange | undefined;
  /** For metrics: a ship wrote to a run that it no longer holds; log lines did not arrive. Neither may throw. */
  readonly fencedWrite?: (
    rpc: 'Accept' | 'AppendLogs' | 'CompleteRun' | 'RecordSource' | 'UploadArtifact' | 'DownloadArtifacts'
      | 'UploadCache' | 'DownloadCache',
  ) => void;
  readonly linesLost?: (count: number) => void;
  /** Like `Math.random`; spreads the reconnections of ships after a restart. */
  readonly random?: () => number;
}

export interface Fleet {
  readonly service: FleetService;
  readonly handlers: ShipHandlers;
  /** Numbers for metrics: all ships of the store, and the slots of the ships that are connected here. */
  numbers(): Promise<FleetNumbers>;
  /** Starts the upkeep. */
  start(): void;
  /**
   * Disconnects all ships and asks them to come back within 30 seconds. Reports on runs are still accepted. Safe twice.
   */
  stop(): Promise<void>;
}

/** The server's side of the fleet, over a migrated store. */
export function createFleet(env: RunsEnvironment, deps: FleetDeps): Fleet {
  const { queue, logs, audit, roster, authority, addresses, random = Math.random, fencedWrite = () => {},
    linesLost = () => {} } = deps;
  const newId = uuidV7Generator(env.clock);
  const log = env.log.child({ area: 'fleet' });
  const offsets = new ClockOffsets();
  const holders = new Holders(env, authority);
  const reports = new Reports(env, { queue, logs, fencedWrite, linesLost, offsets });
  const sessions = new Sessions({
    clock: env.clock,
    queue,
    random,
    offsets,
    reports,
    revocation: (shipId) => authority?.revocation(shipId),
    onExpel(shipId) {
      holders.forget();
      roster.forget(shipId);
    },
    context: {
      env,
      log,
      queue,
      logs,
      fencedWrite,
      async assignmentOf(claim) {
        const values = await deps.secretsFor(claim);
        return assignmentOf(claim, (name) => values.get(name), env.config.current().config.logs,
          deps.caches !== undefined);
      },
      trustBundle: () => authority?.bundle() ?? [],
      admit: (shipId, sessionId, traits) => roster.admit(shipId, sessionId, traits),
      completions: new RepeatedFailure(log, 'the end of a run could not be recorded', 'error'),
    },
  });
  const members = new Members(env, {
    queue,
    audit,
    authority,
    newId,
    fleetAddress: addresses.fleet,
    expel: (shipId, how) => sessions.expel(shipId, how),
  });
  const upkeep = new Upkeep({ ...env, log }, sessions, roster);
  const handlers = createShipHandlers(env, {
    queue,
    audit,
    newId,
    connections: sessions,
    joining: authority && { fingerprint: () => authority.fingerprint, enrolAddress: addresses.enrol },
  });
  return {
    service: {
      connect: (peer, output) => sessions.connect(peer, output),
      appendLogs: (peer, request) => reports.appendLogs(peer, request),
      streamLogs: (peer, answer) =>
        new MergingLogStream(async (request) => reports.appendLogs(await peer(), request), answer),
      completeRun: (peer, request) => sessions.completeRun(peer, request),
      recordSource: (peer, request) => reports.recordSource(peer, request),
      uploadArtifact: receiving(deps.artifacts, fencedWrite),
      downloadArtifacts: sending(deps.artifacts, fencedWrite),
      uploadCache: receivingCaches(deps.caches, fencedWrite),
      downloadCache: sendingCaches(deps.caches, fencedWrite),
      async discardCache({ shipId }, request) {
        await deps.caches?.discard(shipId, request);
        return create(DiscardCacheResponseSchema, {});
      },
      renewCertificate: (peer, request) => members.renew(peer, request),
      leave: (peer, request) => members.leave(peer, request),
      join: (address, request) => members.join(address, request),
      peerOf: (serial) => holders.peerOf(serial),
    },
    handlers,
    numbers: () => numbersOf(env, sessions, deps),
    start: () => upkeep.start(),
    async stop() {
      sessions.stop();
      await upkeep.stop();
    },
  };
}

/** A file over a limit is not an error of the call, because sending it again would not help. */
function receiving(artifacts: ArtifactExchange | undefined,
  fencedWrite: NonNullable<FleetDeps['fencedWrite']>): FleetService['uploadArtifact']
{
  return async ({ shipId }, parts) => {
    if (artifacts === undefined)
      return create(UploadArtifactResponseSchema, {
        status: UploadArtifactStatus.OVER_LIMIT,
        message: 'this server keeps no artefacts',
      });
    const { status, message = '' } = await artifacts.receive(shipId, parts);
    if (status === 'fenced') fencedWrite('UploadArtifact');
    return create(UploadArtifactResponseSchema, { status: UPLOAD_STATUS[status], message });
  };
}

function sending(artifacts: ArtifactExchange | undefined,
  fencedWrite: NonNullable<FleetDeps['fencedWrite']>): FleetService['downloadArtifacts']
{
  return async function*({ shipId }, request) {
    const files = artifacts === undefined ? [] : await artifacts.send(shipId, requireRef(request.ref));
    if (files !== undefined) return yield* files;
    fencedWrite('DownloadArtifacts');
    yield create(DownloadArtifactsResponseSchema, { body: { case: 'fenced', value: true } });
  };
}

function receivingCaches(caches: CacheExchange | undefined,
  fencedWrite: NonNullable<FleetDeps['fencedWrite']>): FleetService['uploadCache']
{
  return async ({ shipId }, parts) => {
    const { status, message = '' } = caches === undefined
      ? { status: 'over_limit' as const, message: 'this server keeps no caches' }
      : await caches.receive(shipId, parts);
    if (status === 'fenced') fencedWrite('UploadCache');
    return create(UploadCacheResponseSchema, { status: CACHE_STATUS[status], message });
  };
}

function sendingCaches(caches: CacheExchange | undefined,
  fencedWrite: NonNullable<FleetDeps['fencedWrite']>): FleetService['downloadCache']
{
  return async function*({ shipId }, request) {
    const messages = caches === undefined ? [] : await caches.send(shipId, request);
    if (messages !== undefined) return yield* messages;
    fencedWrite('DownloadCache');
    yield create(DownloadCacheResponseSchema, { body: { case: 'fenced', value: true } });
  };
}

const CACHE_STATUS = {
  kept: UploadCacheStatus.CACHE_KEPT,
  exists: UploadCacheStatus.CACHE_EXISTS,
  fenced: UploadCacheStatus.UPLOAD_CACHE_FENCED,
  over_limit: UploadCacheStatus.CACHE_OVER_LIMIT,
} as const;

const UPLOAD_STATUS = {
  kept: UploadArtifactStatus.KEPT,
  fenced: UploadArtifactStatus.UPLOAD_ARTIFACT_FENCED,
  over_limit: UploadArtifactStatus.OVER_LIMIT,
} as const;

async function numbersOf({ sql, clock, config }: RunsEnvironment, sessions: Sessions,
  { authority, serverCertificateExpiresMs }: FleetDeps): Promise<FleetNumbers>
{
  const ships = { online: 0, offline: 0, draining: 0, revoked: 0 };
  for (const ship of await listShips(sql)) {
    const lastSeenMs = Math.max(ship.lastSeenMs, sessions.lastSeen(ship.id) ?? 0);
    if (ship.revokedMs > 0) ships.revoked += 1;
    else if (!isOnline(lastSeenMs, clock.now(), config.current().config.queue.heartbeat)) ships.offline += 1;
    else if (ship.drainSession !== null || sessions.isDraining(ship.id)) ships.draining += 1;
    else ships.online += 1;
  }
  const slots = { free: 0, busy: 0 };
  for (const { free, busy } of sessions.connected()) {
    slots.free += free;
    slots.busy += busy;
  }
  return {
    ships: (['online', 'offline', 'draining', 'revoked'] as const).map((status) => ({ status, count: ships[status] })),
    slots: (['free', 'busy'] as const).map((status) => ({ status, count: slots[status] })),
    certificates: ([['ca', authority?.expiresMs], ['server', serverCertificateExpiresMs?.()]] as const).flatMap((
      [subject, expiresMs],
    ) => (expiresMs === undefined ? [] : [{ subject, expiresMs }])),
  };
}
