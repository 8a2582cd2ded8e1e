import type { Operations } from '../../../generated/runs/operations.ts';
import type { Ship } from '../../../generated/runs/sdk/types.gen.ts';
import { ServiceError } from '../../errors/index.ts';
import { formatDuration } from '../../lib/duration.ts';
import type { Handlers } from '../../operations/index.ts';
import type { Transaction } from '../../storage/index.ts';
import type { Audit } from '../audit/index.ts';
import { actorOf } from '../auth/index.ts';
import type { RunsEnvironment } from '../environment.ts';
import type { Queue } from '../queue/port.ts';
import { hashOfToken, insertToken, newToken } from './join-tokens.ts';
import { isNameOfLiveShip, labelsOf, listShips, LOCAL_NAME, localLabels, markRevoked, readShip, removeShip,
  type StoredShip, writeDrain } from './ship-rows.ts';

/** What listings and handlers require of the ships that are connected to this server. */
export interface Connections {
  /** Milliseconds since 1970 of its last sign of life to this server; undefined when there was none. */
  lastSeen(shipId: string): number | undefined;
  /** Whether its program has decided to take no more runs. */
  isDraining(shipId: string): boolean;
  /** Tells it to take no more runs. */
  drain(shipId: string): void;
  /** Tells it to take runs again. */
  undrain(shipId: string): void;
  /** The session of its program; empty if it is not connected here. */
  sessionOf(shipId: string): string;
  /** It is no longer a member: ends its connection. */
  expel(shipId: string, how: 'revoked' | 'left' | 'unknown'): void;
}

/** A ship that has missed this many heartbeats in a row is offline. */
const MISSED_HEARTBEATS = 2;

/** `lastSeenMs`: 0 for a ship that has never connected; `heartbeatMs`: time between two heartbeats. */
export const isOnline = (lastSeenMs: number, nowMs: number, heartbeatMs: number): boolean =>
  lastSeenMs > 0 && nowMs - lastSeenMs < MISSED_HEARTBEATS * heartbeatMs;

export type ShipHandlers = Required<
  Pick<Handlers<Operations>,
    'listShips' | 'createJoinToken' | 'revokeShip' | 'drainShip' | 'undrainShip' | 'deleteShip'>
>;

interface ShipDeps {
  readonly queue: Pick<Queue, 'evict' | 'runningOn'>;
  readonly audit: Audit;
  readonly connections: Connections;
  readonly newId: () => string;
  /** Undefined while the fleet is off. */
  readonly joining: Joining | undefined;
}

/** The data that a ship needs to join. */
interface Joining {
  /** SHA-256 of the root that signs servers. */
  readonly fingerprint: () => Buffer;
  /** host:port of the Enrolment service. */
  readonly enrolAddress: () => string;
}

export function createShipHandlers(env: RunsEnvironment, deps: ShipDeps): ShipHandlers {
  const { sql, clock } = env;
  const log = env.log.child({ area: 'fleet' });
  const show = (ship: StoredShip): Ship => toShip(ship, deps, clock.now(), env.config.current().config.queue.heartbeat);
  /** Changes an existing ship, and returns it as it is afterwards. */
  const change = (id: string, work: (tx: Transaction, ship: StoredShip) => Promise<void>): Promise<StoredShip> =>
    sql.transaction(async (tx) => {
      await work(tx, await requireShip(tx, id));
      return requireShip(tx, id);
    });
  return {
    async listShips() {
      const data = (await listShips(sql)).map(show);
      return { data, enabled: deps.joining !== undefined, local: describeLocal(env, deps.queue) };
    },
    createJoinToken: (input, context) => createToken(env, deps, input, actorOf(context)),
    async revokeShip({ id }, context) {
      const ship = await change(id, async (tx) => {
        if (!await markRevoked(tx, id, clock.now())) return;
        await deps.queue.evict(tx, id);
        await deps.audit.record(tx, actorOf(context), 'revoke', id);
        tx.onCommit(() => {
          log.warn({ ship: id }, 'a ship is revoked');
          deps.connections.expel(id, 'revoked');
        });
      });
      return { data: show(ship) };
    },
    async drainShip({ id }, context) {
      const ship = await change(id, async (tx, { revokedMs, drainSession }) => {
        if (revokedMs > 0 || drainSession !== null) return;
        await writeDrain(tx, id, deps.connections.sessionOf(id));
        await deps.audit.record(tx, actorOf(context), 'drain', id);
        tx.onCommit(() => deps.connections.drain(id));
      });
      return { data: show(ship) };
    },
    async undrainShip({ id }, context) {
      const ship = await change(id, async (tx, { drainSession }) => {
        if (drainSession === null) return;
        await writeDrain(tx, id, null);
        await deps.audit.record(tx, actorOf(context), 'undrain', id);
        tx.onCommit(() => deps.connections.undrain(id));
      });
      return { data: show(ship) };
    },
    async deleteShip({ id }, context) {
      await sql.transaction(async (tx) => {
        const { revokedMs, name } = await requireShip(tx, id);
        if (revokedMs === 0) throw new ServiceError('conflict', `the ship ${name} is not revoked; revoke it first`);
        await removeShip(tx, id);
        await deps.audit.record(tx, actorOf(context), 'delete', id, { name });
      });
    },
  };
}

async function requireShip(tx: Transaction, id: string): Promise<StoredShip> {
  const ship = await readShip(tx, id);
  if (ship === undefined) throw new ServiceError('ship_not_found', 'there is no such ship');
  return ship;
}

async function createToken({ sql, clock, config }: RunsEnvironment, { joining, audit, newId }: ShipDeps,
  { name, labels: given = [] }: { name: string; labels?: string[] },
  actor: string
): Promise<{ data: { token: string; command: string; name: string; labels: string[]; expires_at: number } }> {
  if (joining === undefined) throw new ServiceError('fleet_disabled', 'the fleet endpoint is off (fleet.enabled)');
  const labels = [...new Set(given)];
  const id = newId();
  const token = newToken(joining.fingerprint(), id);
  const nowMs = clock.now();
  const expiresMs = nowMs + config.current().config.fleet.join_token_ttl;
  if (name === LOCAL_NAME)
    throw new ServiceError('invalid_name', `name must not be ${LOCAL_NAME}, which is the ship of the service itself`);
  await sql.transaction(async (tx) => {
    const stored = { id, hash: hashOfToken(token), name, labels, expiresMs };
    // The name is claimed before ships are read: a ship that joins at the same time uses its token up only together
    // with storing its own row.
    const openUntilMs = await insertToken(tx, stored, nowMs);
    if (openUntilMs !== undefined)
      throw new ServiceError('join_token_exists',
        `a join token for ${name} is unused and valid for another ${
          minutes(openUntilMs - nowMs)
        }; use it, wait until it expires, or choose another name`);
    if (await isNameOfLiveShip(tx, name))
      throw new ServiceError('ship_exists', `a ship has the name ${name}; revoke it first, or choose another name`);
    await audit.record(tx, actor, 'token', name, { labels });
  });
  const command = `quire ship join --server ${joining.enrolAddress()} --name ${name} --token ${token}`;
  return { data: { token, command, name, labels, expires_at: Math.floor(expiresMs / 1000) } };
}

function toShip(ship: StoredShip, { queue, connections }: ShipDeps, nowMs: number, heartbeatMs: number): Ship {
  const revoked = ship.revokedMs > 0;
  const lastSeenMs = Math.max(ship.lastSeenMs, connections.lastSeen(ship.id) ?? 0);
  return {
    id: ship.id,
    name: ship.name,
    labels: labelsOf(ship),
    platform: `${ship.os}/${ship.arch}`,
    version: ship.version,
    online: !revoked && isOnline(lastSeenMs, nowMs, heartbeatMs),
    revoked,
    draining: ship.drainSession !== null || connections.isDraining(ship.id),
    ephemeral: ship.ephemeral,
    capacity: ship.capacity,
    running: queue.runningOn(ship.id),
    kinds: [...ship.kinds],
    joined_at: seconds(ship.joinedMs),
    last_seen_at: lastSeenMs === 0 ? null : seconds(lastSeenMs),
    cert_expires_at: seconds(ship.certExpiresMs),
    revoked_at: revoked ? seconds(ship.revokedMs) : null,
  };
}

const seconds = (ms: number): number => Math.floor(ms / 1000);

/** Rounded up, so that the time is never shown as 0. */
const minutes = (ms: number): string => formatDuration(Math.ceil(ms / 60_000) * 60_000);

function describeLocal({ config, nodeId }: RunsEnvironment, queue: ShipDeps['queue']) {
  const { enabled, capacity, labels } = config.current().config.local;
  return { enabled, capacity, running: queue.runningOn(`local:${nodeId}`), labels: localLabels(labels) };
}
