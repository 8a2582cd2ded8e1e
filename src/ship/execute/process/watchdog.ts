import { spawn, type ChildProcess } from 'node:child_process';

/**
 * Reads `+ GROUP` and `- GROUP`, and at the end of its input, which comes with the end of this process, kills what is left. It
 * must outlive the signals that a terminal or a supervisor sends to all at once.
 */
const SCRIPT = `
trap '' TERM INT HUP QUIT
groups=' '
while read -r sign group; do
  case $sign in
    +) groups="$groups$group " ;;
    -) groups="\${groups%% $group *} \${groups#* $group }" ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group"; done
`;

/**
 * A small process that kills the process groups of this one's work when this one dies without having done so: by SIGKILL, for
 * want of memory, by a fault. Without it the work would go on while the server hands it out again. Where there is no shell,
 * only the next start finds what is left.
 */
export class Watchdog {
  readonly #groups = new Set<number>();
  #shell: ChildProcess | undefined;

  watch(group: number): void {
    this.#groups.add(group);
    if (this.#shell === undefined) this.#start();
    else this.#tell('+', group);
  }

  release(group: number): void {
    if (this.#groups.delete(group)) this.#tell('-', group);
  }

  #start(): void {
    // Without variables: what looks for the processes of a run must not find it. It holds up no end of this process.
    const shell = spawn('/bin/sh', ['-c', SCRIPT], { cwd: '/', env: {}, detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
    this.#shell = shell;
    const forget = (): void => {
      if (this.#shell === shell) this.#shell = undefined; // the next group begins another one, which is told of all
    };
    shell.once('error', forget).once('exit', forget);
    shell.stdin!.on('error', forget);
    shell.unref();
    (shell.stdin as unknown as { unref(): void }).unref(); // a pipe is a socket here
    for (const group of this.#groups) this.#tell('+', group);
  }

  #tell(sign: '+' | '-', group: number): void {
    this.#shell?.stdin?.write(`${sign} ${group}\n`);
  }
}
