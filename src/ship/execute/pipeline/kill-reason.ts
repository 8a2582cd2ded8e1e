import { readFileSync } from 'node:fs';
import { constants } from 'node:os';

/** A shell returns this plus the number of the signal that ended a command. */
const BY_SIGNAL = 128;

/** Where the kernel counts the processes that it ended for lack of memory. */
interface Counters {
  /** Of the machine: proc_vmstat(5). */
  readonly machine: string;
  /** Of the control group of this process and those below it: `memory.events`, cgroups(7). */
  readonly group: string;
}

/** Compares the counters before and after a step. */
export class MemoryWatch {
  readonly #counters: Counters;
  readonly #machine: number | undefined;
  readonly #group: number | undefined;

  /** Starts now. */
  constructor(counters: Counters = { machine: '/proc/vmstat', group: ownGroup() }) {
    this.#counters = counters;
    this.#machine = killsIn(counters.machine);
    this.#group = killsIn(counters.group);
  }

  /** What the kernel says of memory since the start, as the end of a sentence; empty where it cannot be read. */
  report(): string {
    if (hasGrown(this.#group, killsIn(this.#counters.group)))
      return ', because memory ran out: the control group of the ship has reached its limit';
    if (hasGrown(this.#machine, killsIn(this.#counters.machine)))
      return ', probably because memory ran out: meanwhile the kernel ended a process of this machine for that reason';
    return this.#machine === undefined ? '' : '; the kernel has ended no process for lack of memory meanwhile';
  }
}

/**
 * What an exit code or a signal says, as the end of a sentence; empty if nothing is known. SIGKILL is what the kernel
 * sends when memory runs out.
 */
export function endedBy(exitCode: number | null, signal: string | null, memory: MemoryWatch): string {
  if (exitCode === null) return signal === 'SIGKILL' ? memory.report() : '';
  const name = Object.entries(constants.signals).find(([, number]) => number === exitCode - BY_SIGNAL)?.[0];
  if (name === undefined) return '';
  return `: ${name} ended a process of it${name === 'SIGKILL' ? memory.report() : ''}`;
}

const hasGrown = (before: number | undefined, after: number | undefined): boolean =>
  before !== undefined && after !== undefined && after > before;

function killsIn(file: string): number | undefined {
  const count = /^oom_kill (\d+)$/m.exec(contentOf(file))?.[1];
  return count === undefined ? undefined : Number(count);
}

function ownGroup(): string {
  const path = /^0::(.*)$/m.exec(contentOf('/proc/self/cgroup'))?.[1] ?? '';
  return `/sys/fs/cgroup${path === '/' ? '' : path}/memory.events`;
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
