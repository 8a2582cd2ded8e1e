import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildWithCargo, type Built } from './cargo.ts';
import { type Prepared, sendsPerSecond } from './wire.ts';

const SOURCES = join(import.meta.dirname, '..', 'load-client');

/** `send` warms up for a fifth of the time. */
const WARM_UP = 0.2;

/** What came of a load. */
export interface Answered {
  readonly perSecond: number;
  /** All responses, those of the warm-up included. */
  readonly all: number;
  /** Processor time of the program that sent the requests, in seconds. */
  readonly busySeconds: number;
}

let built: Built | undefined;

/**
 * Why loads are sent by this process instead of a program that uses a third of its processor time; undefined if they
 * are not.
 */
export function lightLoadMissing(): string | undefined {
  built ??= buildWithCargo(SOURCES, 'quire-bench-load-client');
  return 'reason' in built ? built.reason : undefined;
}

/** Requests that are sent in turn, over each connection one at a time. */
export class LightLoad {
  readonly #requests: readonly Prepared[];
  readonly #file: string;
  #written: Promise<void> | undefined;

  /** `file`: where the requests are written for the program. */
  constructor(requests: readonly Prepared[], file: string) {
    this.#requests = requests;
    this.#file = file;
  }

  /** Sends for some seconds, after a warm-up of a fifth of that time. Fails if any response is not 200. */
  async send(url: string, connections: number, seconds: number): Promise<Answered> {
    return lightLoadMissing() === undefined
      ? this.#sendByProgram(url, connections, seconds)
      : this.#sendHere(url, connections, seconds);
  }

  async #sendByProgram(url: string, connections: number, seconds: number): Promise<Answered> {
    const { program } = built as { program: string };
    await (this.#written ??= writeFile(this.#file,
      Buffer.concat(this.#requests.flatMap((request) => [lengthOf(request), request]))));
    const { stdout } = await promisify(execFile)(program, [new URL(url).host, this.#file, String(connections),
      String(WARM_UP * seconds), String(seconds)]);
    const { answered, seconds: took, ...rest } = JSON.parse(stdout) as Omit<Answered, 'perSecond'> & { answered: number;
      seconds: number };
    return { perSecond: answered / took, ...rest };
  }

  async #sendHere(url: string, connections: number, seconds: number): Promise<Answered> {
    const before = process.cpuUsage();
    const perSecond = await sendsPerSecond(url, this.#requests, connections, seconds);
    const { user, system } = process.cpuUsage(before);
    return { perSecond, all: perSecond * seconds * (1 + WARM_UP), busySeconds: (user + system) / 1e6 };
  }
}

function lengthOf({ length }: Prepared): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(length);
  return bytes;
}
