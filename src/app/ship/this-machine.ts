import type { ShipDescription } from '../../ship/index.ts';
import { BUILD_VERSION } from '../specification.ts';

/** Environment variables with their values. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** The names that labels and listings of ships use; other systems keep Node's names. */
const SYSTEMS: Readonly<Record<string, string>> = { win32: 'windows' };
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };

/** Most labels that the server accepts, and their form. */
const MAX_VARIABLES = 1000;
const KEY_VARIABLE = /^(?=.{1,128}$)[A-Za-z_][A-Za-z0-9_]*_(?:KEY|TOKEN)$/i;
/** Not the key of an AI role, although its name looks like one. */
const JOIN_TOKEN = 'QUIRE_JOIN_TOKEN';

/**
 * Names of the variables that may contain keys of AI roles and are set. The server does not say which ones it needs, so
 * all that look like a key are listed; their values are not sent.
 */
function keyVariables(env: Variables): string[] {
  return Object.keys(env).filter((name) => KEY_VARIABLE.test(name) && name !== JOIN_TOKEN && (env[name] ?? '') !== '')
    .sort().slice(0, MAX_VARIABLES);
}

/** The description of a ship on this machine. */
export function describeMachine(own: Pick<ShipDescription, 'name' | 'capacity' | 'ephemeral'>,
  env: Variables): ShipDescription
{
  const { platform, arch } = process;
  return {
    ...own,
    version: BUILD_VERSION,
    os: SYSTEMS[platform] ?? platform,
    arch: ARCHITECTURES[arch] ?? arch,
    keyVariables: keyVariables(env),
  };
}
