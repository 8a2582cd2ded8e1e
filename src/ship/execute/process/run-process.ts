import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { LiveWriter } from '../output/live-writer.ts';
import type { OutputWriter } from '../output/run-output.ts';
import { groupEnds, killLeftovers, type Marks, signal } from './leftovers.ts';
import { type OutputPipe, PipePool } from './pipes.ts';

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
type LeaseLeft = () => number;

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

/**
 * After the last process has ended its pipes are empty at once; a pipe that stays open for this long is held by a
 * process of other work.
 */
const PIPE_IDLE_MS = 1_000;
/** Timers can wait at most this long (24 days). */
const MAX_TIMER_MS = 2 ** 31 - 1;

export interface ProcessPlan {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The user that runs it; absent for the user of this process. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** The user that has only processes of this work: all of them are killed with it. */
  readonly ownUser?: number;
  /** Work that goes on when it ends; absent if there can be none. */
  readonly spared?: (() => readonly Marks[]) | undefined;
  /** Called with its process group when it has started. Must not throw. */
  readonly onStart?: (group: number) => void;
  /** Environment variables, `NAME=value`, that identify the processes that it leaves. */
  readonly marks: readonly string[];
  /** A file descriptor for its standard input; default: none. */
  readonly stdin?: number;
  readonly stdout: OutputWriter;
  readonly stderr: OutputWriter;
  /** A command that ends what signals do not reach, such as a container. */
  readonly forceEnd?: readonly string[];
}

export interface ProcessSignals {
  /** SIGTERM to the group, and after `graceMs` SIGKILL. */
  readonly stop: AbortSignal;
  graceMs(): number;
  /** SIGKILL at once. */
  readonly kill: AbortSignal;
  /** Time until which it must be dead, even if this process is frozen; absent for no limit. */
  readonly leaseLeft?: LeaseLeft | undefined;
}

export interface ProcessEnd {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** It was asked to stop while it ran; its reaction does not matter. */
  readonly stopped: boolean;
  /** Why it did not start. */
  readonly spawnError?: string;
  /** Processes that SIGKILL did not end. */
  readonly survivors: readonly number[];
}

interface Child {
  readonly process: ChildProcess;
  readonly pid: number;
  readonly stdout: Readable;
  readonly stderr: Readable;
}

/** One each for all work of this process. */
const watchdog = new Watchdog();
const pipes = new PipePool();

/** Until it is released, all processes of a user are killed when this process dies, or when their lease ends. */
export function watchUser(uid: number, leaseLeft?: LeaseLeft): void {
  watchdog.watch(`u${uid}`, leaseLeft);
}

export function releaseUser(uid: number): void {
  watchdog.release(`u${uid}`);
}

/**
 * Runs a command in a process group of its own and writes its output. When it has ended, so have all processes that it
 * started: the remaining ones are killed. Never rejects.
 */
export async function runProcess(plan: ProcessPlan, signals: ProcessSignals): Promise<ProcessEnd> {
  const child = await start(plan);
  if (typeof child === 'string')
    return { exitCode: null, signal: null, stopped: false, spawnError: child, survivors: [] };
  watchdog.watch(child.pid, signals.leaseLeft);
  plan.onStart?.(child.pid);
  const finished = new AbortController();
  const exit = once(child.process, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const output = Promise.all([pump(child.stdout, plan.stdout, finished.signal),
    pump(child.stderr, plan.stderr, finished.signal)]);
  const stopping = new Stopping(child.pid, signals);
  const [exitCode, endSignal] = await exit;
  const stopped = stopping.asked;
  // Other processes of the group may still be ending normally; they get the rest of the grace.
  if (stopped) await groupEnds(child.pid, stopping.over);
  stopping.done();
  if (plan.forceEnd !== undefined) await forceEnd(plan.forceEnd, plan.env);
  const survivors = await killLeftovers({ group: child.pid, variables: plan.marks, user: plan.ownUser }, plan.spared);
  watchdog.release(child.pid);
  finished.abort();
  await output;
  return { exitCode, signal: endSignal, stopped, survivors };
}

async function start(plan: ProcessPlan): Promise<Child | string> {
  const made: OutputPipe[] = [];
  try {
    // All of its users may open its output again by a path such as /dev/stderr.
    const owner = plan.ownUser === undefined ? plan.user : { uid: plan.ownUser, gid: plan.ownUser };
    for (let count = 0; count < 2; count += 1) made.push(await pipes.take(owner));
    const process = await spawned(plan, made.map(({ write }) => write));
    const [stdout, stderr] = made.splice(0).map((pipe) => pipe.started());
    return { process, pid: process.pid!, stdout: stdout!, stderr: stderr! };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    for (const pipe of made) pipe.close();
  }
}

async function spawned({ argv, cwd, env, user, stdin }: ProcessPlan, output: readonly number[]): Promise<ChildProcess> {
  const child = spawn(argv[0]!, argv.slice(1), {
    cwd,
    env: { ...env },
    detached: true,
    stdio: [stdin ?? 'ignore', ...output],
    ...user,
  });
  await once(child, 'spawn');
  return child;
}

/** Applies the two abort signals to a process group. */
class Stopping {
  readonly #group: number;
  readonly #graceMs: () => number;
  readonly #over = new AbortController();
  readonly #listening = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  asked = false;

  constructor(group: number, { stop, graceMs, kill }: ProcessSignals) {
    this.#group = group;
    this.#graceMs = graceMs;
    onAbort(stop, this.#listening.signal, () => this.#stop());
    onAbort(kill, this.#listening.signal, () => this.#kill());
  }

  /** Aborts when the grace is over. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  done(): void {
    this.#listening.abort();
    clearTimeout(this.#timer);
  }

  #stop(): void {
    if (this.#over.signal.aborted) return;
    this.asked = true;
    signal(-this.#group, 'SIGTERM');
    this.#timer = setTimeout(() => this.#kill(), Math.min(MAX_TIMER_MS, Math.max(0, this.#graceMs())));
  }

  #kill(): void {
    signal(-this.#group, 'SIGKILL');
    this.#over.abort();
  }
}

/** Calls back when the signal aborts, or at once if it already has, unless `until` aborts before. */
function onAbort(signal: AbortSignal, until: AbortSignal, act: () => void): void {
  if (signal.aborted) act();
  else signal.addEventListener('abort', act, { once: true, signal: until });
}

/**
 * Writes a pipe to its end, at the speed of the log. It ends when the last process that holds the pipe has ended; a
 * process that was not found must not keep the run alive, so after `finished` a pause in the output ends it too.
 */
async function pump(pipe: Readable, writer: OutputWriter, finished: AbortSignal): Promise<void> {
  const live = new LiveWriter(writer);
  let timer: NodeJS.Timeout | undefined;
  let waiting = true;
  const limit = (): void => {
    if (finished.aborted && waiting) timer = setTimeout(() => pipe.destroy(), PIPE_IDLE_MS);
  };
  finished.addEventListener('abort', limit, { once: true });
  try {
    for await (const chunk of pipe as AsyncIterable<Buffer>) {
      clearTimeout(timer);
      waiting = false;
      await live.write(chunk);
      waiting = true;
      limit();
    }
  } catch {
    // Destroyed above; the output before that is written.
  }
  clearTimeout(timer);
  await live.end();
}

async function forceEnd(argv: readonly string[], env: Readonly<Record<string, string>>): Promise<void> {
  try {
    const child = spawn(argv[0]!, argv.slice(1), {
      env: { ...env },
      stdio: 'ignore',
      timeout: 15_000,
      killSignal: 'SIGKILL',
    });
    await once(child, 'exit');
  } catch {
    // It is already gone, or the program that would end it is missing.
  }
}
