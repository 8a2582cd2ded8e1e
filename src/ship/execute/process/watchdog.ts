import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Reads lines: `+ WORK SECONDS` starts work, `l WORK SECONDS` starts work with a lease, `- WORK SECONDS` ends either,
 * and `= 0 SECONDS` only says when the leases end: in this many seconds, or `-` if there are none. Unless another line
 * arrives before that, it then kills the work with a lease. At the end of its input, which is also the end of this
 * process, it kills all remaining work. Work is a process group, or, as `u` and the number of a user, all processes of
 * that user, which are killed as that user and all at once. The script must survive the signals that a terminal or a
 * supervisor sends to all processes.
 */
const SCRIPT = `
trap '' TERM INT HUP QUIT
PATH=/usr/sbin:/usr/bin:/sbin:/bin
work=' ' leased=' ' timer=
finish() {
  for one in $1; do
    case $one in
      u*) setpriv --reuid="\${one#u}" --regid="\${one#u}" --clear-groups -- /bin/sh -c 'kill -s KILL -- -1' ;;
      *) kill -s KILL -- "-$one" ;;
    esac
  done
}
lapse() {
  trap 'kill -s KILL "$nap"; exit' USR1
  sleep "$1" & nap=$!
  wait "$nap"
  finish "$leased"
}
rest() { [ -z "$timer" ] || { kill -s USR1 "$timer"; wait "$timer"; timer=; }; }
while read -r sign one seconds; do
  rest
  case $sign in
    +) work="$work$one " ;;
    l) leased="$leased$one " ;;
    -)
      case $work in *" $one "*) work="\${work%% $one *} \${work#* $one }" ;; esac
      case $leased in *" $one "*) leased="\${leased%% $one *} \${leased#* $one }" ;; esac ;;
  esac
  [ "$seconds" = - ] || { lapse "$seconds" & timer=$!; }
done
rest
finish "$work$leased"
`;

/** How often the script gets new ends of leases; its information is at most this old. */
const RENEW_MS = 1000;
/** A renewal that moves the end by less than this is not sent. */
const WORTH_MS = 500;

/** A process group, or `u` and the number of a user. */
type Charge = number | `u${number}`;

/** Milliseconds until work must be dead. */
export type LeaseLeft = () => number;

/**
 * A small process that kills the process groups and the users of this process's work when this process cannot: because
 * it has died, by SIGKILL, for lack of memory, or by a fault; or because it is frozen when the lease of the work ends.
 * Without it the work would go on while the server assigns it again. If there is no shell, only the next start kills
 * the remaining processes.
 */
export class Watchdog {
  readonly #charges = new Map<Charge, LeaseLeft | undefined>();
  #shell: ChildProcess | undefined;
  /** When the leases end, as sent to the script, by the monotonic clock. */
  #writtenEnd = Infinity;
  #renewing: NodeJS.Timeout | undefined;

  /** Without `leaseLeft` the work may continue while this process is frozen. */
  watch(charge: Charge, leaseLeft?: LeaseLeft): void {
    this.#charges.set(charge, leaseLeft);
    if (this.#shell === undefined) this.#start();
    else this.#begin(charge, leaseLeft);
    if (leaseLeft !== undefined) this.#renewing ??= setInterval(() => this.#renew(), RENEW_MS).unref();
  }

  release(charge: Charge): void {
    if (!this.#charges.delete(charge)) return;
    this.#write('-', charge);
    if (this.#end() !== Infinity) return;
    clearInterval(this.#renewing);
    this.#renewing = undefined;
  }

  #start(): void {
    // Without environment variables, so that the search for processes of a run does not find it. It does not keep this
    // process alive.
    const shell = spawn('/bin/sh', ['-c', SCRIPT], {
      cwd: '/',
      env: {},
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.#shell = shell;
    const forget = (): void => {
      if (this.#shell === shell) this.#shell = undefined; // the next work starts a new one, which gets all work
    };
    shell.once('error', forget).once('exit', forget);
    shell.stdin!.on('error', forget);
    shell.unref();
    (shell.stdin as unknown as { unref(): void }).unref(); // a pipe is a socket here
    for (const [charge, leaseLeft] of this.#charges) this.#begin(charge, leaseLeft);
  }

  #begin(charge: Charge, leaseLeft: LeaseLeft | undefined): void {
    this.#write(leaseLeft === undefined ? '+' : 'l', charge);
  }

  #renew(): void {
    if (this.#end() - this.#writtenEnd > WORTH_MS) this.#write('=', 0);
  }

  #write(sign: '+' | 'l' | '-' | '=', charge: Charge): void {
    this.#writtenEnd = this.#end();
    const seconds = this.#writtenEnd === Infinity
      ? '-'
      : Math.max(0, Math.floor((this.#writtenEnd - performance.now()) / 1000));
    this.#shell?.stdin?.write(`${sign} ${charge} ${seconds}\n`);
  }

  /** When the first lease ends, by the monotonic clock; Infinity without any. */
  #end(): number {
    const leases = [...this.#charges.values()].filter((left) => left !== undefined);
    return leases.length === 0 ? Infinity : performance.now() + Math.min(...leases.map((left) => left()));
  }
}
