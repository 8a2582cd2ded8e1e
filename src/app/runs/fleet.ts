import { isIP } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { type FleetServers, startFleetServers } from '../../api/grpc/fleet/servers.ts';
import { type Address, formatAddress, parseAddress } from '../../lib/address.ts';
import type { Clock, Timer } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { Loop } from '../../lib/loop.ts';
import { ConfigError } from '../../lib/setting-values.ts';
import type { ClientBounds } from '../../lib/slow-bodies.ts';
import { inDataDir, type RunsConfig } from '../../runs/config/index.ts';
import { Authority, type FleetService, type ServerMaterial } from '../../runs/fleet/index.ts';

/** Milliseconds between two checks whether certificates must be replaced. */
const REVIEW_MS = 3_600_000;
/** Most interfaces of a machine that its certificate names. */
const MAX_HOSTS = 64;

/** Opens the certificate authority of the configured folder, or creates it; undefined while the fleet is off. */
export async function openAuthority(config: RunsConfig,
  { clock, log }: { clock: Clock; log: Log }): Promise<Authority | undefined>
{
  const { enabled, ca_dir, trust_domain, ca_ttl, server_cert_ttl, ship_cert_ttl } = config.fleet;
  if (!enabled) return undefined;
  const folder = inDataDir(config, ca_dir);
  return Authority.open({
    folder,
    trustDomain: trust_domain,
    caTtlMs: ca_ttl,
    serverTtlMs: server_cert_ttl,
    shipTtlMs: ship_cert_ttl,
    clock,
    log,
  });
}

/**
 * The addresses at which ships reach this server: the advertised host, with the ports that the servers actually use.
 */
export class FleetAddresses {
  readonly listen: { readonly fleet: Tcp; readonly enrol: Tcp };
  readonly #host: string;
  #ports: FleetServers['ports'];

  /** Throws a `ConfigError` for an invalid host or TCP address. */
  constructor({ fleet }: RunsConfig) {
    this.listen = {
      fleet: requireTcp('fleet.listen', fleet.listen),
      enrol: requireTcp('fleet.enrol_listen', fleet.enrol_listen),
    };
    this.#host = fleet.advertise === '' ? hostname() : advertisedHost(fleet.advertise);
    this.#ports = { fleet: this.listen.fleet.port, enrol: this.listen.enrol.port };
  }

  readonly fleet = (): string => this.#at(this.#ports.fleet);

  readonly enrol = (): string => this.#at(this.#ports.enrol);

  listening(ports: FleetServers['ports']): void {
    this.#ports = ports;
  }

  /** Every name and IP address by which ships may address this machine. */
  hosts(): string[] {
    const interfaces = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []).map(({ address }) =>
      address
    );
    const all = [this.#host, 'localhost', '127.0.0.1', '::1', hostname(),
      ...[this.listen.fleet, this.listen.enrol].map(({ host }) => host ?? ''), ...interfaces];
    return [...new Set(all)].filter((host) => isIP(host) !== 0 || /^[A-Za-z0-9_.-]{1,253}$/.test(host)).slice(0,
      MAX_HOSTS);
  }

  #at(port: number): string {
    return formatAddress({ kind: 'tcp', host: this.#host, port });
  }
}

type Tcp = Extract<Address, { kind: 'tcp' }>;

function requireTcp(name: string, address: Address): Tcp {
  if (address.kind === 'tcp') return address;
  throw new ConfigError([`${name}: a unix socket is not possible here; give host:port`]);
}

/** A name, or an IP address with or without brackets. */
function advertisedHost(text: string): string {
  const bare = text.replace(/^\[(.*)\]$/, '$1');
  const read = isIP(bare) === 0 ? parseAddress(`${bare}:1`) : undefined;
  if (isIP(bare) !== 0 || (read?.kind === 'tcp' && read.host === bare)) return bare;
  throw new ConfigError([`fleet.advertise: expected a host name or an IP address, without a port, got ${text}`]);
}

interface FleetStartOptions {
  readonly service: FleetService;
  readonly authority: Authority;
  readonly addresses: FleetAddresses;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly log: Log;
  /** Longest that a message may take to arrive, in milliseconds. */
  readonly messageMs: number;
  readonly clients: ClientBounds;
}

export interface RunningFleet {
  /** When the server's certificate expires, in milliseconds since 1970. */
  serverExpiresMs(): number;
  /** Replaces the server's certificate if necessary; never rejects. */
  review(): Promise<void>;
  /** Waits for calls in progress, and aborts those that take longer. Safe to call twice. */
  stop(graceMs: number): Promise<void>;
}

/**
 * Starts both listeners of the fleet, and renews their certificate: after half its lifetime, and when the authority's
 * roots change. Rejects with a readable reason if an address is not available.
 */
export async function startFleet(options: FleetStartOptions): Promise<RunningFleet> {
  const { service, authority, addresses, clock, timer, log, messageMs, clients } = options;
  const issue = (): Promise<ServerMaterial> => authority.serverMaterial(addresses.hosts());
  let material = await issue();
  let issuedMs = clock.now();
  const servers = await startFleetServers({ ...addresses.listen, tls: material, service, log, messageMs, clients });
  addresses.listening(servers.ports);
  const review = async (): Promise<void> => {
    try {
      const rootsChanged = await authority.review();
      const isOld = clock.now() - issuedMs >= (material.expiresMs - issuedMs) / 2;
      if (!rootsChanged && !isOld) return;
      material = await issue();
      issuedMs = clock.now();
      servers.replace(material);
      log.info({ expires: new Date(material.expiresMs) }, 'the certificate of the fleet server is replaced');
    } catch (error) {
      log.error({ err: error }, 'the certificates of the fleet could not be looked after');
    }
  };
  const reviews = new Loop({
    name: 'certificates of the fleet',
    everyMs: REVIEW_MS,
    waitsFirst: true,
    timer,
    log,
    failure: 'the certificates of the fleet could not be looked after',
  }, review);
  reviews.start();
  log.info({ fleet: addresses.fleet(), enrol: addresses.enrol() }, 'ships can connect');
  return {
    serverExpiresMs: () => material.expiresMs,
    review,
    stop: async (graceMs) => {
      await reviews.stop();
      return servers.stop(graceMs);
    },
  };
}
