import { ServiceError } from '../../errors/index.ts';
import { Buffers, InvertedKernel } from '../../kernels/inverted.ts';
import type { KernelBuild } from '../../kernels/load.ts';
import { tokenTables } from '../../text/token-tables.ts';
import { Answers, readEach } from '../parts/index.ts';
import { Analyzers } from './analyzers.ts';
import { Dictionary } from './dictionary.ts';
import { tokenBytes } from './document-text.ts';
import type { FormWatcher } from './form-watchers.ts';
import { type IndexPart, isElsewhere } from './index-part.ts';

type Forms = Pick<IndexPart, 'follow' | 'formEnd' | 'hasForm' | 'textOf' | 'watch'>;

/** Number of forms that one step reads. */
const FORMS_AT_ONCE = 2000;
const FIRST_CAPACITY = 16;
/** Words that are not known after so many steps are answers of other processes that do not belong together. */
const MOST_STEPS = 10_000;

/**
 * The forms of several indexes, each with a number of its own: whatever depends on all words of a collection, such as
 * groups, compounds and limits of lookups, is decided by them. They are in a kernel without documents, which has the
 * orders and groupings of any index. They are read once, in steps, and then follow the indexes: those of this process
 * at once, the others at each request.
 */
export class Vocabulary {
  readonly dictionary: Dictionary;
  readonly analyzers: Analyzers;
  readonly #kernel: InvertedKernel;
  readonly #members: readonly Member[];
  readonly #elsewhere: readonly Forms[];
  /** The last request for which the forms of indexes elsewhere are those that they had when it began. */
  #followedFor: WeakRef<Answers> | undefined;
  /** How many indexes have each form, by its number. */
  #holders = new Uint8Array(FIRST_CAPACITY);
  /** The index whose forms are read next, from this number on. */
  #reading = 0;
  #next = 1;
  #revision = 0;
  #failure: unknown;

  constructor(indexes: readonly Forms[], build?: KernelBuild) {
    this.#kernel = new InvertedKernel(build);
    this.#kernel.placeTables(tokenTables());
    this.dictionary = new Dictionary(this.#kernel);
    this.analyzers = new Analyzers(this.#kernel, this.dictionary);
    this.#members = indexes.map((index) => new Member(this, index));
    for (const member of this.#members) member.index.watch(member);
    this.#elsewhere = indexes.filter(isElsewhere);
  }

  /**
   * Reads some forms; returns whether all are read. Everything else needs all of them. Throws `Unanswered` before
   * indexes elsewhere have answered this request.
   */
  prepare(forms = FORMS_AT_ONCE): boolean {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#elsewhere.length > 0 && !this.#follow()) return false;
    for (let left = forms; this.#reading < this.#members.length; this.#reading++, this.#next = 1) {
      const member = this.#members[this.#reading]!;
      for (const end = member.index.formEnd; this.#next < end; this.#next++) {
        if (left-- === 0) return false;
        if (member.index.hasForm(this.#next)) member.joined(this.#next, member.index.textOf(this.#next));
      }
    }
    return true;
  }

  /** Reads the forms that are not read yet, at once: some microseconds each. */
  complete(): this {
    for (let steps = 0; !this.prepare(Number.POSITIVE_INFINITY); steps++)
      if (steps > MOST_STEPS)
        throw new ServiceError('unavailable', 'the words of other nodes could not be read; try again');
    return this;
  }

  /** Learns of the forms elsewhere, or reads some; returns whether all are known. */
  #follow(): boolean {
    const request = Answers.current;
    if (request !== undefined && this.#followedFor?.deref() === request) return true;
    if (!readEach(this.#elsewhere, (index) => index.follow!()).every(Boolean)) return false;
    this.#followedFor = request && new WeakRef(request);
    return true;
  }

  /** Increases at each change. */
  get revision(): number {
    return this.#revision;
  }

  get formEnd(): number {
    return this.#kernel.formEnd();
  }

  get size(): number {
    return this.#kernel.counts().forms;
  }

  get bytes(): number {
    return this.#kernel.memory.buffer.byteLength + this.#members.reduce((sum, { own }) => sum + own.byteLength, 0);
  }

  has(form: number): boolean {
    return Number.isInteger(form) && form > 0 && form < this.formEnd && this.#kernel.call.formExists(form) !== 0;
  }

  /** Returns the number of a form, or throws a RangeError. */
  checked(form: number): number {
    if (!this.has(form)) throw new RangeError(`the collection has no form ${form}`);
    return form;
  }

  /** The number of a form in one of the indexes; 0 if that does not have it. */
  inPart(part: number, form: number): number {
    return this.#members[part]!.own[form] ?? 0;
  }

  /** Counts one more index that has a form; returns the form's number. */
  enter(text: string): number {
    const form = this.dictionary.find(text) ?? this.#add(text);
    if (form >= this.#holders.length) this.#holders = grown(this.#holders, form);
    this.#holders[form]!++;
    this.#revision++;
    return form;
  }

  /** Counts one index less, and forgets a form that none has. */
  leave(form: number, text: string): void {
    this.#revision++;
    if (--this.#holders[form]! > 0) return;
    this.analyzers.leave(form, text);
    this.#kernel.call.retireForm(form);
  }

  /** The vocabulary is of no use any more: every later call throws the error. */
  fail(error: unknown): void {
    this.#failure ??= error;
  }

  /** Adds a form as a token of a document that is never completed. */
  #add(text: string): number {
    const { call } = this.#kernel;
    const bytes = tokenBytes([{ form: text, position: 0 }], 0);
    call.beginDocument();
    const at = this.#kernel.write(Buffers.input, bytes);
    call.addTokens(at, at + bytes.length);
    const [form] = this.#kernel.numbers(call.newForms(), 1);
    call.forgetNewForms();
    this.analyzers.join(form!, text);
    this.dictionary.setKey(form!, text);
    call.addToOrders(form!);
    return form!;
  }
}

/** One of the indexes: its forms by their numbers in the vocabulary. */
class Member implements FormWatcher {
  readonly index: Forms;
  readonly #vocabulary: Vocabulary;
  #own = new Uint32Array(FIRST_CAPACITY);

  constructor(vocabulary: Vocabulary, index: Forms) {
    this.#vocabulary = vocabulary;
    this.index = index;
  }

  get own(): Uint32Array {
    return this.#own;
  }

  /** A form that is known already, because its index was read meanwhile, is no error. */
  joined(form: number, text: string): void {
    try {
      const known = this.#vocabulary.dictionary.find(text);
      if (known !== undefined && (this.#own[known] ?? 0) !== 0) return;
      const number = this.#vocabulary.enter(text);
      if (number >= this.#own.length) this.#own = grown(this.#own, number);
      this.#own[number] = form;
    } catch (error) {
      this.#vocabulary.fail(error);
    }
  }

  left(form: number, text: string): void {
    try {
      const number = this.#vocabulary.dictionary.find(text);
      if (number === undefined || this.#own[number] !== form) return;
      this.#own[number] = 0;
      this.#vocabulary.leave(number, text);
    } catch (error) {
      this.#vocabulary.fail(error);
    }
  }
}

/** A longer copy of an array, which has a place for a number. */
function grown<T extends Uint8Array<ArrayBuffer> | Uint32Array<ArrayBuffer>>(array: T, number: number): T {
  const longer = new (array.constructor as new(length: number) => T)(Math.max(array.length * 2, number + 1));
  longer.set(array);
  return longer;
}
