import { hostname } from 'node:os';

/** Names under which containers on this machine know it. They end in `.internal`, which cannot be registered. */
const CONTAINER_NAMES = ['host.docker.internal', 'host.containers.internal'];

/**
 * Names of this machine besides `localhost`: its host name, short and as the local network announces it (mDNS), and the
 * name on which a server was configured to listen.
 */
export function ownNames(listening: string | undefined, machine: string = hostname()): string[] {
  const short = machine.split('.')[0]!;
  const names = [machine, short, `${short}.local`, ...CONTAINER_NAMES, ...(listening === undefined ? [] : [listening])];
  return [...new Set(names.filter((name) => name !== '').map((name) => name.toLowerCase()))];
}
