import { join, resolve } from 'node:path';
import { parseAddress } from '../../lib/address.ts';
import type { Log } from '../../lib/log.ts';
import { ConfigError } from '../../lib/setting-values.ts';
import { createExecutor, type RunAs, type UserIdRange } from '../../ship/execute/index.ts';
import { RemoteLink } from '../../ship/grpc/index.ts';
import { certificateEndsMs, type Identity, IdentityFile, IdentityKeeper, lockFolder, provesRevocation,
  ShipFailure } from '../../ship/identity/index.ts';
import { createDiskSpools, createShip, type Ship, type ShipEnd, systemShipTime } from '../../ship/index.ts';
import { BUILD_VERSION } from '../specification.ts';
import { readIdentity } from './join-ship.ts';
import { describeMachine, type Variables } from './this-machine.ts';

const DEFAULT_CACHE_SIZE = 10 * 1024 ** 3;

export interface ShipFlags {
  readonly dataDir: string;
  /** Overrides the capacity with which the ship joined. */
  readonly capacity?: number;
  readonly sandbox: string;
  readonly runAs?: RunAs;
  readonly userIds?: UserIdRange;
  /** Files and folders that sandboxed steps do not see, besides the data folder. */
  readonly hide?: readonly string[];
  /** Folder of the work; default: in the data folder. */
  readonly workDir?: string;
  readonly keepWork?: boolean;
  /** Bytes of clones and caches; default 10 GiB. */
  readonly cacheSize?: number;
  /** Transports that git may use. */
  readonly gitProtocols?: readonly string[];
}

/** How a run ended; `expired`: the certificate could not be renewed in time. */
export type ShipRunEnd = ShipEnd | 'expired';

export interface ShipRun {
  readonly ship: Ship;
  readonly identity: Identity;
  /** Never rejects. The membership is over where the ship has left or was thrown out, and its key is gone then. */
  readonly ended: Promise<ShipRunEnd>;
}

/**
 * Connects this machine to its server, as the ship that it has joined as. Throws a `ShipFailure` that says what to do.
 */
export async function runShip(flags: ShipFlags, env: Variables, log: Log): Promise<ShipRun> {
  const { dataDir } = flags;
  const file = new IdentityFile(dataDir);
  const identity = await readIdentity(file);
  if (identity === undefined)
    throw new ShipFailure(`this machine is no ship yet: there is no ${file.path}. Join first: quire ship join --help`);
  if (certificateEndsMs(identity.certificate) <= Date.now())
    throw new ShipFailure(
      `the certificate of the ship ${identity.name} has expired: join again with a new token (quire ship join --help)`,
    );
  const address = parseAddress(identity.fleetAddress);
  if (address?.kind !== 'tcp' || address.host === undefined)
    throw new ShipFailure(
      `the server's address ${identity.fleetAddress} is not host:port: set fleet.advertise there, and join again`,
    );
  const lock = lockFolder(dataDir);
  try {
    return await runWith(flags, {
      file,
      identity,
      address: { host: address.host, port: address.port },
      release: () => lock.release(),
    }, env, log);
  } catch (error) {
    lock.release();
    throw error instanceof ConfigError ? new ShipFailure(error.message, { cause: error }) : error;
  }
}

interface Berth {
  readonly file: IdentityFile;
  readonly identity: Identity;
  readonly address: { readonly host: string; readonly port: number };
  release(): void;
}

async function runWith(flags: ShipFlags, { file, identity, address, release }: Berth, env: Variables,
  log: Log): Promise<ShipRun>
{
  const { dataDir } = flags;
  const executor = createExecutor({
    workDir: flags.workDir ?? join(dataDir, 'work'),
    sandbox: flags.sandbox,
    hide: [resolve(dataDir), ...(flags.hide ?? []).map((path) => resolve(path))],
    runAs: flags.runAs,
    userIds: flags.userIds,
    keep: { folder: join(dataDir, 'cache'), limit: flags.cacheSize ?? DEFAULT_CACHE_SIZE },
    gitProtocols: flags.gitProtocols,
    keepWork: flags.keepWork ?? false,
    env,
    clock: systemShipTime.clock,
    log,
    version: BUILD_VERSION,
    serverOffsetMs: () => ship.serverOffsetMs(),
  });
  const { reason, isClosedOff = false } = await executor.fence ?? {};
  if (isClosedOff) throw new ShipFailure(`--work-dir: ${reason}`);
  const link = new RemoteLink({
    address,
    credentials: identity,
    onTrustBundle: (roots) => keeper.trust(roots),
    provesRevocation: (proof, roots) => provesRevocation(proof, identity.shipId, roots),
  });
  const keeper = new IdentityKeeper({ file, identity, link, time: systemShipTime, log });
  const description = describeMachine({
    name: identity.name,
    capacity: flags.capacity ?? identity.capacity,
    ephemeral: identity.ephemeral,
  }, env);
  const ship = createShip({
    link,
    executor,
    description,
    log,
    spools: createDiskSpools(join(dataDir, 'spool')),
    time: systemShipTime,
  });
  const ended = run(ship, keeper, link, file, log).finally(release);
  return { ship, identity, ended };
}

async function run(ship: Ship, keeper: IdentityKeeper, link: RemoteLink, file: IdentityFile,
  log: Log): Promise<ShipRunEnd>
{
  const over = new AbortController();
  let hasExpired = false;
  const keeping = keeper.keep(over.signal).then((isFresh) => {
    if (isFresh) return;
    hasExpired = true;
    ship.stop();
  });
  const end = await ship.run();
  over.abort();
  await keeping;
  if (end === 'ephemeral') await leave(link, log);
  link.close();
  await keeper.settled();
  if (end === 'ephemeral' || end === 'denied') await file.remove();
  return hasExpired ? 'expired' : end;
}

/** If the server does not receive this message, it sees a ship that does not reconnect. */
async function leave(link: RemoteLink, log: Log): Promise<void> {
  try {
    await link.leave('the one run of an ephemeral ship is over');
  } catch (err) {
    log.warn({ err }, 'could not notify the server that this ship has left');
  }
}
