import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findProgram, type SandboxName } from '../sandbox/index.ts';

const SH = '/bin/sh';
/** Searched after the path of the ship. */
const SYSTEM_PATH = ':/usr/bin:/bin';
const PROBE_MS = 10_000;

/**
 * Has bash read scripts as sh does: `echo` understands `\t`, and a failure in `$(...)` ends the script. Versions before
 * 4.4 do not have both.
 */
const BASH_AS_SH = ['-O', 'xpg_echo', '-O', 'inherit_errexit'];

/** The shells of images are not known here, so the script looks for one where it runs. */
const IN_CONTAINER = `if (set -o pipefail) 2>/dev/null; then exec ${SH} -eu -o pipefail -c "$1"
elif bash ${BASH_AS_SH.join(' ')} -c : 2>/dev/null; then exec bash -eu -o pipefail ${BASH_AS_SH.join(' ')} -c "$1"
else exec ${SH} -eu -c "$1"; fi`;

const known = new Map<string, Promise<readonly string[]>>();

/**
 * The command that runs a script of a step that names no shell: `sh -eu`, with `pipefail` if `sh` or `bash` knows it.
 * `path`: where the ship looks for programs.
 */
export async function inDefaultShell(script: string, sandbox: SandboxName, path: string): Promise<string[]> {
  if (sandbox === 'container') return [SH, '-c', IN_CONTAINER, 'sh', script];
  const found = known.get(path) ?? findShell(path);
  known.set(path, found);
  return [...await found, script];
}

async function findShell(path: string): Promise<readonly string[]> {
  if (await works(SH, ['-c', 'set -o pipefail'])) return [SH, '-eu', '-o', 'pipefail', '-c'];
  const bash = findProgram('bash', `${path}${SYSTEM_PATH}`, '/');
  if (bash !== undefined && await works(bash, [...BASH_AS_SH, '-c', ':']))
    return [bash, '-eu', '-o', 'pipefail', ...BASH_AS_SH, '-c'];
  return [SH, '-eu', '-c'];
}

async function works(program: string, args: readonly string[]): Promise<boolean> {
  return promisify(execFile)(program, args, { cwd: '/', env: {}, timeout: PROBE_MS, killSignal: 'SIGKILL' }).then(
    () => true,
    () => false,
  );
}
