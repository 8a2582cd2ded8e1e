import type { Backoff, Timer } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { Loop } from '../../lib/loop.ts';
import { resealSecrets } from '../../storage/index.ts';
import { endSwitch, type PendingSwitch, readSwitches } from '../collections/index.ts';
import { readCollection } from '../stored-collections.ts';
import { type Aim, type ResealDeps, resealRows, storedBatches } from './reseal.ts';

interface SwitchesDeps extends ResealDeps {
  readonly log: Log;
  readonly timer: Timer;
  /** Removes what other tables quote of the values that were encrypted. */
  readonly withhold: (collection: string, signal: AbortSignal) => Promise<void>;
}

const BACKOFF: Backoff = { initial: 1000, max: 300_000 };

const AIMS: Readonly<Record<'seal' | 'open', Aim>> = {
  seal: { seals: true, concerns: (keyId) => keyId === undefined },
  open: { seals: false, concerns: (keyId) => keyId !== undefined },
};

/**
 * Converts the stored values of a collection whose encryption was switched: its earlier documents, revisions and
 * vectors are encrypted or decrypted in the background, between other writes. After encrypting, the database file is
 * rewritten, because free pages and the log may still contain unencrypted values. Credentials that are in plaintext or
 * under another key are encrypted first; the pending switch of the collection '' rewrites the file after that.
 * Unfinished work is stored, so that a crash only interrupts it.
 */
export class Switches {
  readonly #deps: SwitchesDeps;
  readonly #loop: Loop;
  #isStopped = false;
  /** Whether the credentials of this database are encrypted. */
  #hasSealed = false;

  constructor(deps: SwitchesDeps) {
    this.#deps = deps;
    const { timer, log } = deps;
    this.#loop = new Loop({
      name: 'switches of encryption',
      everyMs: Infinity,
      backoff: BACKOFF,
      timer,
      log,
      failure: 'the encryption of a collection could not be brought in line; trying again',
    }, (signal) => this.#convertStored(signal));
  }

  /** Encrypts the credentials of a database that was opened, and does all stored work. */
  begin(): void {
    this.#hasSealed = false;
    this.start();
  }

  /** Does all stored work, including work that is added meanwhile. */
  start(): void {
    if (this.#isStopped) return;
    this.#loop.wake();
    this.#loop.start();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#loop.stop();
  }

  /** Resolves when all work is done. */
  settled(): Promise<void> {
    return this.#loop.settled();
  }

  async #convertStored(signal: AbortSignal): Promise<void> {
    if (!this.#hasSealed) await resealSecrets(this.#deps.sql, this.#deps.keys, signal);
    this.#hasSealed = true;
    await this.#finish(await readSwitches(this.#deps.sql), signal);
  }

  /** Encrypts all collections first, so that the file is rewritten once. */
  async #finish(switches: readonly PendingSwitch[], signal: AbortSignal): Promise<void> {
    const { sql, log } = this.#deps;
    const toScrub: PendingSwitch[] = [];
    for (const pending of switches) {
      const { collection, step } = pending;
      const after = step === 'scrub' ? pending : await this.#convert(pending, signal);
      if (after !== undefined) toScrub.push(after);
      log.info({ collection }, collection === ''
        ? 'credentials that were stored in the clear are encrypted'
        : step === 'open'
        ? 'what the collection held encrypted is in the clear'
        : 'what the collection held is encrypted');
    }
    if (toScrub.length === 0) return;
    await sql.scrub();
    await sql.transaction(async (tx) => {
      for (const pending of toScrub) await endSwitch(tx, pending);
    });
  }

  /** Returns the `scrub` step if any value was encrypted, now or before a crash. */
  async #convert(pending: PendingSwitch, signal: AbortSignal): Promise<PendingSwitch | undefined> {
    const { sql } = this.#deps;
    const { collection, step } = pending;
    const found = await readCollection(sql, collection);
    const last = found === undefined ? step : await this.#convertAll(found.id, pending, signal);
    const next = last === 'reseal' ? 'scrub' : undefined;
    if (next === 'scrub') await this.#deps.withhold(collection, signal);
    await sql.transaction((tx) => endSwitch(tx, { collection, step: last }, next));
    return next && { collection, step: next };
  }

  /** Returns the step that is stored at the end. */
  async #convertAll(cid: number, { collection, step }: PendingSwitch,
    signal: AbortSignal): Promise<PendingSwitch['step']>
  {
    const { sql, log } = this.#deps;
    const aim = AIMS[step === 'open' ? 'open' : 'seal'];
    let present = step;
    let unreadable = 0;
    for await (const { concerned, isAgain } of storedBatches(sql, cid, aim)) {
      signal.throwIfAborted();
      if (concerned.length === 0) continue;
      const { errors } = await resealRows(this.#deps, concerned, aim, async (tx) => {
        if (present === 'seal') await endSwitch(tx, { collection, step: 'seal' }, 'reseal');
      });
      if (present === 'seal') present = 'reseal';
      if (!isAgain) unreadable += errors.length;
    }
    // A retry would not help; the encryption status counts these values.
    if (unreadable > 0)
      log.error({ collection, unreadable, step }, 'values of the collection cannot be read and stay as they are');
    return present;
  }
}
