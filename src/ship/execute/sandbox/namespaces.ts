import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isWithin, SHARED_PLACES, type View } from './view.ts';

export interface NamespacePrograms {
  readonly mount: string;
  readonly mkdir: string;
}

/**
 * The script that sets up a step's view of the file system, in its own mount and process namespaces, and then becomes
 * the command in its arguments. Any failure ends it. The work folder is held open from the start, because no path
 * reaches it once the folder around it is hidden. Nothing is ever bound from a path that a step could have replaced:
 * steps write only below the work folder, where paths are checked for links, and no process of the run is alive
 * meanwhile.
 */
export function viewScript(view: View, folder: string, { mount, mkdir }: NamespacePrograms): string {
  const [mounts, makes] = [quote(mount), quote(mkdir)];
  const empty = (target: string, mode: string): string =>
    `${mounts} -t tmpfs -o mode=${mode},nosuid,nodev quire ${quote(target)}`;
  const shared = SHARED_PLACES.filter((place) => existsSync(place));
  return [
    'set -e',
    'ulimit -c 0', // a core file would hold the secrets of the step
    `exec 9<${quote(folder)}`,
    ...(existsSync('/run')
      ? ['cd /run', empty('/run', '0755'), ...view.keptInRun.flatMap((name) => keepInRun(name, mounts, makes))]
      : []),
    'cd /proc/self/fd/9',
    'exec 9<&-',
    ...(existsSync('/dev/pts') ? [`${mounts} -t devpts -o newinstance,ptmxmode=0666,mode=0620 quire /dev/pts`] : []),
    // A shared folder that contains the work folder becomes empty; otherwise files in /tmp stay from step to step.
    ...shared.map((
      place,
    ) => (place === '/dev/shm' || isWithin(folder, place)
      ? empty(place, '1777')
      : `[ ! -L tmp ]; ${mounts} -c --bind ./tmp ${quote(place)}`)
    ),
    ...view.hidden.map((target) => empty(target, '0755')),
    `${makes} -p ${quote(folder)}`,
    `${mounts} -c --bind . ${quote(folder)}`,
    ...view.masked.map((file) => `${mounts} -c --bind /dev/null ${quote(file)}`),
    // Mounts that cannot be made read-only are hidden.
    ...view.writable.map(({ target, options }) =>
      `${mounts} -o ${['remount,bind,ro', options].filter((part) => part !== '').join()} ${
        quote(target)
      } 2>/dev/null || ${empty(target, '0755')}`
    ),
    'cd /',
    'exec "$@"',
  ].join('\n');
}

function keepInRun(name: string, mounts: string, makes: string): string[] {
  const target = join('/run', name);
  const parent = join(target, '..');
  return [
    `if [ -d ${quote(`./${name}`)} ]; then ${makes} -p ${quote(target)}; else ${makes} -p ${quote(parent)}; : > ${
      quote(target)
    }; fi`,
    `${mounts} -c --bind ${quote(`./${name}`)} ${quote(target)}`,
  ];
}

/** Quotes a text as one word of a shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
