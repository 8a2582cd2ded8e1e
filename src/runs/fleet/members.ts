import { create } from '@bufbuild/protobuf';
import { type JoinRequest, type JoinResponse, JoinResponseSchema, type LeaveRequest, type LeaveResponse,
  LeaveResponseSchema, type RenewRequest, type RenewResponse,
  RenewResponseSchema } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import type { Transaction } from '../../storage/index.ts';
import type { Audit } from '../audit/index.ts';
import type { RunsEnvironment } from '../environment.ts';
import type { Queue } from '../queue/port.ts';
import { consumeToken, countCertificates, idOfToken, insertCertificate, insertShip, isOfToken, labelsOf, markRevoked,
  readShip, readToken, removeShip, type StoredShip, type StoredToken } from '../ships/index.ts';
import type { Authority, ShipCertificate } from './authority/authority.ts';
import { FailedJoins } from './failed-joins.ts';
import { revokedShip, unknownShip } from './holders.ts';
import { FleetRefusal, type Peer } from './port.ts';
import { readPlatform, readTraits, requireCompatible } from './ship-info.ts';

/** A ship renews at half the lifetime of its certificate; more valid certificates than this have another cause. */
const MAX_CERTIFICATES = 32;
const MAX_REASON = 200;

interface MemberDeps {
  readonly queue: Pick<Queue, 'evict'>;
  readonly audit: Audit;
  /** Undefined while the fleet is off. */
  readonly authority: Authority | undefined;
  /** host:port of the Fleet service. */
  readonly fleetAddress: () => string;
  readonly newId: () => string;
  /** Ends a ship's connection. */
  readonly expel: (shipId: string, how: 'left') => void;
}

/** Membership of the fleet: joining, certificates, leaving. */
export class Members {
  readonly #env: RunsEnvironment;
  readonly #deps: MemberDeps;
  readonly #failedJoins: FailedJoins;

  constructor(env: RunsEnvironment, deps: MemberDeps) {
    this.#env = env;
    this.#deps = deps;
    this.#failedJoins = new FailedJoins(env.clock);
  }

  join(address: string, request: JoinRequest): Promise<JoinResponse> {
    return this.#failedJoins.run(address, () => this.#join(request));
  }

  async renew({ shipId }: Peer, { csrDer }: RenewRequest): Promise<RenewResponse> {
    const authority = this.#requireAuthority();
    const certificate = await authority.signShip(shipId, csrDer);
    await this.#env.sql.transaction(async (tx) => {
      const ship = await readShip(tx, shipId);
      if (ship === undefined) throw unknownShip();
      if (ship.revokedMs > 0) throw revokedShip(authority.revocation(shipId));
      if (await countCertificates(tx, shipId, this.#env.clock.now()) >= MAX_CERTIFICATES)
        throw new FleetRefusal('resource_exhausted', 'the ship has too many valid certificates; renew later');
      await insertCertificate(tx, { serial: certificate.serial, shipId, expiresMs: certificate.expiresMs });
      await this.#deps.audit.record(tx, `ship:${shipId}`, 'renew', shipId, { serial: certificate.serial });
    });
    return create(RenewResponseSchema, {
      certificateDer: certificate.der,
      trustBundleDer: authority.bundle(),
      renewAfterMs: BigInt(certificate.renewAfterMs),
    });
  }

  /** Removes the ship; its runs return to the queue. */
  async leave({ shipId }: Peer, { reason }: LeaveRequest): Promise<LeaveResponse> {
    const { sql, clock } = this.#env;
    await sql.transaction(async (tx) => {
      // Revokes first, so that the ship cannot write between that and the return of its runs.
      if (!await markRevoked(tx, shipId, clock.now())) return;
      await this.#deps.queue.evict(tx, shipId);
      await removeShip(tx, shipId);
      await this.#deps.audit.record(tx, `ship:${shipId}`, 'leave', shipId, {
        reason: reason.slice(0, MAX_REASON).toWellFormed(),
      });
      tx.onCommit(() => this.#deps.expel(shipId, 'left'));
    });
    return create(LeaveResponseSchema);
  }

  async #join({ token, csrDer, info }: JoinRequest): Promise<JoinResponse> {
    const authority = this.#requireAuthority();
    const { sql, clock, config } = this.#env;
    requireCompatible(info, config.current().config.fleet.min_ship_version);
    const stored = await this.#requireToken(token);
    if (info !== undefined && info.name !== '' && info.name !== stored.name)
      throw new FleetRefusal('invalid_argument', `info.name must be that of the token, ${stored.name}`);
    const [traits, platform, id] = [readTraits(info), readPlatform(info), this.#deps.newId()];
    const certificate = await authority.signShip(id, csrDer);
    const ship: StoredShip = {
      ...traits,
      ...platform,
      id,
      name: stored.name,
      labels: stored.labels,
      drainSession: null,
      joinedMs: clock.now(),
      lastSeenMs: 0,
      certExpiresMs: certificate.expiresMs,
      revokedMs: 0,
    };
    await sql.transaction((tx) => this.#admit(tx, stored, ship, certificate));
    this.#env.log.info({ ship: id, name: ship.name }, 'a ship has joined the fleet');
    return create(JoinResponseSchema, {
      shipId: id,
      certificateDer: certificate.der,
      trustBundleDer: authority.bundle(),
      fleetAddress: this.#deps.fleetAddress(),
      renewAfterMs: BigInt(certificate.renewAfterMs),
      labels: labelsOf(ship),
    });
  }

  async #requireToken(token: string): Promise<StoredToken> {
    const id = idOfToken(token);
    const stored = id === undefined ? undefined : await readToken(this.#env.sql, id);
    if (stored === undefined || !isOfToken(stored, token))
      throw new FleetRefusal('permission_denied', 'the join token is unknown, or was used before');
    if (stored.expiresMs <= this.#env.clock.now())
      throw new FleetRefusal('permission_denied', 'the join token has expired; create another one');
    return stored;
  }

  /** The token is used up and the ship is stored, or neither. */
  async #admit(tx: Transaction, token: StoredToken, ship: StoredShip,
    { serial, expiresMs }: ShipCertificate): Promise<void>
  {
    if (!await consumeToken(tx, token.id, this.#env.clock.now()))
      throw new FleetRefusal('permission_denied', 'the join token was used before, or has expired');
    await insertShip(tx, ship);
    await insertCertificate(tx, { serial, shipId: ship.id, expiresMs });
    await this.#deps.audit.record(tx, `ship:${ship.id}`, 'join', ship.id, { name: ship.name, version: ship.version });
  }

  #requireAuthority(): Authority {
    if (this.#deps.authority === undefined) throw new FleetRefusal('failed_precondition', 'the fleet is off');
    return this.#deps.authority;
  }
}
