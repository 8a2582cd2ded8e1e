import { randomUUID } from 'node:crypto';
import type { FormWatcher } from './form-watchers.ts';
import type { InvertedIndex } from './inverted-index.ts';

/** A state of the forms of an index: how many forms of this instance had joined and left. */
export interface FormState {
  /** Another instance of the same part has its forms by another history, and in other numbers. */
  readonly instance: string;
  readonly position: number;
}

/** What has happened to the forms of an index since a state. */
export interface FormNews extends FormState {
  readonly since: FormState;
  /** Forms that joined (`+cats`) and left (`-cats`), in order; undefined if it is not known any more. */
  readonly changes: readonly string[] | undefined;
}

/** Some of all forms of an index, and what has happened to the others meanwhile. */
export interface FormPiece extends FormNews {
  /** The number from which on they were read. */
  readonly from: number;
  /** Their texts in UTF-8, each on a line; undefined if `changes` are. */
  readonly texts: Uint8Array | undefined;
  /** Where to continue; undefined if these were the last. */
  readonly next: number | undefined;
}

/** Of at least so many changes it is known what they were: some MB. */
const LOGGED = 50_000;
/** Number of forms in a piece, which are read in some milliseconds. */
const FORMS_AT_ONCE = 10_000;

/** The last changes of the forms of an index, for those who know its forms in another process. */
class FormLog implements FormWatcher {
  readonly #instance = randomUUID();
  #changes: string[] = [];
  #dropped = 0;

  joined(_: number, text: string): void {
    this.#add(`+${text}`);
  }

  left(_: number, text: string): void {
    this.#add(`-${text}`);
  }

  newsSince(since: FormState): FormNews {
    const isKnown = since.instance === this.#instance && since.position >= this.#dropped;
    return {
      since,
      instance: this.#instance,
      position: this.#dropped + this.#changes.length,
      changes: isKnown ? this.#changes.slice(since.position - this.#dropped) : undefined,
    };
  }

  #add(change: string): void {
    if (this.#changes.push(change) < 2 * LOGGED) return;
    this.#changes = this.#changes.slice(LOGGED);
    this.#dropped += LOGGED;
  }
}

/** Begun when somebody in another process asks for the first time. */
const logs = new WeakMap<InvertedIndex, FormLog>();

export function formNews(index: InvertedIndex, since: FormState): FormNews {
  let log = logs.get(index);
  if (log === undefined) {
    logs.set(index, log = new FormLog());
    index.watch(log);
  }
  return log.newsSince(since);
}

/** The forms from a number on, for who knows the smaller ones as they were in a state. */
export function formPiece(index: InvertedIndex, since: FormState, from: number): FormPiece {
  const news = formNews(index, since);
  if (news.changes === undefined) return { ...news, from, texts: undefined, next: undefined };
  const texts: string[] = [];
  const end = index.formEnd;
  let form = from;
  for (; form < end && texts.length < FORMS_AT_ONCE; form++) if (index.hasForm(form)) texts.push(index.textOf(form));
  return { ...news, from, texts: Buffer.from(texts.join('\n')), next: form < end ? form : undefined };
}
