import { spawn, type ChildProcess } from 'node:child_process';

/**
 * Reads lines: `+ WORK SECONDS` begins work, `l WORK SECONDS` begins work that has a lease, `- WORK SECONDS` ends either, and `= 0 SECONDS`
 * only says when the leases end: in so many seconds, or `-` where there are none. Unless another line comes before, it then kills the work
 * that has a lease. At the end of its input, which comes with the end of this process, it kills all that is left. Work is a
 * process group, or, as `u` and the number of a user, all of its processes, which are killed in that user's name and at once. It must
 * outlive the signals that a terminal or a supervisor sends to all at once.
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

/** How often it is looked whether leases were renewed: what the script knows of their end is older by so much at most. */
const RENEW_MS = 1000;
/** A renewal that moves the end by less is not worth a line. */
const WORTH_MS = 500;

/** A process group, or `u` and the number of a user. */
type Charge = number | `u${number}`;

/** Milliseconds until work must be dead. */
export type LeaseLeft = () => number;

/**
 * A small process that kills the process groups and the users of this one's work when this one cannot: because it has died, by
 * SIGKILL, for want of memory, by a fault; or because it is frozen when the lease of the work ends. Without it the work would go on
 * while the server hands it out again. Where there is no shell, only the next start finds what is left.
 */
export class Watchdog {
  readonly #charges = new Map<Charge, LeaseLeft | undefined>();
  #shell: ChildProcess | undefined;
  /** When the leases end, as the script was told, by the monotonic clock. */
  #toldEnd = Infinity;
  #renewing: NodeJS.Timeout | undefined;

  /** Without `leaseLeft` the work may outlast the freezing of this process. */
  watch(charge: Charge, leaseLeft?: LeaseLeft): void {
    this.#charges.set(charge, leaseLeft);
    if (this.#shell === undefined) this.#start();
    else this.#begin(charge, leaseLeft);
    if (leaseLeft !== undefined) this.#renewing ??= setInterval(() => this.#renew(), RENEW_MS).unref();
  }

  release(charge: Charge): void {
    if (!this.#charges.delete(charge)) return;
    this.#tell('-', charge);
    if (this.#end() !== Infinity) return;
    clearInterval(this.#renewing);
    this.#renewing = undefined;
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
    for (const [charge, leaseLeft] of this.#charges) this.#begin(charge, leaseLeft);
  }

  #begin(charge: Charge, leaseLeft: LeaseLeft | undefined): void {
    this.#tell(leaseLeft === undefined ? '+' : 'l', charge);
  }

  #renew(): void {
    if (this.#end() - this.#toldEnd > WORTH_MS) this.#tell('=', 0);
  }

  #tell(sign: '+' | 'l' | '-' | '=', charge: Charge): void {
    this.#toldEnd = this.#end();
    const seconds = this.#toldEnd === Infinity ? '-' : Math.max(0, Math.floor((this.#toldEnd - performance.now()) / 1000));
    this.#shell?.stdin?.write(`${sign} ${charge} ${seconds}\n`);
  }

  /** When the first lease ends, by the monotonic clock; Infinity without any. */
  #end(): number {
    const leases = [...this.#charges.values()].filter((left) => left !== undefined);
    return leases.length === 0 ? Infinity : performance.now() + Math.min(...leases.map((left) => left()));
  }
}
