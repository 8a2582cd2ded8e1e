import type { FormNews, FormPiece, FormState } from './form-log.ts';
import { type FormWatcher, FormWatchers } from './form-watchers.ts';

/** Reads the forms of an index in another process, from a number on, as `formPiece` does. */
type ReadPiece = (since: FormState, from: number) => FormPiece;

const UNKNOWN: FormState = { instance: '', position: 0 };

/**
 * The forms of an index in another process, by numbers of their own. They are read in pieces, and then follow by what
 * each request learns (`FormNews`). Several requests may do that at the same time: what one has learned already, or
 * what does not continue the present state, is skipped.
 */
export class FollowedForms {
  /** By number, which begins at 1. */
  readonly #texts: (string | undefined)[] = [undefined];
  readonly #numbers = new Map<string, number>();
  readonly #free: number[] = [];
  readonly #watchers = new FormWatchers();
  #state = UNKNOWN;
  /** From where the forms of the index are read on; undefined while all are known. */
  #next: number | undefined;
  /** Those from another instance, which are not found again yet. */
  #doubtful = new Set<number>();
  /** Before, nobody is told of forms. */
  #wasComplete = false;
  #instances = 0;

  get state(): FormState {
    return this.#state;
  }

  /** How many instances of the index were read so far. */
  get instances(): number {
    return this.#instances;
  }

  get end(): number {
    return this.#texts.length;
  }

  has(form: number): boolean {
    return this.#texts[form] !== undefined;
  }

  /** Throws a RangeError for a form that there is not. */
  text(form: number): string {
    const text = this.#texts[form];
    if (text === undefined) throw new RangeError(`the part has no form ${form}`);
    return text;
  }

  watch(watcher: FormWatcher): void {
    this.#watchers.add(watcher);
  }

  /** Takes what a request has learned, and reads a piece if forms are missing; returns whether all are known. */
  follow(news: FormNews, read: ReadPiece): boolean {
    this.#take(news);
    if (this.#next === undefined) return true;
    const piece = read(this.#state, this.#next);
    const isNext = isSame(piece.since, this.#state) && piece.from === this.#next;
    this.#take(piece);
    if (isNext && piece.texts !== undefined) this.#takePiece(piece.texts, piece.next);
    return this.#next === undefined;
  }

  #take({ since, instance, position, changes }: FormNews): void {
    const isPresent = isSame(since, this.#state);
    if (changes === undefined) {
      if (isPresent) this.#begin({ instance, position });
      return;
    }
    if (instance !== this.#state.instance || position <= this.#state.position) return;
    for (const change of changes.slice(this.#state.position - since.position)) {
      const text = change.slice(1);
      if (change.startsWith('+')) this.#join(text);
      else this.#leave(text);
    }
    this.#state = { instance, position };
  }

  /** Forms that the index has as well keep their numbers. */
  #begin(state: FormState): void {
    if (state.instance !== this.#state.instance) this.#instances += 1;
    this.#state = state;
    this.#next = 1;
    this.#doubtful = new Set(this.#numbers.values());
  }

  #takePiece(texts: Uint8Array, next: number | undefined): void {
    if (texts.length > 0) { for (const text of Buffer.from(texts).toString().split('\n')) this.#join(text); }
    this.#next = next;
    if (next !== undefined) return;
    for (const form of this.#doubtful) this.#leave(this.#texts[form]!);
    this.#wasComplete = true;
  }

  #join(text: string): void {
    const known = this.#numbers.get(text);
    if (known !== undefined) {
      this.#doubtful.delete(known);
      return;
    }
    const form = this.#free.pop() ?? this.#texts.length;
    this.#texts[form] = text;
    this.#numbers.set(text, form);
    if (this.#wasComplete) this.#watchers.joined(form, text);
  }

  #leave(text: string): void {
    const form = this.#numbers.get(text);
    if (form === undefined) return;
    this.#numbers.delete(text);
    this.#texts[form] = undefined;
    this.#doubtful.delete(form);
    this.#free.push(form);
    if (this.#wasComplete) this.#watchers.left(form, text);
  }
}

function isSame(a: FormState, b: FormState): boolean {
  return a.instance === b.instance && a.position === b.position;
}
