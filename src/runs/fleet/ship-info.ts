import type { ShipInfo } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import type { RunKind } from '../queue/port.ts';
import type { ShipTraits } from '../ships/index.ts';
import { FleetRefusal } from './port.ts';

/** The version of the protocol that this server speaks. */
export const PROTOCOL = 1;

const KINDS: readonly RunKind[] = ['diagnostic', 'pipeline', 'ai_text'];
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
/** The form of a label's value. */
const PLATFORM = /^[A-Za-z0-9._-]{1,63}$/;
const VERSION = /^[ -~]{1,64}$/;
const MAX_CAPACITY = 1000;
const MAX_ROLES = 1000;

/**
 * What a ship reports about itself, validated: values that our ships never send are refused. Kinds that this server
 * does not know are left out.
 */
export function readTraits(info: ShipInfo | undefined): ShipTraits {
  if (info === undefined) throw new FleetRefusal('invalid_argument', 'info is missing');
  const { version, capacity, ephemeral, roles } = info;
  if (!VERSION.test(version))
    throw new FleetRefusal('invalid_argument', 'info.version must have 1 to 64 printable characters');
  if (capacity < 1 || capacity > MAX_CAPACITY)
    throw new FleetRefusal('invalid_argument', `info.capacity must be 1 to ${MAX_CAPACITY}, got ${capacity}`);
  if (roles.length > MAX_ROLES || !roles.every((role) => VARIABLE.test(role)))
    throw new FleetRefusal('invalid_argument',
      `info.roles must be at most ${MAX_ROLES} names of environment variables`);
  const kinds = KINDS.filter((kind) => info.kinds.includes(kind));
  if (kinds.length === 0)
    throw new FleetRefusal('invalid_argument', `info.kinds must name some of ${KINDS.join(', ')}`);
  return { version, capacity, ephemeral, kinds, keyVariables: [...new Set(roles)].sort() };
}

/** Operating system and architecture, which become labels. */
export function readPlatform(info: ShipInfo | undefined): { os: string; arch: string } {
  const { os = '', arch = '' } = info ?? {};
  if (!PLATFORM.test(os))
    throw new FleetRefusal('invalid_argument', 'info.os must be 1 to 63 letters, digits, ".", "_" or "-"');
  if (!PLATFORM.test(arch))
    throw new FleetRefusal('invalid_argument', 'info.arch must be 1 to 63 letters, digits, ".", "_" or "-"');
  return { os, arch };
}

/** Refuses ships that this server cannot work with, so that they are upgraded. `oldest` is empty for no limit. */
export function requireCompatible(info: ShipInfo | undefined, oldest: string): void {
  const { protocol = 0, version = '' } = info ?? {};
  if (protocol !== PROTOCOL)
    throw new FleetRefusal('failed_precondition',
      `this server speaks version ${PROTOCOL} of the fleet protocol, the ship speaks ${protocol}`);
  if (oldest !== '' && isOlder(version, oldest))
    throw new FleetRefusal('failed_precondition', `this server takes ships from version ${oldest}, got ${version}`);
}

export const sameTraits = (one: ShipTraits, other: ShipTraits): boolean =>
  one.version === other.version && one.capacity === other.capacity && one.ephemeral === other.ephemeral
  && one.kinds.join() === other.kinds.join() && one.keyVariables.join() === other.keyVariables.join();

const SEMANTIC = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;

/**
 * Whether a version is lower than another one; an invalid version is lower than all. A pre-release is lower than its
 * release.
 */
export function isOlder(version: string, than: string): boolean {
  const [own, other] = [SEMANTIC.exec(version), SEMANTIC.exec(than)];
  if (other === null) return false;
  if (own === null) return true;
  for (const part of [1, 2, 3]) {
    const difference = Number(own[part]) - Number(other[part]);
    if (difference !== 0) return difference < 0;
  }
  return own[4] !== undefined && other[4] === undefined;
}
