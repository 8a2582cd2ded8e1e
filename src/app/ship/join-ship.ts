import { readFile } from 'node:fs/promises';
import { parseAddress } from '../../lib/address.ts';
import { certificateEndsMs, type Identity, IdentityFile, joinFleet, type JoinToken, readJoinToken,
  ShipFailure } from '../../ship/identity/index.ts';
import { toShipInfo } from '../../ship/index.ts';
import { describeMachine, type Variables } from './this-machine.ts';

/** Kinds of runs that every ship accepts. */
const KINDS = ['diagnostic', 'pipeline', 'ai_text'] as const;

export interface JoinFlags {
  /** host:port */
  readonly server: string;
  readonly name: string;
  readonly token?: string;
  readonly tokenFile?: string;
  readonly ephemeral?: boolean;
  readonly capacity: number;
  readonly dataDir: string;
}

/** Makes this machine a ship. Throws a `ShipFailure` that says what to do. */
export async function joinShip(flags: JoinFlags, env: Variables): Promise<Identity> {
  const { server, name, capacity, ephemeral = false, dataDir } = flags;
  const address = parseAddress(server);
  if (address?.kind !== 'tcp' || address.host === undefined)
    throw new ShipFailure(`--server must be host:port, got ${server}`);
  const token = await tokenOf(flags, env);
  const file = new IdentityFile(dataDir);
  // Checked before the token is used: a folder that cannot be written would waste it.
  await prepare(file, dataDir);
  await requireFree(file);
  const info = toShipInfo(describeMachine({ name, capacity, ephemeral }, env), KINDS);
  const identity = await joinFleet({ host: address.host, port: address.port, token, info, now: Date.now });
  await file.write(identity);
  return identity;
}

async function tokenOf({ token, tokenFile }: JoinFlags, env: Variables): Promise<JoinToken> {
  const text = token ?? (tokenFile === undefined ? env['QUIRE_JOIN_TOKEN'] : await readTokenFile(tokenFile));
  if (text === undefined || text.trim() === '')
    throw new ShipFailure(
      'a join token is missing: give --token-file, QUIRE_JOIN_TOKEN or --token. POST /api/v1/ships/tokens makes one',
    );
  const read = readJoinToken(text.trim());
  if (read === undefined) throw new ShipFailure('the join token is damaged: it has the form qj1.<hash>.<id>.<secret>');
  return read;
}

async function readTokenFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new ShipFailure(`cannot read --token-file ${path}: ${(error as Error).message}`, { cause: error });
  }
}

/** An identity that is still valid must not be lost by accident. */
async function requireFree(file: IdentityFile): Promise<void> {
  const identity = await readIdentity(file);
  if (identity !== undefined && certificateEndsMs(identity.certificate) > Date.now()) {
    throw new ShipFailure(
      `this machine is the ship ${identity.name} already (${file.path}). Use another --data-dir for another ship, ` +
        'or remove that file to join again',
    );
  }
}

async function prepare(file: IdentityFile, folder: string): Promise<void> {
  try {
    await file.prepare();
  } catch (error) {
    throw new ShipFailure(`cannot use the folder ${folder}: ${(error as Error).message}`, { cause: error });
  }
}

/** Undefined if the machine has not joined. Throws a `ShipFailure` for a damaged file. */
export async function readIdentity(file: IdentityFile): Promise<Identity | undefined> {
  try {
    return await file.read();
  } catch (error) {
    throw new ShipFailure((error as Error).message, { cause: error });
  }
}
