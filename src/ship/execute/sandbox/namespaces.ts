import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isWithin, SHARED_PLACES, type View } from './view.ts';

export interface NamespacePrograms {
  readonly mount: string;
  readonly mkdir: string;
}

/**
 * The script that makes a step's view of the file system, in mount and process namespaces that are its own already, and then
 * becomes the command in its arguments. What fails ends it. The work folder is held open from the start, since it is
 * reached by no path once the folder that it is in is hidden, and nothing is ever bound from a path that a step could have
 * replaced: steps write below the work folder only, where it is looked for links, and none of the run's is alive meanwhile.
 */
export function viewScript(view: View, folder: string, { mount, mkdir }: NamespacePrograms): string {
  const [mounts, makes] = [quote(mount), quote(mkdir)];
  const empty = (target: string, mode: string): string => `${mounts} -t tmpfs -o mode=${mode},nosuid,nodev quire ${quote(target)}`;
  const shared = SHARED_PLACES.filter((place) => existsSync(place));
  return [
    'set -e',
    'ulimit -c 0', // a core file would hold the secrets of the step
    `exec 9<${quote(folder)}`,
    ...(existsSync('/run') ? ['cd /run', empty('/run', '0755'), ...view.keptInRun.flatMap((name) => keepInRun(name, mounts, makes))] : []),
    'cd /proc/self/fd/9',
    'exec 9<&-',
    ...(existsSync('/dev/pts') ? [`${mounts} -t devpts -o newinstance,ptmxmode=0666,mode=0620 quire /dev/pts`] : []),
    // One that lies in a shared place has an empty one; else files in /tmp stay from step to step.
    ...shared.map((place) => (place === '/dev/shm' || isWithin(folder, place) ? empty(place, '1777') : `[ ! -L tmp ]; ${mounts} -c --bind ./tmp ${quote(place)}`)),
    ...view.hidden.map((target) => empty(target, '0755')),
    `${makes} -p ${quote(folder)}`,
    `${mounts} -c --bind . ${quote(folder)}`,
    ...view.masked.map((file) => `${mounts} -c --bind /dev/null ${quote(file)}`),
    // What cannot be made read-only is hidden.
    ...view.writable.map(({ target, options }) => `${mounts} -o ${['remount,bind,ro', options].filter((part) => part !== '').join()} ${quote(target)} 2>/dev/null || ${empty(target, '0755')}`),
    'cd /',
    'exec "$@"',
  ].join('\n');
}

function keepInRun(name: string, mounts: string, makes: string): string[] {
  const target = join('/run', name);
  const parent = join(target, '..');
  return [
    `if [ -d ${quote(`./${name}`)} ]; then ${makes} -p ${quote(target)}; else ${makes} -p ${quote(parent)}; : > ${quote(target)}; fi`,
    `${mounts} -c --bind ${quote(`./${name}`)} ${quote(target)}`,
  ];
}

/** As one word of a shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
