import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, fchownSync, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

/** Pipes that are made at once. */
const BATCH = 16;

/** File descriptors of the two ends of a pipe. Neither is inherited by a process that is not given it. */
interface Ends {
  readonly read: number;
  readonly write: number;
}

/**
 * Makes pipes for the output of processes. Node's own are sockets, which cannot be opened by a path: `> /dev/stderr`
 * and `tee /dev/stderr` would fail with ENXIO. Node cannot make pipes, so they begin as named ones in a private folder,
 * which is removed before they are used: no path leads to them then. One `mkfifo` serves several processes.
 */
export class PipePool {
  readonly #spare: Ends[] = [];
  #filling: Promise<void> | undefined;

  /** `owner`: the user that may open it again by `/dev/stdout`; default: the user of this process. */
  async take(owner?: { readonly uid: number; readonly gid: number }): Promise<OutputPipe> {
    while (this.#spare.length === 0) await (this.#filling ??= this.#fill().finally(() => (this.#filling = undefined)));
    const ends = this.#spare.pop()!;
    if (owner !== undefined) fchownSync(ends.write, owner.uid, owner.gid);
    return new OutputPipe(ends);
  }

  async #fill(): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), 'quire-pipes-'));
    try {
      const names = Array.from({ length: BATCH }, (_, index) => join(folder, String(index)));
      const maker = spawn('mkfifo', ['-m', '600', '--', ...names], { cwd: '/', stdio: 'ignore' });
      const [code] = await once(maker, 'exit') as [number | null];
      if (code !== 0) throw new Error(`no pipes can be made in ${tmpdir()}: mkfifo ended with ${code}`);
      for (const name of names) this.#spare.push(open(name));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

/** The reading end is opened first and does not wait; the writing end blocks its process, as a pipe of a shell does. */
function open(name: string): Ends {
  const read = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return { read, write: openSync(name, constants.O_WRONLY) };
  } catch (error) {
    closeSync(read);
    throw error;
  }
}

/** A pipe whose writing end goes to a process. `started` or `close` must be called. */
export class OutputPipe {
  readonly #ends: Ends;

  constructor(ends: Ends) {
    this.#ends = ends;
  }

  /** For the process that writes. */
  get write(): number {
    return this.#ends.write;
  }

  /** The process has its end. The stream ends when all processes have closed theirs. */
  started(): Readable {
    closeSync(this.#ends.write);
    return new Socket({ fd: this.#ends.read, readable: true, writable: false });
  }

  /** There is no process. */
  close(): void {
    closeSync(this.#ends.write);
    closeSync(this.#ends.read);
  }
}
