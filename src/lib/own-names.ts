import { hostname } from 'node:os';

/** Names by which containers on this machine know it. They end in `.internal`, which nobody can register. */
const CONTAINER_NAMES = ['host.docker.internal', 'host.containers.internal'];

/**
 * Names that stand for this machine, beside `localhost`: its own, short and as the local network announces it (mDNS),
 * and the name that a server was told to listen on.
 */
export function ownNames(listening: string | undefined, machine: string = hostname()): string[] {
  const short = machine.split('.')[0]!;
  const names = [machine, short, `${short}.local`, ...CONTAINER_NAMES, ...(listening === undefined ? [] : [listening])];
  return [...new Set(names.filter((name) => name !== '').map((name) => name.toLowerCase()))];
}
