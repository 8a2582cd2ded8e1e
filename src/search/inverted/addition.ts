import { Buffers, type InvertedKernel } from '../../kernels/inverted.ts';
import type { Analyzers } from './analyzers.ts';
import type { Dictionary } from './dictionary.ts';
import { addFields, type FieldText } from './document-text.ts';
import type { FieldNumbers } from './fields.ts';
import type { FormWatchers } from './form-watchers.ts';
import type { Segment } from './segment.ts';

/**
 * Units of text that are tokenised, or tokens that become postings, in one step of adding a document: about 1 ms of
 * work.
 */
export const ADDITION_STEP = 32_768;
/** A new form takes as long as this number of tokens, because the host groups and orders it. */
const TOKENS_PER_FORM = 128;

/** The parts of an index that adding a document needs. */
export interface Additions {
  readonly kernel: InvertedKernel;
  readonly analyzers: Analyzers;
  readonly dictionary: Dictionary;
  readonly fields: FieldNumbers;
  readonly watchers: FormWatchers;
  /** Units of text, or tokens, per step. */
  readonly amount: number;
}

/** A document to be added. */
interface NewDocument {
  readonly ord: number;
  readonly documentClass: number;
  readonly texts: readonly FieldText[];
}

/**
 * Adds a document, or replaces the one with that ordinal, in steps: first tokens, then new forms, then postings, which
 * become visible all at once at the end. Only searches may run between steps.
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

/**
 * Adds the documents of a segment, or replaces those with their ordinals: first new forms, in steps, then all postings
 * at once, which takes a few milliseconds at most. The segment's field numbers must be those of the index.
 */
export function* mergeSegment(parts: Additions, ords: readonly number[],
  { bytes, fields }: Segment): Generator<undefined, void>
{
  const { kernel } = parts;
  for (const name of fields) parts.fields.use(name);
  kernel.write(Buffers.segment, bytes);
  kernel.call.openSegment();
  yield* settleForms(parts);
  kernel.call.mergeSegment(kernel.inputNumbers(ords));
}

/** Groups and orders the new forms. */
function* settleForms({ kernel, analyzers, dictionary, watchers, amount }: Additions): Generator<undefined, void> {
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
    watchers.joined(form, text);
  }
  kernel.call.forgetNewForms();
}
