import { type Clock, isRecent, unixSeconds } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import type { Sql } from '../../../storage/index.ts';
import { writeUses } from '../rows/api-key-rows.ts';

/** Seconds between two writes: a busy key must not turn every read into a write. */
const PAUSE = 60;

export interface KeyUsesOptions {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly log: Log;
  /** False if this process must not write. */
  readonly keep: boolean;
  /** Passes uses on to the process that writes, if this one does not. */
  readonly relay?: ((hash: string) => void) | undefined;
}

/** When each API key was last used: available at once, written from time to time and at the end. */
export class KeyUses {
  readonly #sql: Sql;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #keep: boolean;
  readonly #relay: KeyUsesOptions['relay'];
  /** Uses that are not written yet, by hash, in Unix seconds. */
  readonly #noted = new Map<string, number>();
  #writtenAt = 0;
  #writing: Promise<void> | undefined;

  constructor({ sql, clock, log, keep, relay }: KeyUsesOptions) {
    this.#sql = sql;
    this.#clock = clock;
    this.#log = log;
    this.#keep = keep;
    this.#relay = relay;
  }

  note(hash: string): void {
    if (this.#relay !== undefined) return this.#relay(hash);
    const now = unixSeconds(this.#clock);
    this.#noted.set(hash, now);
    if (!isRecent(this.#writtenAt, now, PAUSE)) void this.flush();
  }

  /** The later of the stored and the recorded time. */
  lastOf(hash: string, stored: number): number {
    return Math.max(stored, this.#noted.get(hash) ?? 0);
  }

  /** Writes the recorded uses; those that fail to be written stay recorded. Never rejects. */
  flush(): Promise<void> {
    return (this.#writing ??= this.#write().finally(() => (this.#writing = undefined)));
  }

  async #write(): Promise<void> {
    this.#writtenAt = unixSeconds(this.#clock);
    const uses = [...this.#noted];
    if (!this.#keep || uses.length === 0) return;
    try {
      await this.#sql.transaction((tx) => writeUses(tx, uses));
      for (const [hash, at] of uses) if (this.#noted.get(hash) === at) this.#noted.delete(hash);
    } catch (error) {
      this.#log.warn({ err: error }, 'the times at which API keys were used could not be written');
    }
  }
}
