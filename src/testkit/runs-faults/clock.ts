import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The wall clock of a program: right until the test sets it. Elapsed time is not affected. */
export class ProgramClock {
  readonly #folder = mkdtempSync(join(tmpdir(), 'quire-clock-'));
  readonly #file = join(this.#folder, 'milliseconds');

  constructor() {
    this.set(0);
  }

  /** Options with which the program must be started. */
  get env(): Record<string, string> {
    return {
      NODE_OPTIONS: `--import=${new URL('./shifted-clock.js', import.meta.url).href}`,
      QUIRE_TEST_CLOCK_FILE: this.#file,
    };
  }

  /** Sets it the given number of milliseconds ahead of the right time. */
  set(milliseconds: number): void {
    writeFileSync(this.#file, String(milliseconds));
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true });
  }
}
