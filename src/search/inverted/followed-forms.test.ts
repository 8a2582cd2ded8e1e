import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FollowedForms } from './followed-forms.ts';
import { formNews, formPiece, type FormState } from './form-log.ts';
import { InvertedIndex } from './inverted-index.ts';

/** What a watcher knows of the forms of a part. */
class Seen {
  readonly texts = new Map<number, string>();

  joined(form: number, text: string): void {
    expect(this.texts.has(form)).toBe(false);
    this.texts.set(form, text);
  }

  left(form: number, text: string): void {
    expect(this.texts.get(form)).toBe(text);
    this.texts.delete(form);
  }
}

function textsOf(index: InvertedIndex): string[] {
  const texts: string[] = [];
  for (let form = 1; form < index.formEnd; form++) if (index.hasForm(form)) texts.push(index.textOf(form));
  return texts.sort();
}

function known(forms: FollowedForms): string[] {
  return [...numbersOf(forms).keys()].sort();
}

function numbersOf(forms: FollowedForms): Map<string, number> {
  const numbers = new Map<string, number>();
  for (let form = 1; form < forms.end; form++) if (forms.has(form)) numbers.set(forms.text(form), form);
  return numbers;
}

function filled(...texts: string[]): InvertedIndex {
  const index = new InvertedIndex();
  for (const [ord, text] of texts.entries()) index.add(ord, [{ field: 0, text }]);
  return index;
}

/** A watcher who knows the present forms already. */
function watched(forms: FollowedForms): Seen {
  const seen = new Seen();
  for (const [text, form] of numbersOf(forms)) seen.joined(form, text);
  forms.watch(seen);
  return seen;
}

/** Learns all at one moment, as a request does. */
function catchUp(forms: FollowedForms, index: InvertedIndex): void {
  const news = formNews(index, forms.state);
  while (!forms.follow(news, (since, from) => formPiece(index, since, from)));
}

function compact(index: InvertedIndex): void {
  while (index.compact(0, true, () => 0));
}

describe('the forms of an index in another process', () => {
  it('are read in pieces, and then follow', () => {
    const index = filled(Array.from({ length: 25_000 }, (_, i) => `w${i}`).join(' '), 'last');
    const forms = new FollowedForms();
    let pieces = 0;
    const news = formNews(index, forms.state);
    const read = (since: FormState, from: number) => {
      pieces += 1;
      // What joins and leaves while they are read.
      index.add(10 + pieces, [{ field: 0, text: `during${pieces}` }]);
      if (pieces === 2) {
        index.remove(1);
        compact(index);
      }
      return formPiece(index, since, from);
    };
    while (!forms.follow(news, read));
    expect([pieces, known(forms)]).toEqual([3, textsOf(index)]);
    const seen = watched(forms);
    index.add(2, [{ field: 0, text: 'entirely new' }]);
    index.remove(0);
    compact(index);
    catchUp(forms, index);
    expect(known(forms)).toEqual(textsOf(index));
    expect([...seen.texts.values()].sort()).toEqual(textsOf(index));
  });

  it('keep their numbers when another instance of the part is read, which has others', () => {
    const one = filled('both one', 'common');
    const other = filled('other', 'common both');
    const forms = new FollowedForms();
    catchUp(forms, one);
    const before = numbersOf(forms);
    catchUp(forms, other);
    expect(known(forms)).toEqual(['both', 'common', 'other']);
    const after = numbersOf(forms);
    expect([after.get('both'), after.get('common'), forms.instances]).toEqual([before.get('both'), before.get('common'),
      2]);
  });

  it('are read again when it is not known any more what has changed', () => {
    const index = filled('first');
    const forms = new FollowedForms();
    catchUp(forms, index);
    for (let i = 0; i < 11; i++)
      index.add(1, [{ field: 0, text: Array.from({ length: 10_000 }, (_, word) => `${i}w${word}`).join(' ') }]);
    expect(formNews(index, forms.state).changes).toBeUndefined();
    catchUp(forms, index);
    expect(known(forms)).toEqual(textsOf(index));
  });

  it('come to the same whatever requests learn at the same time, in any order', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('add' as const), ord: fc.nat(5), word: fc.nat(9) }),
      fc.record({ kind: fc.constant('remove' as const), ord: fc.nat(5) }),
      fc.record({ kind: fc.constant('replace' as const) }),
      // A request learns now what it asked for some requests ago.
      fc.record({ kind: fc.constant('learn' as const), ago: fc.nat(3) }),
    );
    fc.assert(fc.property(fc.array(step, { maxLength: 40, size: 'max' }), (steps) => {
      let index = filled('begin');
      const forms = new FollowedForms();
      catchUp(forms, index);
      const seen = watched(forms);
      const asked = [formNews(index, forms.state)];
      for (const each of steps) {
        if (each.kind === 'add') index.add(each.ord, [{ field: 0, text: `w${each.word} x${each.ord}` }]);
        else if (each.kind === 'replace') index = filled('begin', 'anew');
        else if (each.kind === 'remove') {
          index.remove(each.ord);
          compact(index);
        } else {
          asked.push(formNews(index, forms.state));
          const news = asked.at(-1 - each.ago) ?? asked[0]!;
          while (!forms.follow(news, (since, from) => formPiece(index, since, from)));
        }
      }
      catchUp(forms, index);
      expect(known(forms)).toEqual(textsOf(index));
      expect(seen.texts).toEqual(new Map([...numbersOf(forms)].map(([text, form]) => [form, text])));
    }), { numRuns: 100 });
  });
});
