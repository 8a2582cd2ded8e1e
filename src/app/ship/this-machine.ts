import type { ShipDescription } from '../../ship/index.ts';
import { BUILD_VERSION } from '../version.ts';

/** Environment variables with their values. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** As the labels and listings of ships name them; others keep Node's names. */
const SYSTEMS: Readonly<Record<string, string>> = { win32: 'windows' };
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };

/** The server takes so many, in this form. */
const MAX_VARIABLES = 1000;
const KEY_VARIABLE = /^(?=.{1,128}$)[A-Za-z_][A-Za-z0-9_]*_(?:KEY|TOKEN)$/i;
/** Not the key of an AI role, whatever it looks like. */
const JOIN_TOKEN = 'QUIRE_JOIN_TOKEN';

/**
 * Names of the variables that may hold keys of AI roles and are set. The server does not tell which it needs, so all
 * are named that look like one; their values stay here.
 */
export function keyVariables(env: Variables): string[] {
  return Object.keys(env).filter((name) => KEY_VARIABLE.test(name) && name !== JOIN_TOKEN && (env[name] ?? '') !== '').sort().slice(0, MAX_VARIABLES);
}

/** What a ship on this machine tells of itself. */
export function describeMachine(own: Pick<ShipDescription, 'name' | 'capacity' | 'ephemeral'>, env: Variables): ShipDescription {
  const { platform, arch } = process;
  return { ...own, version: BUILD_VERSION, os: SYSTEMS[platform] ?? platform, arch: ARCHITECTURES[arch] ?? arch, keyVariables: keyVariables(env) };
}
