import type { Relay, RelayedNote } from '../../docs/index.ts';
import { ServiceError } from '../../errors/index.ts';
import type { SlowBody, SlowBodyReports } from '../../lib/slow-bodies.ts';
import type { QuotaHeaders, RateLimit, Sender } from '../../operations/index.ts';
import type { ToPrimary, ToWorker } from './messages.ts';

/** Milliseconds for which notes wait for others to share a message. */
const BATCH_MS = 20;

/** Collects what the primary must record: with authentication, each request makes one or two notes. */
export class NoteBatch implements Relay {
  readonly #send: (notes: readonly RelayedNote[]) => void;
  #notes: RelayedNote[] = [];
  #used = new Set<string>();

  constructor(send: (notes: readonly RelayedNote[]) => void) {
    this.#send = send;
  }

  add(note: RelayedNote): void {
    if (note.kind === 'key-use') {
      if (this.#used.has(note.hash)) return;
      this.#used.add(note.hash);
    }
    if (this.#notes.length === 0) setTimeout(() => this.flush(), BATCH_MS).unref();
    this.#notes.push(note);
  }

  flush(): void {
    const notes = this.#notes;
    [this.#notes, this.#used] = [[], new Set()];
    if (notes.length > 0) this.#send(notes);
  }
}

/** The rate limit as seen by a worker: the primary counts, so that one limit applies to all processes. */
export class PrimaryLimit implements RateLimit {
  readonly #ask: (id: number, sender: Sender) => void;
  readonly #asked = new Map<number, PromiseWithResolvers<QuotaHeaders>>();
  #lastId = 0;

  constructor(ask: (id: number, sender: Sender) => void) {
    this.#ask = ask;
  }

  admit(sender: Sender): Promise<QuotaHeaders> {
    const id = ++this.#lastId;
    const asked = Promise.withResolvers<QuotaHeaders>();
    this.#asked.set(id, asked);
    this.#ask(id, sender);
    return asked.promise;
  }

  settle({ id, headers, refused }: Extract<ToWorker, { type: 'admitted' }>): void {
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    if (refused === undefined) asked?.resolve(headers);
    else asked?.reject(new ServiceError('rate_limited', refused, { headers }));
  }
}

/** The slow bodies as reported by a worker: the primary counts, so that one bound applies to all processes. */
export class PrimarySlowBodies implements SlowBodyReports {
  readonly #say: (message: ToPrimary) => void;
  #bodies: readonly SlowBody[] = [];
  #number = 0;

  constructor(say: (message: ToPrimary) => void) {
    this.#say = say;
  }

  /** A worker has one listener, so there is one source. */
  report(_source: object, bodies: readonly SlowBody[]): void {
    if (bodies.length === 0 && this.#bodies.length === 0) return;
    this.#bodies = bodies;
    this.#say({ type: 'slow', report: ++this.#number, bodies: bodies.map(({ client, rate }) => ({ client, rate })) });
  }

  /** Ends a body of the last report; one of an earlier report is reported, and ended, again. */
  end({ report, index }: Extract<ToWorker, { type: 'end-slow' }>): void {
    if (report === this.#number) this.#bodies[index]?.end();
  }
}
