import { spawn, type ChildProcess } from 'node:child_process';

/**
 * Reads `+ WORK` and `- WORK`, and at the end of its input, which comes with the end of this process, kills what is left: a
 * process group, or, as `u` and the number of a user, all of its processes, in that user's name and at once. It must outlive
 * the signals that a terminal or a supervisor sends to all at once.
 */
const SCRIPT = `
trap '' TERM INT HUP QUIT
PATH=/usr/sbin:/usr/bin:/sbin:/bin
work=' '
while read -r sign one; do
  case $sign in
    +) work="$work$one " ;;
    -) work="\${work%% $one *} \${work#* $one }" ;;
  esac
done
for one in $work; do
  case $one in
    u*) setpriv --reuid="\${one#u}" --regid="\${one#u}" --clear-groups -- /bin/sh -c 'kill -s KILL -- -1' ;;
    *) kill -s KILL -- "-$one" ;;
  esac
done
`;

/** A process group, or `u` and the number of a user. */
type Charge = number | `u${number}`;

/**
 * A small process that kills the process groups and the users of this one's work when this one dies without having done so: by
 * SIGKILL, for want of memory, by a fault. Without it the work would go on while the server hands it out again. Where there
 * is no shell, only the next start finds what is left.
 */
export class Watchdog {
  readonly #charges = new Set<Charge>();
  #shell: ChildProcess | undefined;

  watch(charge: Charge): void {
    this.#charges.add(charge);
    if (this.#shell === undefined) this.#start();
    else this.#tell('+', charge);
  }

  release(charge: Charge): void {
    if (this.#charges.delete(charge)) this.#tell('-', charge);
  }

  #start(): void {
    // Without variables: what looks for the processes of a run must not find it. It holds up no end of this process.
    const shell = spawn('/bin/sh', ['-c', SCRIPT], { cwd: '/', env: {}, detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
    this.#shell = shell;
    const forget = (): void => {
      if (this.#shell === shell) this.#shell = undefined; // the next charge begins another one, which is told of all
    };
    shell.once('error', forget).once('exit', forget);
    shell.stdin!.on('error', forget);
    shell.unref();
    (shell.stdin as unknown as { unref(): void }).unref(); // a pipe is a socket here
    for (const charge of this.#charges) this.#tell('+', charge);
  }

  #tell(sign: '+' | '-', charge: Charge): void {
    this.#shell?.stdin?.write(`${sign} ${charge}\n`);
  }
}
