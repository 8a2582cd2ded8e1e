import { arch, platform } from 'node:process';
import type { StoredShip } from './ship-rows.ts';

/** Only a ship in the server's own process has this name. */
export const LOCAL_NAME = 'local';

/** Operating system and architecture under the names that labels use. */
function ownPlatform(): { os: string; arch: string } {
  return { os: platform === 'win32' ? 'windows' : platform, arch: arch === 'x64' ? 'amd64' : arch };
}

/** All labels of a ship: the labels that the server adds, and those of its token. */
export function labelsOf({ os, arch, name, labels }: Pick<StoredShip, 'os' | 'arch' | 'name' | 'labels'>): string[] {
  return [`os=${os}`, `arch=${arch}`, `ship=${name}`, ...labels];
}

/** The labels of the ship in this process, which are configured. */
export function localLabels(labels: readonly string[]): string[] {
  return labelsOf({ ...ownPlatform(), name: LOCAL_NAME, labels });
}
