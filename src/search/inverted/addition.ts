import type { InvertedKernel } from '../../kernels/inverted.ts';
import type { Analyzers } from './analyzers.ts';
import type { Dictionary } from './dictionary.ts';
import { addFields, type FieldText } from './document-text.ts';
import type { FieldNumbers } from './fields.ts';

/** Units of text that become tokens, and tokens that become postings, in a step of adding a document: a millisecond or so. */
export const ADDITION_STEP = 32_768;
/** How many tokens take as long as one new form, which the host groups and puts in order. */
const TOKENS_PER_FORM = 128;

/** What adding a document needs of an index. */
export interface Additions {
  readonly kernel: InvertedKernel;
  readonly analyzers: Analyzers;
  readonly dictionary: Dictionary;
  readonly fields: FieldNumbers;
  /** Units of text, and tokens, of a step. */
  readonly amount: number;
}

/** A document that is to be added. */
export interface NewDocument {
  readonly ord: number;
  readonly documentClass: number;
  readonly texts: readonly FieldText[];
}

/**
 * Adds a document in steps, or replaces the one of that ordinal: tokens first, then new forms, then postings, which count
 * when all are there. Only searches may come in between.
 */
export function* addDocument(parts: Additions, { ord, documentClass, texts }: NewDocument): Generator<undefined, void> {
  const { kernel, fields, amount } = parts;
  kernel.call.beginDocument();
  const tokens = addFields(kernel, texts, (field) => fields.use(field), amount);
  while (tokens.next().done !== true) {
    yield* settleForms(parts);
    yield;
  }
  yield* settleForms(parts);
  kernel.call.beginCommit(ord, documentClass);
  while (kernel.call.continueCommit(amount) !== 0) yield;
  kernel.call.finishCommit();
}

/** Groups and orders the forms that the document at hand brought. */
function* settleForms({ kernel, analyzers, dictionary, amount }: Additions): Generator<undefined, void> {
  const count = kernel.call.newFormCount();
  if (count === 0) return;
  const forms = kernel.numbers(kernel.call.newForms(), count);
  const atOnce = Math.ceil(amount / TOKENS_PER_FORM);
  for (let i = 0; i < count; i++) {
    if (i > 0 && i % atOnce === 0) yield;
    const form = forms[i]!;
    const text = dictionary.text(form);
    analyzers.join(form, text);
    dictionary.setKey(form, text);
    kernel.call.addToOrders(form);
  }
  kernel.call.forgetNewForms();
}
